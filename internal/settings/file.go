package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
)

// file is the content of a settings file.
type file struct {
	values    map[string]any          // single values, merged by viper
	lists     map[string][]File       // lists of paths, by setting
	positions map[string]api.Position // positions of the settings
	notes     []api.Note              // about keys that a project may not set
}

// location is the location of a settings file, which may not exist.
type location struct {
	path     string
	required bool     // it must exist, because it was named
	project  *project // nil for the user's own file
	// untrusted says that only the keys count that change how results are shown.
	untrusted bool
}

// readFile reads a settings file. It checks keys and types against the table, so that mistakes are
// reported with their positions. Keys that a project may not set are ignored, with a note.
func readFile(table []key, in location, from string) (file, diag.List) {
	if in.path == "" {
		return file{}, nil
	}
	name := shown(in.path, from)
	text, err := in.read()
	if errors.Is(err, fs.ErrNotExist) && !in.required {
		return file{}, nil
	}
	problem := func(at gaby.Position, hint, format string, args ...any) *api.Failure {
		f := diag.UsageHint(hint, format, args...)
		f.Pos = api.Position{File: name, Line: at.Line, Column: at.Column}
		return f
	}
	if err != nil {
		return file{}, diag.List{unreadable(in.path, from, err)}
	}
	doc, err := gaby.ParseYAML(text)
	if err == nil {
		err = doc.Check()
	}
	if err != nil {
		if syntax, ok := errors.AsType[*gaby.SyntaxError](err); ok {
			return file{}, diag.List{problem(syntax.Pos, syntax.Hint, "%s", syntax.Msg)}
		}
		return file{}, diag.List{problem(gaby.Position{}, "", "%w", err)}
	}
	if doc.IsNull() {
		return file{}, nil // nothing but comments
	}
	top := doc.Value()
	if top.Kind() != gaby.Map {
		return file{}, diag.List{problem(top.Position(), "", "a map of settings is expected")}
	}
	read := file{
		values: map[string]any{}, lists: map[string][]File{},
		positions: map[string]api.Position{},
	}
	var problems diag.List
	var ignored []string
	for _, field := range top.Repeated() {
		problems = append(problems, problem(field.KeyPosition(), "", "%s is given twice",
			field.Key()))
	}
	for value := top.First(); value.Exists(); value = value.Next() {
		at := value.KeyPosition()
		position := api.Position{File: name, Line: at.Line, Column: at.Column}
		k, ok := lookup(table, value.Key())
		switch {
		case !ok:
			problems = append(problems,
				problem(at, configkit.DidYouMean("", configkit.Suggest(value.Key(), names(table))),
					"unknown setting %q", value.Key()))
			continue
		case in.project != nil && !k.project:
			read.notes = append(read.notes, api.Note{
				Pos: position,
				Message: fmt.Sprintf("%s is ignored here; only a flag, %s or your own settings "+
					"file can set it",
					k.name, EnvName(k.name)),
			})
			continue
		case in.untrusted && !k.form:
			ignored = append(ignored, k.name)
			continue
		case k.isList():
			items, bad := itemsOf(value)
			if bad.Exists() {
				problems = append(problems,
					problem(bad.Position(), "", "%s: a path or a list of paths is expected",
						k.name))
			}
			for _, item := range items {
				at := item.Position()
				f := File{
					Path:    resolve(filepath.Dir(in.path), item.Text()),
					By:      api.Position{File: name, Line: at.Line, Column: at.Column},
					project: in.project,
				}
				word := isWord(k.name, item.Text())
				if word {
					f.Path = item.Text()
				}
				if f.project != nil && (IsCluster(item.Text()) || !word &&
					f.project.isOutside(f.Path)) {
					hint := "a project can only name files below its directory; --" + k.name +
						" accepts any file"
					problems = append(problems,
						problem(at, hint, "%s: %s is outside the directory of this file", k.name,
							configkit.Abbreviate(item.Text())))
				}
				read.lists[k.name] = append(read.lists[k.name], f)
			}
		case value.Kind() != gaby.Scalar:
			problems = append(problems,
				problem(value.Position(), "", "%s: a single value is expected", k.name))
		default:
			if want := k.expected(value.Text()); want != "" {
				problems = append(problems,
					problem(value.Position(), "", "%s: %q is not %s", k.name, value.Text(), want))
			}
			read.values[k.name] = value.Text()
		}
		read.positions[k.name] = position
	}
	if len(ignored) > 0 {
		verb := "are"
		if len(ignored) == 1 {
			verb = "is"
		}
		read.notes = append(read.notes, api.Note{
			Pos: api.Position{File: name},
			Message: fmt.Sprintf("%s %s ignored: the repository is not trusted",
				strings.Join(ignored, ", "), verb),
		})
	}
	return read, problems
}

// read reads the file. The user's own file may be a pipe.
func (p location) read() ([]byte, error) {
	if p.project != nil {
		return p.project.settings()
	}
	f, err := os.Open(p.path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return files.ReadBounded(f, 0, maxSettings)
}

// itemsOf returns the items of a path or a list of paths. bad is the value that is neither, or does
// not exist.
func itemsOf(value gaby.Value) (items []gaby.Value, bad gaby.Value) {
	switch {
	case value.Kind() == gaby.Scalar && value.Text() != "":
		return []gaby.Value{value}, bad
	case value.Kind() != gaby.List:
		return nil, value
	}
	for item := value.First(); item.Exists(); item = item.Next() {
		if item.Kind() != gaby.Scalar || item.Text() == "" {
			return nil, item
		}
		items = append(items, item)
	}
	return items, bad
}

func lookup(table []key, name string) (key, bool) {
	if i := slices.Index(names(table), name); i >= 0 {
		return table[i], true
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
	_, ok := k.defaultValue.([]string)
	return ok
}

// expected returns what the value would have to be, "" if it is valid.
func (k key) expected(value string) string {
	switch k.defaultValue.(type) {
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

// unwrapPath returns the error without the path, which the problem's position has.
func unwrapPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
