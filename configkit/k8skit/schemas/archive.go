package schemas

import (
	"archive/zip"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// packed has versions.json (the releases it was made of, oldest first), kinds.json (resource types and the names of their
// definitions) and a file for each package of definitions. What changed between releases is a map from the release since which
// it is so; null stands for what is not there any more.
//
//go:embed schemas.zip
var packed string

// archive reads packed. What comes of it is not to be read at the same time.
type archive struct {
	zip   *zip.Reader
	files map[string]gaby.Value
}

// file unpacks a file.
func (a *archive) file(name string) (gaby.Value, error) {
	if v, ok := a.files[name]; ok {
		return v, nil
	}
	if a.zip == nil {
		z, err := zip.NewReader(strings.NewReader(packed), int64(len(packed)))
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

// at is what something was in a release.
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
