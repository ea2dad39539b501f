// Package exampletest runs programs for the tests of the examples.
//
// Layer: programs.
package exampletest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"testing"
)

// Run runs a command and returns its output and its exit status.
func Run(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, status int) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status, err = exit.ExitCode(), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), status
}

// Read returns the contents of a file.
func Read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
