// Package scaffold makes the directory of a new KRM function: the program, a Dockerfile, a golden
// test and a declaration.
//
// Invariant: What it makes works at once: the golden test passes with `fctl fn test`.
//
// Layer: base.
package scaffold

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
)

//go:embed all:templates
var templates embed.FS

// Languages returns the languages of functions.
func Languages() []string { return []string{"go", "sh", "python"} }

// Program returns the path of the program below the directory of a function. A function in Go has
// to be built first.
func Program(language, name string) string {
	switch language {
	case "sh":
		return name + ".sh"
	case "python":
		return name + ".py"
	}
	return name
}

// Write makes the directory dir, which must not exist, for a function with the given name. It
// returns the files in it, in order. If a file cannot be written, nothing of dir is left.
func Write(ctx context.Context, dir, name, language string) (made []string, err error) {
	if !slices.Contains(Languages(), language) {
		return nil, diag.UsageHint("--lang go, sh or python", "--lang: %q is not a language",
			language)
	}
	if !regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`).MatchString(name) {
		return nil, diag.Usage("%q is not the name of a function: lower-case letters, digits and "+
			"dashes are allowed", name)
	}
	if _, err := os.Lstat(dir); err == nil {
		return nil, diag.UsageHint("choose another name, or remove it", "%s exists already",
			diag.FileName(dir))
	}
	tree, err := files.OpenTree(ctx, filepath.Dir(dir), false)
	if err != nil {
		return nil, err
	}
	defer tree.Close() //nolint:errcheck // nothing is synced
	written := map[string][]byte{}
	defer func() {
		if err != nil {
			for rel, text := range written {
				_ = tree.Remove(context.WithoutCancel(ctx), rel, text)
				tree.Prune(rel)
			}
			made = nil
		}
	}()
	root := "templates/" + language
	err = fs.WalkDir(templates, root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := templates.ReadFile(path)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o666)
		if strings.HasPrefix(string(text), "#!") {
			mode = 0o777
		}
		rel := strings.TrimSuffix(strings.TrimPrefix(path, root), ".tmpl")
		rel = filepath.Base(dir) + strings.ReplaceAll(rel, "NAME", name)
		filled := []byte(strings.ReplaceAll(string(text), "{{NAME}}", name))
		if err := tree.Create(ctx, rel, mode, filled); err != nil {
			tree.Prune(rel)
			return err
		}
		written[rel] = filled
		made = append(made, filepath.Join(filepath.Dir(dir), filepath.FromSlash(rel)))
		return nil
	})
	return made, err
}
