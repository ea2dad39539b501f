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

// file is what a settings file says.
type file struct {
	values  map[string]any      // that viper merges
	lists   map[string][]string // settings that are lists: paths
	origins map[string]string   // setting -> place
	notes   []api.Note          // keys that a project may not set
}

// readFile reads a settings file. It knows the table, so that a misspelt key or
// a value of the wrong type is told with its place. Keys that a project may not
// set are left out, with a note.
func readFile(table []key, path string, project, required bool, from string) (file, diag.List) {
	if path == "" {
		return file{}, nil
	}
	name := path
	if rel, err := filepath.Rel(from, path); err == nil && len(rel) < len(path) {
		name = diag.FileName(rel)
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return file{}, nil
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
		return file{}, diag.List{refuse(nil, "", "%w", reason(err))}
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return file{}, diag.List{refuse(nil, "", "%w", err)}
	}
	if len(root.Content) == 0 {
		return file{}, nil // nothing but comments
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode {
		return file{}, diag.List{refuse(top, "", "a map of settings is expected")}
	}
	read := file{values: map[string]any{}, lists: map[string][]string{}, origins: map[string]string{}}
	var problems diag.List
	for i := 0; i+1 < len(top.Content); i += 2 {
		at, value := top.Content[i], top.Content[i+1]
		place := api.Position{File: name, Line: at.Line, Column: at.Column}
		k, ok := lookup(table, at.Value)
		switch {
		case !ok:
			problems = append(problems, refuse(at, diag.DidYouMean(handler.Suggest(at.Value, names(table)), ""), "unknown setting %q", at.Value))
			continue
		case project && !k.project:
			read.notes = append(read.notes, api.Note{
				Pos:     place,
				Message: fmt.Sprintf("%s is ignored here: only a flag, %s or your own settings file may set it", k.name, EnvName(k.name)),
			})
			continue
		case k.isList():
			paths, bad := pathsOf(value, filepath.Dir(path))
			if bad != nil {
				problems = append(problems, refuse(bad, "", "%s: a path or a list of paths is expected", k.name))
			}
			read.lists[k.name] = paths
		case value.Kind != yaml.ScalarNode:
			problems = append(problems, refuse(value, "", "%s: a single value is expected", k.name))
		default:
			if want := k.refuses(value.Value); want != "" {
				problems = append(problems, refuse(value, "", "%s: %q is not %s", k.name, value.Value, want))
			}
			read.values[k.name] = value.Value
		}
		read.origins[k.name] = place.String()
	}
	return read, problems
}

// pathsOf reads a path or a list of them, relative to the directory of their
// file; what is neither is returned as bad.
func pathsOf(value *yaml.Node, dir string) (paths []string, bad *yaml.Node) {
	items := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		items = value.Content
	}
	for _, item := range items {
		if item.Kind != yaml.ScalarNode || item.Value == "" {
			return nil, item
		}
		paths = append(paths, resolve(dir, item.Value))
	}
	return paths, nil
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

func (k key) isList() bool {
	_, ok := k.standard.([]string)
	return ok
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
