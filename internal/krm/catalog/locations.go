package catalog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// maxSchema is the maximum size of a file with a schema.
const maxSchema = 16 << 20

// defaultLocation is the location of the schemas that fctl has.
const defaultLocation = "default"

// locations finds schemas in files below the directory of the resources.
type locations struct {
	root     string // the directory to open, "" if the resources are not in one
	strict   bool
	list     []string
	compiled map[string]*jsonschema.Schema // by path; nil for a file that does not exist
}

// add adds locations, separated by commas: paths of directories, or of files with variables.
func (l *locations) add(key, text string) error {
	for location := range strings.SplitSeq(text, ",") {
		location = strings.TrimSpace(location)
		if location == defaultLocation {
			l.list = append(l.list, location)
			continue
		}
		if scheme, _, ok := strings.Cut(location, "://"); ok && scheme != "file" {
			return fmt.Errorf("functionConfig: data.%s: %q is a URL, and functions in fctl read "+
				"no URLs; "+
				"download the schemas, or run the image with --executor container and --network",
				key, location)
		}
		file := strings.TrimPrefix(location, "file://")
		if !strings.HasSuffix(file, ".json") {
			file = path.Join(file, "{{.NormalizedKubernetesVersion}}-standalone{{.StrictSuffix}}",
				"{{.ResourceKind}}{{.KindSuffix}}.json")
		}
		switch {
		case location == "":
			return fmt.Errorf("functionConfig: data.%s has an empty location", key)
		case !filepath.IsLocal(filepath.FromSlash(file)):
			return fmt.Errorf("functionConfig: data.%s: %q is not below the directory of the "+
				"resources",
				key, location)
		case l.root == "":
			return fmt.Errorf("functionConfig: data.%s: the resources are not in a directory", key)
		}
		l.list = append(l.list, file)
	}
	return nil
}

// file returns the path that a location gives for a type of resource.
func (l *locations) file(location, apiVersion, kind string) (string, error) {
	group, version, ok := strings.Cut(apiVersion, "/")
	suffix := "-" + strings.ToLower(strings.SplitN(group, ".", 2)[0])
	if ok {
		suffix += "-" + strings.ToLower(version)
	} else {
		version = group
	}
	strict := ""
	if l.strict {
		strict = "-strict"
	}
	values := map[string]string{
		"NormalizedKubernetesVersion": "master", "StrictSuffix": strict, "Group": group,
		"ResourceKind": strings.ToLower(kind), "ResourceAPIVersion": version, "KindSuffix": suffix,
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(location, "{{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}}")
		value, known := values[strings.TrimPrefix(strings.TrimSpace(name), ".")]
		if !closed || !known {
			return "", fmt.Errorf("the location %q has an unknown variable", location)
		}
		b.WriteString(value)
		location = after
	}
}

// schema returns the schema that a location has for a type of resource, nil if it has none.
func (l *locations) schema(location, apiVersion, kind string) (*jsonschema.Schema, error) {
	file, err := l.file(location, apiVersion, kind)
	if err != nil {
		return nil, err
	}
	if s, ok := l.compiled[file]; ok {
		return s, nil
	}
	if l.compiled == nil {
		l.compiled = map[string]*jsonschema.Schema{}
	}
	value, err := l.read(file)
	if errors.Is(err, fs.ErrNotExist) {
		l.compiled[file] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := jsonschema.Compile("file:///"+file, value, jsonschema.CompilerOptions{
		Dialect: jsonschema.Draft7,
		Load: func(uri string) (gaby.Value, error) {
			return l.read(strings.TrimPrefix(uri, "file:///"))
		},
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	l.compiled[file] = s
	return s, nil
}

// read reads a schema. A link that leads out of the directory is an error.
func (l *locations) read(file string) (gaby.Value, error) {
	root, err := os.OpenRoot(l.root)
	if err != nil {
		return gaby.Value{}, err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	f, err := root.Open(filepath.FromSlash(file))
	if err != nil {
		return gaby.Value{}, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxSchema+1))
	switch {
	case err != nil:
		return gaby.Value{}, err
	case len(text) > maxSchema:
		return gaby.Value{}, fmt.Errorf("%s: the schema is larger than %d bytes", file, maxSchema)
	}
	doc, err := gaby.ParseYAML(text)
	if err != nil {
		return gaby.Value{}, fmt.Errorf("%s:%w", file, err)
	}
	return doc.Value(), nil
}
