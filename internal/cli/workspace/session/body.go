package session

import (
	"cmp"
	"maps"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// Body holds the flags that name a text with an entity, as -o json prints it. Other flags override
// its fields.
type Body struct {
	Of        entity.Kind
	file      string
	fromStdin bool
	text      *entity.Text // once it was read
}

// Add adds the flags.
func (o *Body) Add(flags *pflag.FlagSet) {
	what := string(o.Of)
	flags.BoolVar(&o.fromStdin, "from-stdin", false,
		"read the "+what+" from the standard input, as -o json prints it")
	flags.StringVar(&o.file, "filename", "",
		"read the "+what+" from `FILE`, in YAML or JSON; - is the standard input")
}

// IsSet reports whether one of the flags is given.
func (o *Body) IsSet() bool { return o.file != "" || o.fromStdin }

// Stdin reports whether the text is the standard input.
func (o *Body) Stdin() bool { return o.fromStdin || o.file == "-" }

// Text returns the text. It reports false if none of the flags is given.
func (o *Body) Text(s *Session) (entity.Text, bool, error) {
	if !o.IsSet() || o.text != nil {
		return *cmp.Or(o.text, &entity.Text{}), o.IsSet(), nil
	}
	if o.fromStdin && o.file != "" {
		return entity.Text{}, false, diag.Usage("--from-stdin and --filename exclude each other")
	}
	file := cmp.Or(o.file, "-")
	data, err := s.Input(file)
	if err != nil {
		return entity.Text{}, false, err
	}
	o.text = &entity.Text{Bytes: data, File: diag.FileName(file), Body: true}
	return *o.text, true, nil
}

// Decode reads an entity, if one of the flags is given.
func (o *Body) Decode(s *Session, e entity.Entity) (given bool, err error) {
	text, given, err := o.Text(s)
	if err == nil && given {
		err = entity.Decode(text, e)
	}
	return given, err
}

// Update gives an entity the common fields of a body. given are the fields that the body has. With
// merge, labels, annotations and gates that the body does not name stay.
func Update(e, of entity.Entity, given map[string]bool, merge bool) error {
	c, body := e.Base(), of.Base()
	if own, id := *e.Ident(), *of.Ident(); id != "" && id != own {
		return entity.Fail(entity.CodeRefMismatch, "the text has the ID %s, but the entity %s", id,
			own).WithHint("leave the ID out, or name the other entity")
	}
	if given["Slug"] && body.Slug != c.Slug {
		return diag.UsageHint("the command rename gives another name",
			"the text is about %s, not about %s", body.Slug, c.Slug)
	}
	if err := workspace.CheckVersion(c, body.Version); err != nil {
		return err
	}
	if given["DisplayName"] {
		c.DisplayName = body.DisplayName
	}
	update("Labels", &c.Labels, body.Labels, given, merge)
	update("Annotations", &c.Annotations, body.Annotations, given, merge)
	update("DeleteGates", &c.DeleteGates, body.DeleteGates, given, merge)
	return nil
}

// update sets a map to that of a body or, with merge, adds the entries of that.
func update[V any](name string, to *map[string]V, body map[string]V, given map[string]bool, merge bool) {
	if !given[name] {
		return
	}
	all := map[string]V{}
	if merge {
		maps.Copy(all, *to)
	}
	maps.Copy(all, body)
	*to = all
}
