package fn

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/chain"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// NewKRM makes the command that is a KRM function itself.
func NewKRM(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "krm",
		Short: "Be a KRM function: a ResourceList in, a ResourceList out",
		Long: `Read a ResourceList on the standard input, run the functions that its
functionConfig names on the items, and write the ResourceList. This is how
kustomize, kpt and 'fctl fn' run fctl; in an image it is the only command that
is needed. The functionConfig has one of these forms:

` + chain.Forms + `

A ConfigMap may have data.chain, the text of a chain file, instead of
data.function. FunctionInvocations may have whereResource, which selects the
items, and context, with the names of --context.

What validations find becomes results. The status is 1 when one did not pass;
the ResourceList is written nevertheless. A ResourceList of the version v1alpha1
has no results: they are written to the standard error.

What others call the commands of 'fctl fn':

  kustomize fn run, config run DIR    fctl fn run DIR
  kustomize fn source, fn sink        fctl fn source, fctl fn sink
  kustomize config run wrap, xargs    fctl fn wrap, fctl fn xargs
  kpt fn eval DIR --image IMAGE       fctl fn eval DIR --image IMAGE
  kpt fn render DIR                   fctl fn render DIR
  kpt fn source, kpt fn sink          fctl fn source, fctl fn sink
  kpt fn doc IMAGE                    fctl fn doc IMAGE`,
		Example: `  fctl fn source apps | fctl krm
  kustomize build --enable-alpha-plugins --enable-exec`,
		Args: cobra.NoArgs,
	}
	addListStrictFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return beFunction(a, cmd)
	}
	return cmd
}

// beFunction runs fctl as a KRM function.
func beFunction(a *command.App, cmd *cobra.Command) error {
	ctx := cmd.Context()
	r, err := newRunner(a, cmd)
	if err != nil {
		return err
	}
	list, err := r.readList(ctx, cmd)
	if err != nil {
		return err
	}
	failed := chain.Function(r.executor, do.NewTypeNames(r.executor).Resolve)(ctx, list)
	if ctx.Err() != nil {
		return failed
	}
	return r.answer(list, failed)
}

// answer writes the list after a function. failed is the error of the function.
func (r *runner) answer(list *krm.ResourceList, failed error) error {
	r.maskResults(list.Results)
	failed = r.masked(failed)
	status := diag.ExitDone
	if failed != nil {
		status = diag.ExitNo
		if fnresult.Worst(list.Results) != fnresult.SeverityError {
			problems := diag.In(diag.Stdin, diag.Failures(failed, api.FailureFunction))
			status = diag.ExitStatus(problems, api.FailureUsage)
			for _, f := range problems {
				list.Results = append(list.Results,
					fnresult.Result{Message: f.Message, Severity: fnresult.SeverityError})
			}
			r.app.Console().Problems(problems)
		}
	}
	if status == diag.ExitNo || list.Version == krm.V1Alpha1 {
		for i := range list.Results {
			line := list.Results[i].String()
			if at := list.Results[i].Location(); at != "" {
				line = at + ": " + line
			}
			if _, err := fmt.Fprintln(r.app.Streams.ErrOut, line); err != nil {
				return err
			}
		}
	}
	text, err := list.Bytes()
	if err == nil {
		err = r.app.Write(text)
	}
	if err != nil {
		return errors.Join(failed, err)
	}
	if status != diag.ExitDone {
		return diag.ExitError(status)
	}
	return nil
}
