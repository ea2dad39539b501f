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
	"github.com/fctl-dev/fctl/internal/strict"
)

// file is the content of a settings file.
type file struct {
	values    map[string]any          // single values, merged by viper
	lists     map[string][]NamedPath  // lists of paths, by setting
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
	if err != nil {
		return file{}, diag.List{unreadable(in.path, from, err)}
	}
	read := file{
		values: map[string]any{}, lists: map[string][]NamedPath{},
		positions: map[string]api.Position{},
	}
	var ignored []string
	var fields []strict.Field
	for _, k := range table {
		fields = append(fields, strict.Field{Name: k.name, Read: func(v strict.Value) {
			position := v.KeyInFile()
			switch {
			case in.project != nil && !k.project:
				read.notes = append(read.notes, api.Note{
					Pos: position,
					Message: fmt.Sprintf("%s is ignored here; only a flag, %s or your own "+
						"settings file can set it", k.name, EnvName(k.name)),
				})
				return
			case in.untrusted && !k.form:
				ignored = append(ignored, k.name)
				return
			case k.isList():
				read.lists[k.name] = in.files(k, v)
			default:
				text := v.Scalar()
				if want := k.expected(text); want != "" {
					v.Must(want, "")
				}
				read.values[k.name] = text
			}
			read.positions[k.name] = position
		}})
	}
	r := &strict.Reader{File: name}
	if top := r.Document(text); top.Exists() { // not only comments
		top.Object("a settings file", fields...)
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
	return read, r.Failures()
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

// files reads a path or a list of paths.
func (p location) files(k key, v strict.Value) []NamedPath {
	if v.Kind() == gaby.Scalar && v.Value.Text() != "" {
		return []NamedPath{p.file(k, v)}
	}
	if v.Kind() != gaby.List {
		want := "a path or a list of paths"
		if k.text {
			want = "a text or a list of texts"
		}
		v.Must(want, "")
		return nil
	}
	var list []NamedPath
	for item := range v.List() {
		if item.Scalar() == "" {
			item.Must("a text that is not empty", "")
			continue
		}
		list = append(list, p.file(k, item))
	}
	return list
}

// file reads a path.
func (p location) file(k key, v strict.Value) NamedPath {
	text := v.Scalar()
	f := NamedPath{Path: resolve(filepath.Dir(p.path), text), By: v.InFile(), project: p.project}
	word := isWord(k.name, text)
	if word {
		f.Path = text
	}
	if p.project != nil && !k.text && (IsCluster(text) || !word && p.project.isOutside(f.Path)) {
		v.Fail("a project can only name files below its directory; --"+k.name+" accepts any file",
			"%s: %s is outside the directory of this file", k.name, configkit.Abbreviate(text))
	}
	return f
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
