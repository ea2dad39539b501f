package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/plan"
)

func (a *App) newDoseq() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doseq [flags] {FILE UNIT | -f PATH...} INVOCATIONS",
		Short: "Run a list of function invocations on files",
		Long: `Run the functions of a list of invocations, in YAML or JSON, on the
configuration in FILE. INVOCATIONS is the list itself, file:PATH, or "-" for
the standard input. With -f there can be several files:

  - function: set-replicas
    arguments: {replicas: 5}
    where: ConfigHub.ResourceType = 'apps/v1/Deployment'

"fctl help chains" has more about such lists.`,
		Example: `  fctl doseq deployment.yaml MyUnit file:chain.yaml
  fctl doseq deployment.yaml MyUnit '[{function: get-replicas}]'
  fctl doseq -f apps/ -R -i file:chain.yaml`,
	}
	addRunFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return a.doseq(cmd.Context(), cmd, words)
	}
	cmd.ValidArgsFunction = a.completeDoseq
	return cmd
}

// listLast puts a list in YAML, which begins with a dash, behind a --, where it is taken for no flag.
func listLast(args []string) []string {
	i := slices.IndexFunc(args, func(word string) bool {
		return word == "--" || strings.HasPrefix(word, "- ") || strings.HasPrefix(word, "-\n")
	})
	if i < 0 || args[i] == "--" {
		return args
	}
	return slices.Concat(args[:i], args[i+1:], []string{"--", args[i]})
}

func (a *App) doseq(ctx context.Context, cmd *cobra.Command, words []string) error {
	t := target{}
	t.paths, _ = cmd.Flags().GetStringArray("filename")
	switch {
	case len(t.paths) > 0 && len(words) == 1:
		t.words = words
	case len(t.paths) > 0:
		return diag.UsageHint("fctl doseq -f PATH INVOCATIONS, as in: fctl doseq -f apps/ file:chain.yaml",
			"with -f, INVOCATIONS alone is expected, got %d words", len(words))
	case len(words) != 3:
		return diag.UsageHint("fctl doseq FILE UNIT INVOCATIONS, as in: fctl doseq deployment.yaml MyUnit file:chain.yaml",
			"FILE, UNIT and INVOCATIONS are expected, got %d words", len(words))
	default:
		t.file, t.unit, t.words = words[0], words[1], words[2:]
		if problem := plan.CheckUnitName(t.unit); problem != nil {
			return problem
		}
	}
	j, err := a.newJob(ctx, cmd, t)
	if err != nil {
		return err
	}
	plans, err := j.plan(ctx, func(walk *plan.Walk, _ bool) (*plan.Plan, error) { return j.invocations(ctx, walk, t.words[0]) })
	if err != nil {
		return err
	}
	return j.run(ctx, plans)
}

// invocations reads the list from where the word says.
func (j *job) invocations(ctx context.Context, walk *plan.Walk, word string) (*plan.Plan, error) {
	path, isFile := plan.FilePath(word)
	switch {
	case word == "-":
		path = "-"
	case !isFile:
		chain, err := walk.Invocations(plan.Text{Bytes: []byte(word), Name: "INVOCATIONS"})
		if err != nil && !strings.ContainsAny(word, "[{\n ") {
			return nil, diag.UsageHint("file:"+word+" is the list in that file", "INVOCATIONS: %q is no list of invocations", word)
		}
		return chain, err
	}
	return j.chainFile(ctx, walk, path)
}

// chainFile reads a chain from a file, or from "-".
func (j *job) chainFile(ctx context.Context, walk *plan.Walk, path string) (*plan.Plan, error) {
	text, err := j.bytes(ctx, path)
	if err != nil {
		return nil, err
	}
	return walk.Invocations(plan.Text{Bytes: text, Name: diag.FileName(j.inDir(path)), Dir: filepath.Dir(path)})
}
