package cli

import (
	"context"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/merge/treemerge"
	"github.com/fctl-dev/fctl/internal/merge/treewrite"
)

// write writes the result: all files to the directory of -O, or the changes to OURS.
func (m *treeMerging) write(ctx context.Context) error {
	files := func(i int) func(string) treewrite.SideFile {
		return func(path string) treewrite.SideFile {
			unit := m.trees[i][path].unit
			return treewrite.SideFile{Info: unit.Info, Data: unit.Data, Toolchain: unit.Toolchain}
		}
	}
	w := treewrite.Writer{
		Dir: m.target(), InPlace: m.flags.outputDir == "", Result: m.result,
		Ours: files(inOurs), Theirs: files(inTheirs), Once: m.app.Writes.Write,
		Secret: func(f *treemerge.MergedFile, was treewrite.SideFile) bool {
			return m.set.executor.Sensitive(was.Toolchain, [][]byte{f.Text}) != nil
		},
	}
	m.app.Writes.Begin()
	defer m.app.Writes.End()
	failed, err := w.Write(ctx)
	if err != nil {
		return diag.List{do.NotWritten(diag.FileName(m.target()), err)}
	}
	var problems diag.List
	for _, p := range failed {
		problems = append(problems, do.NotWritten(diag.FileName(p.Path), p.Err))
	}
	return problems.Err()
}
