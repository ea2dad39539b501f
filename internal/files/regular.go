package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Opener opens files: an *os.Root, or the file system of the process.
type Opener interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
}

// ReadRegular reads a regular file that nobody vouches for. A named pipe, a device or a directory
// is an error, never a wait; so is a file of more than most bytes. admit decides on the file that
// was opened, because a path may change; it may be nil.
func ReadRegular(in Opener, name string, most int64, admit func(fs.FileInfo) error,
) ([]byte, error) {
	f, err := in.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err == nil {
		err = CheckRegular(info)
	}
	if err == nil && admit != nil {
		err = admit(info)
	}
	if err != nil {
		return nil, err
	}
	return ReadBounded(f, info.Size(), most)
}

// CheckLink returns an error if the file at a path below a directory is a symbolic link into .git,
// whose config may have a token.
func CheckLink(dir, rel string) error {
	at := filepath.Join(dir, filepath.FromSlash(rel))
	if info, err := os.Lstat(at); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil //nolint:nilerr // opening it reports the error
	}
	rel, err := filepath.Rel(RealPath(dir), Destination(at))
	if err == nil && HasGit(filepath.ToSlash(rel)) {
		return errors.New("a symbolic link leads into .git")
	}
	return nil
}

// CheckRegular returns an error if a file is not a regular one.
func CheckRegular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("a file is expected, not a directory")
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	return nil
}

// ReadBounded reads all of r, which is an error if that is more than most bytes. size is how many
// bytes to expect.
func ReadBounded(r io.Reader, size, most int64) ([]byte, error) {
	if size > most {
		return nil, tooLarge(most)
	}
	data := make([]byte, 0, size+1) // one more to see the end
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return data, err
		case int64(len(data)) > most:
			return nil, tooLarge(most)
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

func tooLarge(most int64) error {
	return fmt.Errorf("the file is larger than the limit of %d MiB", most>>20)
}
