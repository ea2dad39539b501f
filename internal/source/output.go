package source

import (
	"context"
	"io/fs"
	"os"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// CheckOutput returns an error if a file, or "-", is also the file that the output goes to. Callers
// that print before they have read all files call it first for each of them.
func (r *Reader) CheckOutput(path string) error {
	if r.Out == nil {
		return nil
	}
	info, err := os.Stat(path)
	if in, ok := r.In.(*os.File); ok && path == "-" {
		info, err = in.Stat()
	}
	if err != nil {
		return nil //nolint:nilerr // reading the file reports the error
	}
	return r.checkOutput(path, info)
}

// checkOutput is CheckOutput for a file with this information.
func (r *Reader) checkOutput(path string, info fs.FileInfo) error {
	if r.Out == nil || !os.SameFile(r.Out, info) {
		return nil
	}
	f := diag.UsageHint("write to another file, or change the file in place with -i",
		"the output would be written to this file, which is also read")
	if info.Size() == 0 {
		f = diag.UsageHint("restore the file; to change a file in place, use -i instead of >",
			"the output is written to this file, and the shell emptied it before fctl read it")
	}
	f.Pos = api.Position{File: diag.FileName(path)}
	return f
}

// readStdin reads the standard input.
func (r *Reader) readStdin(ctx context.Context, text bool) ([]byte, error) {
	if err := r.CheckOutput("-"); err != nil {
		return nil, err
	}
	size, device := stdinSize(r.In)
	return Interruptible(ctx, func() ([]byte, error) {
		return r.limit().readAll(r.In, size, text || device)
	})
}
