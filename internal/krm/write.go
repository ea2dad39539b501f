package krm

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/parallel"
)

// fileName returns the name in messages of a file below root.
func fileName(root, path string) string {
	return diag.FileName(filepath.Join(root, filepath.FromSlash(path)))
}

// WriteOptions say how files are written.
type WriteOptions struct {
	Sync bool // sync files to disk
	// One calls a function that writes one file.
	One func(write func() error) error
	// Secret reports whether a text holds secret values: only its owner can read a new file with
	// it.
	Secret func(text []byte) bool
}

func (o *WriteOptions) isSecret(parts [][]byte) bool {
	return o.Secret(bytes.Join(parts, nil))
}

// Write writes the changes to the files of the package. A file that another program changed since
// it was read is not written. The error joins the problems of all files. Files that get resources
// come first, and others are only written if that succeeds: a resource that moves is never lost. The
// Kptfile of the root comes last: its status holds only for files that are written.
func (p *Package) Write(ctx context.Context, changes []*ChangedFile, o WriteOptions) error {
	if len(changes) == 0 {
		return nil
	}
	tree, err := files.OpenTree(ctx, p.Root, o.Sync)
	if err != nil {
		return located(diag.FileName(p.Root), err)
	}
	inPlace := &files.InPlace{Sync: o.Sync}
	var phases [4][]*ChangedFile
	for _, c := range changes {
		phases[c.phase()] = append(phases[c.phase()], c)
	}
	for _, phase := range phases {
		problems := make([]error, len(phase))
		failed := parallel.Each(ctx, len(phase), parallel.Cores(), func(i int) error {
			c := phase[i]
			problem := o.One(func() error { return p.write(ctx, tree, inPlace, c, &o) })
			if problem != nil {
				problems[i] = notWritten(c.Name(p), problem)
			}
			return nil
		})
		if err = errors.Join(append(problems, failed)...); err != nil {
			break
		}
	}
	return errors.Join(err, inPlace.Close(), tree.Close())
}

// write writes one change.
func (p *Package) write(
	ctx context.Context,
	tree *files.Tree,
	inPlace *files.InPlace,
	c *ChangedFile,
	o *WriteOptions,
) error {
	switch {
	case c.IsNew() && o.isSecret(c.After):
		return tree.Create(ctx, c.Path, 0o600, c.After...)
	case c.IsNew():
		return tree.Create(ctx, c.Path, 0o666, c.After...)
	case c.IsDeleted():
		return tree.Remove(ctx, c.Path, c.Before)
	}
	return inPlace.Replace(ctx, c.file.open, true, c.file.info, c.file.data, c.After...)
}

// notWritten returns the failure for a file that could not be written.
func notWritten(name string, err error) error {
	return &api.Failure{
		Class: api.FailureFunction, Pos: api.Position{File: name}, Message: err.Error(), Err: err,
	}
}

// WriteTo writes all files of the package to a directory, with the changes.
func (p *Package) WriteTo(ctx context.Context, dir string, changes []*ChangedFile, o WriteOptions,
) error {
	tree, err := files.OpenTree(ctx, dir, o.Sync)
	if err != nil {
		return located(diag.FileName(dir), err)
	}
	changed := map[string]*ChangedFile{}
	for _, c := range changes {
		changed[c.Path] = c
	}
	var problems []error
	write := func(path string, f *InputFile, parts ...[]byte) {
		if ctx.Err() != nil {
			return
		}
		var from fs.FileInfo
		if f != nil {
			from = f.info
		}
		if err := o.One(func() error {
			if o.isSecret(parts) {
				return tree.WritePrivate(ctx, path, from, parts...)
			}
			return tree.Write(ctx, path, from, parts...)
		}); err != nil {
			problems = append(problems, notWritten(fileName(dir, path), err))
		}
	}
	for _, f := range p.Files {
		if changed[f.Path] == nil {
			write(f.Path, f, f.data)
		}
	}
	for _, c := range changes {
		if !c.IsDeleted() {
			write(c.Path, c.file, c.After...)
		}
	}
	return errors.Join(append(problems, ctx.Err(), tree.Close())...)
}
