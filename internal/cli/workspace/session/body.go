package session

import (
	"maps"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// Body holds the flags that name a text with an entity, as -o json prints it. Other flags override
// its fields.
type Body struct {
	file      string
	fromStdin bool
	text      *entity.Text // once it was read
}

// Add adds the flags. what is the kind of entity.
func (o *Body) Add(flags *pflag.FlagSet, what string) {
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
	if !o.IsSet() {
		return entity.Text{}, false, nil
	}
	if o.text != nil {
		return *o.text, true, nil
	}
	if o.fromStdin && o.file != "" {
		return entity.Text{}, false, diag.Usage("--from-stdin and --filename exclude each other")
	}
	file := o.file
	if o.fromStdin {
		file = "-"
	}
	data, err := s.Input(file)
	if err != nil {
		return entity.Text{}, false, err
	}
	o.text = &entity.Text{Bytes: data, File: diag.FileName(file), Body: true}
	return *o.text, true, nil
}

// Update gives an entity the common fields of a body. given are the fields that the body has. With
// merge, labels, annotations and gates that the body does not name stay.
func Update(c, body *entity.Common, given map[string]bool, merge bool) error {
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
	if given["Labels"] {
		c.Labels = merged(c.Labels, body.Labels, merge)
	}
	if given["Annotations"] {
		c.Annotations = merged(c.Annotations, body.Annotations, merge)
	}
	if given["DeleteGates"] {
		c.DeleteGates = merged(c.DeleteGates, body.DeleteGates, merge)
	}
	return nil
}

func merged[V any](was, body map[string]V, merge bool) map[string]V {
	if !merge {
		return body
	}
	all := map[string]V{}
	maps.Copy(all, was)
	maps.Copy(all, body)
	return all
}

// SameID reports a body that is about another entity.
func SameID(own, body string) error {
	if body == "" || body == own {
		return nil
	}
	return &entity.Error{
		Code:    entity.CodeRefMismatch,
		Message: "the text has the ID " + body + ", but the entity " + own,
		Hint:    "leave the ID out, or name the other entity",
	}
}
