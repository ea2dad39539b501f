package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/source"
)

// copySkipped copies the files that were found and skipped to the output directory as they are, so
// that the directory is a complete copy. It does not copy symbolic links and what is not a file.
func (l *loop) copySkipped() {
	if l.tree == nil || l.ctx.Err() != nil {
		return
	}
	copied := 0
	taken := map[string]bool{}
	for _, f := range l.request.found.Files {
		taken[f.Rel] = true
	}
	for _, s := range l.request.found.Skipped {
		delete(taken, s.Rel) // a file that turned out not to be configuration is in both
	}
	for _, s := range l.request.found.Skipped {
		if s.Rel == "" || s.Reason == source.IsLink || s.Reason == source.NotRegular {
			continue
		}
		err := errTaken
		if !taken[s.Rel] {
			err = l.copyFile(s)
		}
		if taken[s.Rel] = true; err != nil {
			l.fail(diag.List{NotWritten(diag.FileName(s.Path), err)})
			continue
		}
		copied++
	}
	if copied > 0 {
		l.noteUnlessQuiet("", api.Note{Message: fmt.Sprintf("%s copied to %s as before",
			Count(copied, "other file"), diag.Printable(diag.FileName(l.options.OutputDir)))})
	}
}

var errTaken = errors.New("another file is written to the same path")

func (l *loop) copyFile(s source.Skipped) error {
	info, err := os.Lstat(s.Path)
	if err != nil {
		return err
	}
	reader := *l.request.reader
	reader.RegularOnly = true
	text, err := reader.Bytes(l.ctx, s.Path)
	if err != nil {
		return err
	}
	if err := l.tree.Write(l.ctx, s.Rel, info, text); err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Join(l.options.OutputDir, s.Rel), err)
	}
	return nil
}
