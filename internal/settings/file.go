package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
)

// readFile reads a settings file into the map that viper merges. It knows the
// table, so that a misspelt key or a value of the wrong type is told with its
// place. Keys that a project may not set are left out, with a note.
func readFile(table []key, path string, project bool, dir string) (map[string]any, []api.Note, diag.List) {
	if path == "" {
		return nil, nil, nil
	}
	name := path
	if rel, err := filepath.Rel(dir, path); err == nil && len(rel) < len(path) {
		name = diag.FileName(rel)
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	refuse := func(n *yaml.Node, hint, format string, args ...any) *api.Failure {
		f := diag.UsageHint(hint, format, args...)
		f.Pos = api.Position{File: name}
		if n != nil {
			f.Pos.Line, f.Pos.Column = n.Line, n.Column
		}
		return f
	}
	if err != nil {
		return nil, nil, diag.List{refuse(nil, "", "%w", reason(err))}
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, nil, diag.List{refuse(nil, "", "%w", err)}
	}
	if len(root.Content) == 0 {
		return nil, nil, nil // nothing but comments
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, nil, diag.List{refuse(top, "", "a map of settings is expected")}
	}
	values := map[string]any{}
	var notes []api.Note
	var problems diag.List
	for i := 0; i+1 < len(top.Content); i += 2 {
		at, value := top.Content[i], top.Content[i+1]
		k, ok := lookup(table, at.Value)
		switch {
		case !ok:
			problems = append(problems, refuse(at, diag.DidYouMean(handler.Suggest(at.Value, names(table)), ""), "unknown setting %q", at.Value))
		case project && !k.project:
			notes = append(notes, api.Note{
				Pos:     api.Position{File: name, Line: at.Line, Column: at.Column},
				Message: fmt.Sprintf("%s is ignored here: only a flag, %s or your own settings file may set it", k.name, EnvName(k.name)),
			})
		case value.Kind != yaml.ScalarNode:
			problems = append(problems, refuse(value, "", "%s: a single value is expected", k.name))
		default:
			if want := k.refuses(value.Value); want != "" {
				problems = append(problems, refuse(value, "", "%s: %q is not %s", k.name, value.Value, want))
				continue
			}
			values[k.name] = value.Value
		}
	}
	return values, notes, problems
}

func lookup(table []key, name string) (key, bool) {
	for _, k := range table {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

func names(table []key) []string {
	var all []string
	for _, k := range table {
		all = append(all, k.name)
	}
	return all
}

// refuses tells what the value would have to be; empty when it is fine.
func (k key) refuses(value string) string {
	switch k.standard.(type) {
	case bool:
		if _, err := strconv.ParseBool(value); err != nil {
			return "true or false"
		}
	case int64:
		if _, err := strconv.ParseInt(value, 10, 64); err != nil {
			return "a whole number"
		}
	}
	return ""
}

// reason is the error without the path, which the problem's place says.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
