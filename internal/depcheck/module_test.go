package depcheck_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/zip"
)

// source is the path of a file of the repository.
type source string

func (s source) Path() string                 { return string(s) }
func (s source) Lstat() (os.FileInfo, error)  { return os.Lstat(s.path()) }
func (s source) Open() (io.ReadCloser, error) { return os.Open(s.path()) }
func (s source) path() string                 { return filepath.Join("..", "..", string(s)) }

// TestTheModuleCanBeInstalled checks the names and sizes of the files as 'go install' does. A single
// wrong name anywhere, such as nul.yaml, which Windows does not have, makes every version useless.
func TestTheModuleCanBeInstalled(t *testing.T) {
	names, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard",
		"../..").Output()
	if err != nil {
		t.Skip("not checked: this is not a repository of git")
	}
	var files []zip.File
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		file := source(filepath.ToSlash(filepath.Join("internal", "depcheck", name)))
		if _, err := file.Lstat(); err == nil { // not deleted
			files = append(files, file)
		}
	}
	checked, err := zip.CheckFiles(files)
	if err != nil || len(checked.Valid) < 1000 {
		t.Errorf("%d files; %v", len(checked.Valid), err)
	}
}
