// Package quiet drops a line that go.starlark.net logs where it cannot reserve 4 GB of addresses,
// as below ulimit -v. The line is about the speed of integers, and users can do nothing about it.
//
// The library logs while it is initialized. Go initializes packages in the order of their import
// paths, each as soon as its imports are. So this package comes before go.starlark.net as long as
// it imports nothing that go.starlark.net does not import.
//
// Layer: base.
package quiet

import (
	"bytes"
	"io"
	"log"
)

// line is how the line begins, after the time.
const line = "Starlark failed to allocate 4GB address space"

// logFilter is the output of the standard logger without the line.
type logFilter struct{ io.Writer }

//nolint:gochecknoglobals // the standard logger is global; made before the library logs
var installed = install()

func install() *logFilter {
	f := &logFilter{log.Writer()}
	log.SetOutput(f)
	return f
}

// Write implements [io.Writer].
func (f *logFilter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(line)) {
		return len(p), nil
	}
	return f.Writer.Write(p)
}

// End gives the standard logger its output back, unless it has another one by now. Packages that
// import go.starlark.net call it when they are initialized.
func End() struct{} {
	if log.Writer() == io.Writer(installed) {
		log.SetOutput(installed.Writer)
	}
	return struct{}{}
}
