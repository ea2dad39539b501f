package schemas

import (
	"archive/zip"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// packedReleases contains versions.json (the releases, oldest first), kinds.json (the name of the
// definition of each resource type) and a file for each package of definitions. Whatever changed
// between releases is a map from a release to the value from that release on; null means removed.
//
//go:embed schemas.zip
var packedReleases string

// archive reads a packed file. The values it returns must not be read concurrently.
type archive struct {
	packed string
	zip    *zip.Reader
	files  map[string]gaby.Value
}

// file unpacks a file. It returns a value that does not exist if there is no such file.
func (a *archive) file(name string) (gaby.Value, error) {
	if v, ok := a.files[name]; ok {
		return v, nil
	}
	if a.zip == nil {
		z, err := zip.NewReader(strings.NewReader(a.packed), int64(len(a.packed)))
		if err != nil {
			return gaby.Value{}, fmt.Errorf("the built-in schemas: %w", err)
		}
		a.zip, a.files = z, map[string]gaby.Value{}
	}
	v, err := a.unpack(name)
	if err != nil {
		return gaby.Value{}, fmt.Errorf("the built-in schemas: %s: %w", name, err)
	}
	a.files[name] = v
	return v, nil
}

func (a *archive) unpack(name string) (v gaby.Value, err error) {
	for _, f := range a.zip.File {
		if f.Name != name+".json" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return v, err
		}
		defer func() { _ = r.Close() }()
		text := make([]byte, f.UncompressedSize64)
		if _, err := io.ReadFull(r, text); err != nil {
			return v, err
		}
		doc, err := gaby.ParseYAML(text)
		if err != nil {
			return v, err
		}
		return doc.Value(), nil
	}
	return v, nil
}

// at returns the value that history has in a release.
func at(history gaby.Value, releases []string, release int) gaby.Value {
	for ; release >= 0; release-- {
		if v := history.Get(releases[release]); v.Exists() {
			if v.Tag() == "!!null" {
				break
			}
			return v
		}
	}
	return gaby.Value{}
}
