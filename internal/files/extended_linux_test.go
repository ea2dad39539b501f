package files_test

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fctl-dev/fctl/internal/files"
)

const (
	accessList  = "system.posix_acl_access"
	defaultList = "system.posix_acl_default"
)

// accessControl returns an access control list that lets user 12345 write, in the system's binary
// form.
func accessControl() []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, permissions uint16
		who              uint32
	}{
		{0x01, 6, 1<<32 - 1},
		{0x02, 6, 12345},
		{0x04, 4, 1<<32 - 1},
		{0x10, 6, 1<<32 - 1},
		{0x20, 0, 1<<32 - 1},
	} {
		b = binary.LittleEndian.AppendUint16(b, e.tag)
		b = binary.LittleEndian.AppendUint16(b, e.permissions)
		b = binary.LittleEndian.AppendUint32(b, e.who)
	}
	return b
}

func set(t *testing.T, path, name string, value []byte) {
	t.Helper()
	if err := unix.Setxattr(path, name, value, 0); errors.Is(err, unix.ENOTSUP) {
		t.Skip("the file system has no extended attributes")
	} else if err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path, name string) string {
	t.Helper()
	value := make([]byte, 100)
	n, err := unix.Getxattr(path, name, value)
	if errors.Is(err, unix.ENODATA) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(value[:n])
}

func TestInPlaceKeepsExtendedAttributes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	create(t, path)
	set(t, path, "user.origin", []byte("there"))
	set(t, path, "user.empty", nil)
	set(t, path, accessList, accessControl())
	before := read(t, &files.InPlace{}, path, false)
	if err := before.write([]byte(young)); err != nil {
		t.Fatal(err)
	}
	after := read(t, &files.InPlace{}, path, false)
	if get(t, path, "user.origin") != "there" ||
		get(t, path, accessList) != string(accessControl()) || string(after.data) != young ||
		after.info.Mode() != before.info.Mode() {
		t.Errorf("origin %q, access %q, mode %v instead of %v", get(t, path, "user.origin"),
			get(t, path, accessList), after.info.Mode(), before.info.Mode())
	}
}

// TestInPlaceInheritsNothing checks that a default access control list of the directory does not
// change who may read a file.
func TestInPlaceInheritsNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	create(t, path)
	set(t, dir, defaultList, accessControl())
	before := read(t, &files.InPlace{}, path, false)
	if err := before.write([]byte(young)); err != nil {
		t.Fatal(err)
	}
	if after := read(t, &files.InPlace{}, path, false); get(t, path, accessList) != "" ||
		after.info.Mode() != before.info.Mode() {
		t.Errorf("access %q, mode %v instead of %v", get(t, path, accessList), after.info.Mode(),
			before.info.Mode())
	}
}
