package do

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/typenames"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/source"
)

// TypeNames finds resource types by the names that kubectl takes. What is not a type of Kubernetes
// is looked up in the CustomResourceDefinitions of the input and in the types that the executor
// knows; both are read only then.
type TypeNames struct {
	executor *functions.Executor
	// definitions calls add for the text of each file that may have a CustomResourceDefinition.
	definitions func(add func([]byte))

	table *typenames.Table
	whole bool
}

// NewTypeNames returns the names without those of an input.
func NewTypeNames(executor *functions.Executor) *TypeNames {
	return &TypeNames{executor: executor}
}

// WithSchemas gives the executor the schemas in the files that the settings name, and returns the
// names with those of the CustomResourceDefinitions there.
func WithSchemas(ctx context.Context, executor *functions.Executor, s *settings.Settings,
	reader *source.Reader,
) (*TypeNames, error) {
	if err := AddSchemas(ctx, executor, reader, s); err != nil {
		return nil, err
	}
	return &TypeNames{executor: executor, definitions: func(add func([]byte)) {
		paths, named, _ := findSchemas(ctx, s.Schemas)
		for _, path := range paths {
			// An error is reported with the schemas.
			if text, err := readNamed(ctx, reader, named[path], path); err == nil {
				add(text)
			}
		}
	}}, nil
}

// Resolve returns the type that a word names. A word with a slash is a type already, and * means
// every type. A type that is probably misspelled has a hint. The error suggests what may be meant.
func (n *TypeNames) Resolve(word string) (t api.ResourceType, hint string, err error) {
	if word == string(api.ResourceTypeAny) {
		return api.ResourceTypeAny, "", nil
	}
	if strings.Contains(word, "/") {
		return api.ResourceType(word),
			configkit.DidYouMean("", typenames.BuiltIn().SuggestType(api.ResourceType(word))), nil
	}
	if t, ok := n.find(word); ok {
		return t, "", nil
	}
	if hint = configkit.DidYouMean("", n.table.Suggest(word)); hint == "" {
		hint = "a resource type is apiVersion/kind as in apps/v1/Deployment, or a name of " +
			"kubectl as in deploy"
	}
	return "", "", diag.UsageHint(hint, "no resource type is called %s", configkit.Quote(word))
}

func (n *TypeNames) find(word string) (api.ResourceType, bool) {
	if n.table == nil {
		n.table = typenames.BuiltIn()
	}
	if t, ok := n.table.Find(word); ok || n.whole {
		return t, ok
	}
	n.whole = true
	if n.definitions != nil {
		n.definitions(n.addDefinitions)
	}
	n.table.Add(n.executor.ResourceTypes(api.ToolchainKubernetesYAML)...)
	return n.table.Find(word)
}

func (n *TypeNames) addDefinitions(text []byte) {
	if !bytes.Contains(text, []byte("CustomResourceDefinition")) {
		return
	}
	docs, err := gaby.ParseAll(text)
	if err != nil {
		return // reported when functions run on the file
	}
	for _, doc := range docs {
		if h, err := doc.Header(); err == nil && h.Kind == "CustomResourceDefinition" &&
			doc.Check() == nil {
			n.table.AddDefinition(doc.Value())
		}
	}
}

// typeNames returns the names that the files of a request know.
func (r *Request) typeNames(ctx context.Context) *TypeNames {
	if r.names == nil {
		r.names = &TypeNames{executor: r.executor, definitions: func(add func([]byte)) {
			if files := r.found.Files; r.first == nil && len(files) == 1 && files[0].Path == "-" {
				r.first, _ = r.reader.Unit(ctx, "-", files[0].Unit) // an error is reported later
			}
			if r.first != nil {
				add(r.first.Data)
			}
			reader := *r.reader
			reader.RegularOnly = true // a pipe can be read once, and is a unit
			for _, f := range r.found.All() {
				if f.Path == "-" || f.Problem != nil || !f.Explicit && !isSchemaFile(f.Path) {
					continue
				}
				if text, err := reader.Bytes(ctx, f.Path); err == nil {
					add(text)
				}
			}
		}}
	}
	return r.names
}

// kindNote is about a word after --kind that no type is known by and that may be misspelled.
type kindNote struct {
	word    string
	message string
	isKind  atomic.Bool // a resource of the input has this kind
}

// kinds replaces the short names in a list of kinds by the kinds and groups of their types. notes
// are about words that are probably misspelled.
func (n *TypeNames) kinds(text string) (kinds string, notes []*kindNote) {
	words := strings.Split(text, ",")
	for i, word := range words {
		word = strings.TrimSpace(word)
		if word == "" || strings.Contains(word, "/") {
			continue
		}
		t, known := n.find(word)
		switch {
		case !known:
			if hint := configkit.DidYouMean("", n.table.Suggest(word)); hint != "" {
				notes = append(notes, &kindNote{
					word:    word,
					message: "--kind " + word + ": no known resource type has this kind; " + hint,
				})
			}
		case typenames.HasVersion(t, word):
			words[i] = string(t)
		case typenames.IsShortName(t, word):
			words[i] = configkit.KindOf(t)
			if group, _, ok := strings.Cut(string(t), "/"); ok &&
				strings.Count(string(t), "/") == 2 {
				words[i] += "." + group
			}
		}
	}
	return strings.Join(words, ","), notes
}

// seeKinds looks in a unit for the kinds that no type is known by: a type without a schema is not a
// misspelled one. Only such words make it parse the unit.
func (l *loop) seeKinds(unit *source.InputUnit) {
	if len(l.kindNotes) == 0 || unit.Toolchain != api.ToolchainKubernetesYAML {
		return
	}
	docs, err := gaby.ParseAll(unit.Data)
	if err != nil {
		return // reported when functions run on the unit
	}
	for _, doc := range docs {
		h, err := doc.Header()
		if err != nil {
			continue
		}
		for _, n := range l.kindNotes {
			if kind, _, _ := strings.Cut(n.word, "."); strings.EqualFold(kind, h.Kind) {
				n.isKind.Store(true)
			}
		}
	}
}

// noteKinds notes the words after --kind that are probably misspelled.
func (l *loop) noteKinds() {
	for _, n := range l.kindNotes {
		if !n.isKind.Load() {
			l.noteUnlessQuiet("", api.Note{Message: n.message})
		}
	}
}
