package krm

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/fctl-dev/fctl/internal/source"
)

// What a function writes is untrusted: reading it, merging it and finding the changes never panics,
// and no path leaves the root (F4).
func FuzzReturned(f *testing.F) {
	dir := f.TempDir()
	for name, text := range map[string]string{
		"d.yaml": deployment, "two.yaml": twoDocuments,
		"a.json": "{\"a\": 1}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			f.Fatal(err)
		}
	}
	read := func() *Package {
		p, err := ReadPackage(context.Background(), dir, ReadOptions{
			Reader: &source.Reader{},
			All:    true,
		})
		if err != nil {
			f.Fatal(err)
		}
		return p
	}
	text, err := (&ResourceList{Items: read().Items()}).wire(&wireOptions{
		ids:       true,
		seqIndent: true,
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(listText1))
	for _, index := range []string{"77", "1", "-1", "999999999999999999999", "1000000000", "x"} {
		f.Add(bytes.ReplaceAll(text, []byte(`/index: "0"`), []byte(`/index: "`+index+`"`)))
	}
	f.Add([]byte("kind: ResourceList\nitems:\n- &a {kind: x, apiVersion: y, metadata: {name: z, " +
		"annotations: {internal.config.kubernetes.io/path: ../x}}}\n- *a\n"))
	f.Add([]byte("debug\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := ParseOutput(text)
		if err != nil {
			return
		}
		if _, err := list.Bytes(); err != nil {
			t.Log(err)
		}
		p := read()
		items, err := merge(p.Items(), list.Items, provider())
		if err != nil {
			return
		}
		changes, err := p.Changes(items)
		if err != nil {
			return
		}
		for _, c := range changes {
			if !filepath.IsLocal(filepath.FromSlash(c.Path)) {
				t.Fatalf("path %q", c.Path)
			}
		}
	})
}
