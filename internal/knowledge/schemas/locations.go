package schemas

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// Location says where JSON Schemas are: a path with the variables of kubeconform, or
// DefaultLocation.
type Location string

// DefaultLocation is the location of the schemas that fctl has.
const DefaultLocation Location = "default"

// ErrURL means that a location is a URL, which fctl does not fetch.
var ErrURL = errors.New("it is a URL, and fctl fetches nothing")

// ParseLocation reads a location. One that does not end in .json is a directory with the files that
// kubeconform looks for. The error is ErrURL, or says which variable is unknown.
func ParseLocation(text string) (Location, error) {
	if Location(text) == DefaultLocation {
		return DefaultLocation, nil
	}
	if scheme, _, ok := strings.Cut(text, "://"); ok && scheme != "file" {
		return "", ErrURL
	}
	text = strings.TrimPrefix(text, "file://")
	if text == "" {
		return "", errors.New("it is empty")
	}
	if !strings.HasSuffix(text, ".json") {
		text = path.Join(text, "{{.NormalizedKubernetesVersion}}-standalone{{.StrictSuffix}}",
			"{{.ResourceKind}}{{.KindSuffix}}.json")
	}
	_, err := Location(text).expand(locationVariables("v1/Pod", "", false))
	return Location(text), err
}

// File returns the path of the schema of a type. version is that of Kubernetes, such as 1.36, or "".
// It returns "" for a type that has no such path, because its parts are not names.
func (l Location) File(t api.ResourceType, version string, strict bool) string {
	file, err := l.expand(locationVariables(t, version, strict))
	if err != nil {
		return ""
	}
	return file
}

// locationVariables returns the values of the variables for a type.
func locationVariables(t api.ResourceType, version string, strict bool) map[string]string {
	parts := strings.Split(string(t), "/") // without a group, its place has the version
	kind := parts[len(parts)-1]
	first, _, _ := strings.Cut(parts[0], ".")
	rest := parts[1:max(1, len(parts)-1)] // the version, if there is a group
	suffix := strings.ToLower(strings.Join(append([]string{"", first}, rest...), "-"))
	normalized, strictSuffix := "master", ""
	if version != "" {
		normalized = "v" + strings.TrimPrefix(version, "v")
		if strings.Count(normalized, ".") == 1 {
			normalized += ".0"
		}
	}
	if strict {
		strictSuffix = "-strict"
	}
	return map[string]string{
		"NormalizedKubernetesVersion": normalized, "StrictSuffix": strictSuffix,
		"ResourceKind": strings.ToLower(kind), "Group": parts[0], "KindSuffix": suffix,
		"ResourceAPIVersion": parts[max(0, len(parts)-2)],
	}
}

// expand replaces the variables. Values come from resources and must not lead to other directories.
func (l Location) expand(values map[string]string) (string, error) {
	var b strings.Builder
	for rest := string(l); ; {
		before, after, found := strings.Cut(rest, "{{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		variable, after, closed := strings.Cut(after, "}}")
		name, dotted := strings.CutPrefix(strings.Trim(variable, " -"), ".")
		value, known := values[name]
		switch {
		case !closed:
			return "", errors.New("a variable has no }}")
		case !known || !dotted:
			return "", fmt.Errorf("{{%s}} is not a variable of kubeconform", variable)
		case strings.ContainsAny(value, "/\\\x00") || strings.HasPrefix(value, "."):
			return "", fmt.Errorf("%q is not a name", value)
		}
		b.WriteString(value)
		rest = after
	}
}

// Locations are where JSON Schemas are searched, in this order. Without DefaultLocation among them,
// the schemas that fctl has are not used.
type Locations struct {
	List []Location
	// Read returns a file, or an error that is fs.ErrNotExist.
	Read func(file string) ([]byte, error)
}

// AddLocations adds places where the JSON Schema of a type is read when it is first needed.
func (l *Library) AddLocations(locations Locations) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.locations, l.located = locations, map[string]*jsonSchema{}
}

// atLocations returns the schema of a type at the locations before DefaultLocation or, with last,
// after it; nil if there is none.
func (l *Library) atLocations(t api.ResourceType, s *Set, last bool) (*jsonschema.Schema, error) {
	l.mu.Lock() // protects the values of files, too
	defer l.mu.Unlock()
	list := l.locations.List
	if i := slices.Index(list, DefaultLocation); last {
		list = list[i+1:]
		if i < 0 {
			list = nil
		}
	} else if i >= 0 {
		list = list[:i]
	}
	for _, location := range list {
		file := location.File(t, s.version, true)
		if file == "" || location == DefaultLocation {
			continue
		}
		j, err := l.readLocated(file)
		if err != nil || j == nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		if !j.done {
			j.done = true
			j.schema, j.err = jsonschema.Compile(uriOf(file), j.value,
				jsonschema.CompilerOptions{
					Dialect: jsonschema.Draft7, Formats: true,
					Load: func(uri string) (gaby.Value, error) {
						return l.referred(file, uri)
					},
				})
			j.err = inFile(file, j.err)
		}
		return j.schema, j.err
	}
	return nil, nil
}

// referred returns a schema that the schema in a file refers to, which is in its directory or below.
func (l *Library) referred(file, uri string) (gaby.Value, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return gaby.Value{}, err
	}
	rest, below := strings.CutPrefix(u.Path, path.Dir(path.Clean("/"+file)))
	if u.Scheme != "file" || !below || !strings.HasPrefix(rest, "/") {
		return gaby.Value{}, nil
	}
	j, err := l.readLocated(path.Join(path.Dir(file), rest))
	if j == nil {
		return gaby.Value{}, err
	}
	return j.value, err
}

// readLocated reads a file, once. It returns nil if there is none.
func (l *Library) readLocated(file string) (*jsonSchema, error) {
	if j, ok := l.located[file]; ok {
		return j, nil
	}
	text, err := l.locations.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		l.located[file] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	doc, err := gaby.ParseYAML(text)
	if err == nil {
		err = doc.Check()
	}
	if err != nil {
		return nil, syntaxIn(file, err)
	}
	j := &jsonSchema{file: file, value: doc.Value()}
	l.located[file] = j
	return j, nil
}

// usesOwn reports whether the schemas that fctl has are used.
func (l *Library) usesOwn() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.locations.List) == 0 || slices.Contains(l.locations.List, DefaultLocation)
}
