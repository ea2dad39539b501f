package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write writes a file that the user names. A file that exists is replaced as InPlace replaces one,
// whatever its content; a symbolic link is kept. A new one gets its directories; perm is its mode
// before the umask. A pipe, a device or /dev/stdout gets the content as it is.
func Write(ctx context.Context, path string, perm fs.FileMode, parts ...[]byte) error {
	if err := Check(ctx, path); err != nil {
		return err
	}
	for {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err = create(ctx, path, perm, parts); !errors.Is(err, fs.ErrExist) {
				return err
			}
			if _, gone := os.Stat(path); gone != nil {
				return errors.New("a symbolic link leads to a file that does not exist")
			}
		case err != nil:
			return WithoutPath(err)
		case info.IsDir():
			return errDirectory
		case !info.Mode().IsRegular() || isDescriptor(path):
			return stream(path, parts)
		default:
			var in InPlace
			_, err := in.hold(ctx, path, true, func(t *Target, f *os.File) error {
				if info, err = f.Stat(); err != nil {
					return WithoutPath(err)
				}
				return t.write(info, parts, nil)
			})
			return err
		}
	}
}

// isDescriptor reports whether a path names an open file of the process. Another file in its place
// would be missed by whoever opened it.
func isDescriptor(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return path == "/dev/stdout" || path == "/dev/stderr" ||
		strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/")
}

// stream adds the parts to an open file, a pipe or a device.
func stream(path string, parts [][]byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return WithoutPath(err)
	}
	err = Stdout{f}.Write(parts...)
	return errors.Join(err, WithoutPath(f.Close()))
}

// create makes a file. The error is fs.ErrExist if there is one.
func create(ctx context.Context, path string, perm fs.FileMode, parts [][]byte) error {
	tree, err := OpenTree(ctx, filepath.Dir(path), false)
	if err != nil {
		return err
	}
	defer tree.Close() //nolint:errcheck // nothing is synced
	return tree.Create(ctx, filepath.Base(path), perm, parts...)
}

// OpenRoot opens a directory, unless the Gate of ctx refuses it. It creates a missing one.
func OpenRoot(ctx context.Context, dir string) (*os.Root, error) {
	if err := Check(ctx, dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, WithoutPath(err)
	}
	root, err := os.OpenRoot(dir)
	return root, WithoutPath(err)
}

// MakePrivate makes a directory below root that only its owner can read.
func MakePrivate(root *os.Root, dir string) error {
	info, err := root.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return root.MkdirAll(dir, 0o700)
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("a directory is expected") // a link may lead to .git
	case info.Mode().Perm()&0o077 != 0 && IsTrusted(info):
		return root.Chmod(dir, 0o700) // an older version made it
	}
	return nil
}

// Move gives a file below root another name, like Replace only for the holder of a lock.
func Move(root *os.Root, from, to string) error { return root.Rename(from, to) }

// Remove deletes a file below root, like Replace only for the holder of a lock.
func Remove(root *os.Root, name string) error { return root.Remove(name) }

// Replace replaces the content of the file at a path, which was read: info and data describe it.
// link says that the path may be a symbolic link. Replace waits for other processes until ctx is
// cancelled. It returns the errors of Target.Write.
func (s *InPlace) Replace(ctx context.Context, path string, link bool, info fs.FileInfo,
	data []byte, parts ...[]byte,
) error {
	same, err := s.hold(ctx, path, link, func(t *Target, _ *os.File) error {
		return t.Write(info, data, parts...)
	})
	if errors.Is(err, fs.ErrNotExist) && !same {
		err = fmt.Errorf("%w: %w", ErrChanged, WithoutPath(err))
	}
	return err
}

// hold locks the file at a path and calls do with the open file. held says that it was called.
func (s *InPlace) hold(ctx context.Context, path string, link bool,
	do func(*Target, *os.File) error,
) (held bool, err error) {
	t := s.Target(path, link)
	defer t.Release()
	for {
		f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
		if err != nil {
			return false, WithoutPath(err)
		}
		same, err := t.Hold(ctx, f.Fd())
		if err == nil && same {
			err = do(t, f)
		}
		_ = f.Close() // nothing was written
		if err != nil || same {
			return same, err
		}
	}
}
