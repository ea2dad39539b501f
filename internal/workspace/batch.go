package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
)

// manyFiles is the number of changes from which on the files of a transaction are written in
// batches: all temporary files, one sync of the file system, and all renames. A sync for each file
// takes most of the time otherwise.
const manyFiles = 256

// finishMany makes the many changes of a journal, which are sorted by phase.
func (s *Store) finishMany(ops []operation) error {
	if err := s.writeFolders(byFolder(ops)); err != nil {
		return err
	}
	if err := s.syncAll(); err != nil {
		return s.failed(privateDir, err)
	}
	for from := 0; from < len(ops); {
		to := from
		for to < len(ops) && ops[to].Phase == ops[from].Phase {
			to++
		}
		if err := s.finishPhase(ops[from:to]); err != nil {
			return err
		}
		from = to
	}
	return s.failed(privateDir, s.syncAll())
}

// byFolder returns the files to replace, by folder, and the folders in order.
func byFolder(ops []operation) (dirs []string, folders map[string][]operation) {
	folders = map[string][]operation{}
	for _, o := range ops {
		if !o.Delete && !o.Append {
			dir := path.Dir(o.Path)
			folders[dir] = append(folders[dir], o)
		}
	}
	return slices.Sorted(maps.Keys(folders)), folders
}

// finishPhase makes the changes of one phase, whose temporary files are there.
func (s *Store) finishPhase(ops []operation) error {
	if err := s.renameFolders(byFolder(ops)); err != nil {
		return err
	}
	return parallel(len(ops), s.writers(), func(i int) error {
		switch o := ops[i]; {
		case o.Append:
			return s.failed(o.Path, s.appendAt(o, false))
		case o.Delete:
			return s.failed(o.Path, s.do(o))
		}
		return nil
	})
}

// ignoreMissing drops the error about a file that does not exist.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// writeFolders writes the temporary files of folders.
func (s *Store) writeFolders(dirs []string, folders map[string][]operation) error {
	return parallel(len(dirs), s.writers(), func(i int) error {
		dir := dirs[i]
		if err := s.root.MkdirAll(dir, 0o777); err != nil {
			return s.failed(dir, err)
		}
		root, err := s.root.OpenRoot(dir)
		if err != nil {
			return s.failed(dir, err)
		}
		defer root.Close() //nolint:errcheck // nothing is written through it
		for _, o := range folders[dir] {
			if wanted, err := s.wanted(o); err != nil || !wanted {
				if err != nil {
					return err
				}
				continue
			}
			s.step("create " + o.Path)
			f, err := root.OpenFile(temporaryName(o.Path), os.O_CREATE|os.O_WRONLY|os.O_TRUNC,
				0o666)
			if err == nil {
				_, err = f.Write(o.Data)
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				return s.failed(o.Path, err)
			}
		}
		return nil
	})
}

// renameFolders gives the temporary files of folders their names.
func (s *Store) renameFolders(dirs []string, folders map[string][]operation) error {
	return parallel(len(dirs), s.writers(), func(i int) error {
		dir := dirs[i]
		root, err := s.root.OpenRoot(dir)
		if err != nil {
			return s.failed(dir, err)
		}
		defer root.Close() //nolint:errcheck // renaming is done
		for _, o := range folders[dir] {
			if wanted, err := s.wanted(o); err != nil || !wanted {
				if err = cmp.Or(err,
					ignoreMissing(root.Remove(temporaryName(o.Path)))); err != nil {
					return s.failed(o.Path, err)
				}
				continue
			}
			s.step("rename " + o.Path)
			if err := root.Rename(temporaryName(o.Path), path.Base(o.Path)); err != nil {
				return s.failed(o.Path, err)
			}
		}
		return nil
	})
}

// wanted reports whether a file is to be replaced: not if it was edited since, or is done already.
func (s *Store) wanted(o operation) (bool, error) {
	if !o.Guarded {
		return true, nil
	}
	now, err := s.hashOf(o.Path)
	return now == o.Before, err
}

// temporaryName returns the name of the temporary file for a file, in its folder. It is always the
// same, so that the file of a killed process is overwritten.
func temporaryName(name string) string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(name)) // a hash never fails
	return fmt.Sprintf(".fctl-%016x.tmp", sum.Sum64())
}
