package fn

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/source"
)

// ioFiles returns what each function got and gave, as the texts of files.
func ioFiles(results []*krm.StepResult) map[string][]byte {
	texts := map[string][]byte{}
	for i, r := range results {
		if r.In == nil && r.Out == nil {
			continue
		}
		texts[fmt.Sprintf("%02d-in.yaml", i+1)] = r.In
		texts[fmt.Sprintf("%02d-out.yaml", i+1)] = r.Out
		texts[fmt.Sprintf("%02d-err.txt", i+1)] = []byte(r.Stderr)
	}
	return texts
}

// writeTexts writes files to a directory, which is created if it does not exist. What functions got,
// gave and said may be secret.
func (r *runner) writeTexts(ctx context.Context, dir string, texts map[string][]byte) error {
	dir = source.InDirectory(r.app.Dir, dir)
	tree, err := files.OpenTree(ctx, dir, false)
	if err != nil {
		return do.NotWritten(diag.FileName(dir), err)
	}
	defer tree.Close() //nolint:errcheck // nothing is synced
	for name, text := range texts {
		if err := r.app.Writes.Write(func() error {
			return tree.WritePrivate(ctx, name, nil, text)
		}); err != nil {
			return do.NotWritten(diag.FileName(filepath.Join(dir, name)), err)
		}
	}
	return nil
}
