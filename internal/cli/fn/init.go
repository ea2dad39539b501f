package fn

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/krm/scaffold"
	"github.com/fctl-dev/fctl/internal/source"
)

func newInit(a *command.App) *cobra.Command {
	language := ""
	cmd := &cobra.Command{
		Use:   "init NAME --lang go|sh|python",
		Short: "Make the directory of a new function",
		Long: `Make the directory NAME with a function of this name: the program, a Dockerfile,
a golden test for 'fctl fn test', and function.yaml, which declares the function
for 'fctl fn run'. The program works at once; change it to what you need.`,
		Example: `  fctl fn init set-owner --lang python
  fctl fn test set-owner --allow-exec --exec set-owner/set-owner.py`,
	}
	cmd.Flags().StringVar(&language, "lang", "", "write the program in `LANGUAGE`: go, sh, python")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if err := command.Words(1, 1)(cmd, words); err != nil {
			return err
		}
		if _, err := a.Settings(cmd.Flags()); err != nil { // they limit writing
			return err
		}
		return makeFunction(cmd.Context(), a, words[0], language)
	}
	return cmd
}

// makeFunction makes the directory of a function and prints what to do next.
func makeFunction(ctx context.Context, a *command.App, name, language string) error {
	dir := source.InDirectory(a.Dir, name)
	a.Writes.Begin()
	defer a.Writes.End()
	files, err := scaffold.Write(ctx, dir, filepath.Base(name), language)
	if err != nil {
		return do.NotWritten(diag.FileName(dir), err)
	}
	var b strings.Builder
	for _, file := range files {
		fmt.Fprintln(&b, file)
	}
	if err := a.Write([]byte(b.String())); err != nil {
		return err
	}
	program := filepath.Join(dir, scaffold.Program(language, filepath.Base(name)))
	next := fmt.Sprintf("next: fctl fn test %s --allow-exec --exec %s\n", dir, program)
	if language == "go" {
		next = fmt.Sprintf("next: cd %s && go mod tidy && go build && fctl fn test . --allow-exec "+
			"--exec ./%s\n", dir, filepath.Base(name))
	}
	_, err = a.Streams.ErrOut.Write([]byte(next))
	return err
}
