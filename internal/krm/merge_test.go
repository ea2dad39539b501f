package krm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/source"
)

func readPackage(t *testing.T, files map[string]string) *Package {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, dir, name, text)
	}
	p, err := ReadPackage(context.Background(), dir, ReadOptions{
		Reader: &source.Reader{RegularOnly: true}, All: true, Kptfile: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// returned sends the items of a package to a function that is given as an edit of the text.
func returned(t *testing.T, p *Package, edit func(string) string) ([]*Item, error) {
	t.Helper()
	sent := p.Items()
	text, err := (&ResourceList{Items: sent}).wire(&wireOptions{ids: true, seqIndent: true})
	if err != nil {
		t.Fatal(err)
	}
	list, err := ParseOutput([]byte(edit(string(text))))
	if err != nil {
		t.Fatalf("%v in\n%s", err, edit(string(text)))
	}
	return merge(sent, list.Items, provider())
}

func changes(t *testing.T, p *Package, items []*Item) string {
	t.Helper()
	list, err := p.Changes(items)
	if err != nil {
		return "error " + err.Error()
	}
	var b strings.Builder
	for _, c := range list {
		b.WriteString("== " + c.Path + "\n")
		for _, part := range c.After {
			b.Write(part)
		}
		if c.IsDeleted() {
			b.WriteString("deleted\n")
		}
	}
	return b.String()
}

// F1, A3: nothing changes on the way to a function that changes nothing, and back.
func TestRoundTripOfAllFiles(t *testing.T) {
	dirs := []string{"../../testdata", "../../examples"}
	if more := os.Getenv("FCTL_KRM_FILES"); more != "" {
		dirs = append(dirs, more)
	}
	for _, dir := range dirs {
		t.Run(dir, func(t *testing.T) {
			err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" && ext != ".json" {
					return nil
				}
				p, err := ReadPackage(context.Background(), path, ReadOptions{
					Reader: &source.Reader{RegularOnly: true}, All: true,
				})
				if err != nil {
					return nil // not YAML
				}
				sent := p.Items()
				text, err := (&ResourceList{Items: sent}).Source(false)
				if err != nil {
					t.Logf("%s: %v", path, err)
					return nil
				}
				list, err := Parse(text)
				if err != nil {
					t.Logf("%s: %v", path, err)
					return nil
				}
				items, err := merge(sent, list.Items, provider())
				if err != nil {
					t.Errorf("%s: %v", path, err)
					return nil
				}
				if have := changes(t, p, items); have != "" {
					t.Errorf("%s changed:\n%s", path, have)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func provider() configkit.ResourceProvider { return k8skit.New() }
