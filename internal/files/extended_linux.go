package files

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// keepExtended gives a new file the extended attributes of the file at path, including access
// control lists. It removes those that the new file has inherited from its directory and the file
// at path does not have.
func keepExtended(fd int, path string) error {
	wanted, err := extended(func(b []byte) (int, error) { return unix.Llistxattr(path, b) })
	if err != nil {
		return nil //nolint:nilerr // not supported, or a change that is detected later
	}
	own, err := extended(func(b []byte) (int, error) { return unix.Flistxattr(fd, b) })
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	for _, name := range own {
		if !slices.Contains(wanted, name) {
			if err := unix.Fremovexattr(fd, name); err != nil {
				return fmt.Errorf("its extended attribute %s cannot be removed: %w", name, err)
			}
		}
	}
	for _, name := range wanted {
		value, err := attribute(func(b []byte) (int, error) {
			return unix.Lgetxattr(path, name, b)
		})
		if err == nil {
			if old, err := attribute(func(b []byte) (int, error) {
				return unix.Fgetxattr(fd, name, b)
			}); err == nil && bytes.Equal(old, value) {
				continue
			}
			err = unix.Fsetxattr(fd, name, value, 0)
		}
		if err != nil {
			return fmt.Errorf("its extended attribute %s cannot be kept: %w", name, err)
		}
	}
	return nil
}

// extended returns the names of the attributes to keep. Those of the system, security.*, belong to
// the individual file.
func extended(list func([]byte) (int, error)) ([]string, error) {
	names, err := attribute(list)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	all := strings.Split(strings.TrimSuffix(string(names), "\x00"), "\x00")
	return slices.DeleteFunc(all, func(name string) bool {
		return strings.HasPrefix(name, "security.")
	}), nil
}

// attribute calls read with a buffer of the size that read returned for nil.
func attribute(read func([]byte) (int, error)) ([]byte, error) {
	n, err := read(nil)
	for n > 0 && err == nil {
		value := make([]byte, n)
		if n, err = read(value); err == nil {
			return value[:n], nil
		}
		if errors.Is(err, unix.ERANGE) { // it grew meanwhile
			n, err = read(nil)
		}
	}
	return nil, err
}
