package krm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
)

// fileName returns the name in messages of a file below root.
func fileName(root, path string) string {
	return diag.FileName(filepath.Join(root, filepath.FromSlash(path)))
}

// WriteOptions say how files are written.
type WriteOptions struct {
	Sync bool // sync files to disk
	// One calls a function that writes one file; nil calls it directly.
	One func(write func() error) error
}

// Write writes the changes to the files of the package. A file that another program changed since
// it was read is not written. The error joins the problems of all files.
func (p *Package) Write(ctx context.Context, changes []*Change, o WriteOptions) error {
	if len(changes) == 0 {
		return nil
	}
	tree, err := files.OpenTree(p.Root, o.Sync)
	if err != nil {
		return located(diag.FileName(p.Root), err)
	}
	inPlace := &files.InPlace{Sync: o.Sync}
	one := o.One
	if one == nil {
		one = func(write func() error) error { return write() }
	}
	problems := make([]error, len(changes))
	err = parallel(ctx, len(changes), func(i int) {
		c := changes[i]
		problems[i] = one(func() error {
			switch {
			case c.IsNew():
				return tree.Create(ctx, c.Path, c.After...)
			case c.IsDeleted():
				return p.remove(c)
			}
			return replace(ctx, inPlace, c)
		})
		if problems[i] != nil {
			problems[i] = notWritten(c.Name(p), problems[i])
		}
	})
	return errors.Join(append(problems, err, inPlace.Close(), tree.Close())...)
}

// notWritten returns the failure for a file that could not be written.
func notWritten(name string, err error) error {
	return &api.Failure{
		Class: api.FailureFunction, Pos: api.Position{File: name}, Message: err.Error(), Err: err,
	}
}

// replace replaces the content of a file.
func replace(ctx context.Context, in *files.InPlace, c *Change) error {
	target := in.Target(c.file.open, false)
	defer target.Release()
	for {
		fd, err := os.Open(c.file.open)
		if err != nil {
			return err
		}
		same, err := target.Hold(ctx, fd.Fd())
		_ = fd.Close()
		if err != nil {
			return err
		}
		if same {
			return target.Write(c.file.info, c.file.data, c.After...)
		}
	}
}

// remove deletes a file that is still what was read.
func (p *Package) remove(c *Change) error {
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // Remove returns the error
	name := filepath.FromSlash(c.Path)
	if data, err := root.ReadFile(name); err != nil {
		return err
	} else if !bytes.Equal(data, c.Before) {
		return files.ErrChanged
	}
	return root.Remove(name)
}

// WriteTo writes all files of the package to a directory, with the changes.
func (p *Package) WriteTo(ctx context.Context, dir string, changes []*Change, fsync bool) error {
	tree, err := files.OpenTree(dir, fsync)
	if err != nil {
		return located(diag.FileName(dir), err)
	}
	changed := map[string]*Change{}
	for _, c := range changes {
		changed[c.Path] = c
	}
	var problems []error
	write := func(path string, f *File, parts ...[]byte) {
		if err := ctx.Err(); err != nil {
			return
		}
		var err error
		if f != nil {
			err = tree.Write(ctx, path, f.info, parts...)
		} else {
			err = tree.Write(ctx, path, nil, parts...)
		}
		if err != nil {
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
