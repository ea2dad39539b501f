package catalog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

// maxSchema is the maximum size of a file with a schema.
const maxSchema = 16 << 20

// locations finds schemas in files below the directory of the resources.
type locations struct {
	root     string // the directory to open, "" if the resources are not in one
	strict   bool
	list     []schemas.Location
	compiled map[string]*jsonschema.Schema // by path; nil for a file that does not exist
}

// add adds locations, separated by commas: paths of directories, or of files with variables.
func (l *locations) add(key, text string) error {
	for location := range strings.SplitSeq(text, ",") {
		location = strings.TrimSpace(location)
		parsed, err := schemas.ParseLocation(location)
		if errors.Is(err, schemas.ErrURL) {
			return fmt.Errorf("functionConfig: data.%s: %q is a URL, and functions in fctl read "+
				"no URLs; "+
				"download the schemas, or run the image with --executor container and --network",
				key, location)
		}
		switch {
		case parsed == schemas.DefaultLocation:
		case location == "":
			return fmt.Errorf("functionConfig: data.%s has an empty location", key)
		case err != nil:
			return fmt.Errorf("functionConfig: data.%s: the location %q: %w", key, location, err)
		case !filepath.IsLocal(filepath.FromSlash(string(parsed))):
			return fmt.Errorf("functionConfig: data.%s: %q is not below the directory of the "+
				"resources",
				key, location)
		case l.root == "":
			return fmt.Errorf("functionConfig: data.%s: the resources are not in a directory", key)
		}
		l.list = append(l.list, parsed)
	}
	return nil
}

// schema returns the schema that a location has for a type of resource, nil if it has none.
func (l *locations) schema(
	location schemas.Location, t api.ResourceType,
) (*jsonschema.Schema, error) {
	file := location.File(t, "", l.strict)
	if file == "" {
		return nil, nil
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
