package functionconfig

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/out"
)

// listFlags are the flags of functionconfig list.
type listFlags struct {
	output    *command.Choice
	functions []string
	allowExec *command.Choice
}

func newList(a *command.App) *cobra.Command {
	o := &listFlags{}
	cmd := &cobra.Command{
		Use:   "list [flags] PATH...",
		Short: "List the images of FunctionConfigs",
		Long: `Print one row for each image that the FunctionConfigs in files and directories,
on the standard input (-) or in a cluster (kube:[NAMESPACE]) name: the
repositories, the tags of each executor, and whether the executor could start
the function here. Nothing is run. A pod needs a cluster, or runs as a
container.`,
		Example: `  fctl functionconfig list functionconfigs/
  fctl functionconfig list --allow-exec --functions /usr/lib/functions configs.yaml`,
	}
	flags := cmd.Flags()
	o.output = command.AddOutput(flags, "text or json", "text", "json")
	o.allowExec = AddAllowExec(flags)
	AddFunctions(flags, &o.functions)
	cmd.RunE = func(cmd *cobra.Command, words []string) error { return list(a, cmd, o, words) }
	return cmd
}

// row is an image in the output.
type row struct {
	Image    string    `json:"image"`
	Name     string    `json:"name"`
	Prefixes []string  `json:"prefixes"`
	Go       *executor `json:"go,omitempty"`
	Binary   *executor `json:"binary,omitempty"`
	Pod      *executor `json:"pod,omitempty"`
}

// executor is one executor of an image. Problem says why it cannot start here.
type executor struct {
	Tags    []string `json:"tags"`
	Uses    string   `json:"uses,omitempty"`
	Problem string   `json:"problem,omitempty"`
}

func list(a *command.App, cmd *cobra.Command, o *listFlags, words []string) error {
	s, set, problems, err := read(a, cmd, words, nil)
	if err != nil {
		return err
	}
	programs, err := Programs(a, o.functions, s.AllowExec, nil)
	if err != nil {
		return err
	}
	if err := Report(a, s, problems); err != nil {
		return err
	}
	rows := []row{}
	for _, c := range set.Configs() {
		rows = append(rows, rowOf(c, &programs))
	}
	if o.output.Value == "json" {
		return a.WriteJSON(rows)
	}
	return a.WriteText(table(rows))
}

// rowOf describes a config.
func rowOf(c *functionconfig.Config, programs *functionconfig.Programs) row {
	r := row{Image: c.Image, Name: c.Name, Prefixes: c.Prefixes}
	if c.Go != nil {
		r.Go = &executor{Tags: texts(c.Go.Tags), Uses: c.Go.ID}
		if _, ok := catalog.Find(c.Go.ID, ""); !ok {
			r.Go.Problem = fmt.Sprintf("id %q not built in", c.Go.ID)
		}
	}
	if c.Binary != nil {
		r.Binary = &executor{Tags: texts(c.Binary.Tags), Uses: c.Binary.RelPath + c.Binary.AbsPath}
		program, err := programs.Open(functionconfig.Candidate{
			Kind: functionconfig.KindBinary, Config: c,
		})
		if err != nil {
			r.Binary.Problem = err.Error()
		} else {
			_ = program.File.Close()
		}
	}
	if c.Pod != nil {
		r.Pod = &executor{Tags: texts(c.Pod.Tags)}
	}
	return r
}

func texts(tags []functionconfig.Tag) []string {
	all := make([]string, len(tags))
	for i := range tags {
		all[i] = tags[i].Text
	}
	return all
}

// table prints rows for people.
func table(rows []row) string {
	table := out.Table{Head: []string{"IMAGE", "REPOSITORIES", "GO", "BINARY", "POD"}}
	for _, r := range rows {
		prefixes := make([]string, len(r.Prefixes))
		for i, p := range r.Prefixes {
			if prefixes[i] = p; p == "" {
				prefixes[i] = "(default)"
			}
		}
		table.Rows = append(table.Rows, []string{
			r.Image, strings.Join(prefixes, ","), r.Go.cell(), r.Binary.cell(), r.Pod.cell(),
		})
	}
	var b strings.Builder
	b.WriteString(table.String())
	for _, r := range rows {
		for _, e := range []struct {
			name string
			*executor
		}{{"go", r.Go}, {"binary", r.Binary}} {
			if e.executor != nil && e.Problem != "" {
				fmt.Fprintf(&b, "%s: %s: %s\n", r.Image, e.name, e.Problem)
			}
		}
	}
	return b.String()
}

// cell returns the tags, with a mark if the executor cannot start.
func (e *executor) cell() string {
	if e == nil {
		return "-"
	}
	tags := strings.Join(e.Tags, ",")
	if tags == "" {
		tags = "*"
	}
	if e.Problem != "" {
		tags += " (no)"
	}
	return tags
}
