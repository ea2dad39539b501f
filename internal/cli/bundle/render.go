package bundle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/source"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// renderFlags are the flags of bundle render.
type renderFlags struct {
	input            inputFlags
	output           *command.Choice
	dir              string
	status, simulate bool
}

func newRender(a *command.App) *cobra.Command {
	o := &renderFlags{}
	cmd := &cobra.Command{
		Use:   "render [flags] BUNDLE...",
		Short: "Print the objects of Bundles as far as references have values",
		Long: `Print the objects that a controller would write now, in the order in which it
would, and on the error stream what is ready, in progress, blocked or failed.
BUNDLE is a file with Bundles, a directory, or -.

A resource is processed when all that it refers to is ready: observed, as it was
rendered, and ready by the rule for its kind. Objects keep the comments, the
order and the quotes that they have in the Bundle.

Without a cluster, everything that refers to others waits, and the status is 1.
--observed FILE has objects as a cluster has them: with
'kubectl get service web -o yaml > live.yaml' and --observed live.yaml, an object
that refers to that service is printed, too. --assume-ready NAME counts a resource
as ready, with the values of its definition: a reference to another value, such as
spec.clusterIP, needs an example or --observed.

-o json prints the report in place of the objects: of several Bundles, a list.
-O DIR writes one file per resource, and replaces only files with the same
object. --simulate prints the objects of all steps of a controller: values that only
a cluster has are the examples of references, or made up with the right type.

The exit status is 0 when everything is ready, 1 when a retry may do more, 2 for
an invalid Bundle, 3 for a file that cannot be read, 4 for a permanent error.`,
		Example: `  fctl bundle render bundle.yaml
  fctl bundle render bundle.yaml --observed observed/ --observed secret.yaml
  fctl bundle render bundle.yaml --observed kube: | kubectl apply -f -
  fctl bundle render bundle.yaml --assume-ready all
  fctl bundle render bundle.yaml --ready Database.example.com=status.phase=Running
  fctl bundle render bundle.yaml --allow-exec --plugin labels=./labels.sh`,
	}
	flags := cmd.Flags()
	o.output = command.AddOutput(flags, "yaml (objects) or json (the report)", "yaml", "json")
	flags.StringVarP(&o.dir, "output-dir", "O", "", "write each object to a file in `DIR`")
	flags.BoolVar(&o.status, "status", false, "print each Bundle with its status as well")
	flags.BoolVar(&o.simulate, "simulate", false, "print the objects of all steps of a controller")
	flags.BoolVar(&o.input.ownerRefs, "owner-refs", false,
		"add owner references; the Bundle must have been observed")
	flags.BoolVar(&o.input.annotations, "smith-annotations", false,
		"add the annotations with which Smith notices what others change")
	o.input.add(flags)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return render(cmd.Context(), a, cmd, o, words)
	}
	complete(a, cmd, false)
	return cmd
}

func render(ctx context.Context, a *command.App, cmd *cobra.Command, o *renderFlags, words []string,
) error {
	if o.simulate && (o.dir != "" || o.status || o.output.Value == "json") {
		return diag.Usage("--simulate prints the objects of all steps; it excludes -o, -O and --status")
	}
	if o.dir != "" && (o.status || o.output.Value == "json") {
		return diag.Usage("-O writes objects to files; it excludes -o and --status")
	}
	r, err := newRunner(a, cmd)
	if err != nil {
		return err
	}
	bundles, err := r.bundles(ctx, cmd, words, &o.input.in)
	if err != nil {
		return err
	}
	options, err := r.options(ctx, cmd, &o.input, bundles)
	if err != nil {
		return err
	}
	if o.simulate {
		return r.simulate(ctx, bundles, options)
	}
	results, err := processAll(ctx, bundles, options)
	if err != nil {
		return err
	}
	if err := r.hide(ctx, results); err != nil {
		return err
	}
	if err := r.emit(ctx, results, o); err != nil {
		return err
	}
	return r.outcome(results)
}

// emit prints or writes what was rendered, and the report.
func (r *runner) emit(ctx context.Context, results []*bundle.Result, o *renderFlags) error {
	if o.output.Value == "json" {
		reports := []bundle.Report{}
		for _, result := range results {
			reports = append(reports, result.Report())
		}
		if len(reports) == 1 {
			return r.app.WriteJSON(reports[0])
		}
		return r.app.WriteJSON(reports)
	}
	if o.dir != "" {
		if err := r.writeFiles(ctx, results, o.dir); err != nil {
			return err
		}
	} else {
		var texts []string
		for _, result := range results {
			for _, res := range result.Resources {
				if res.Rendered() {
					texts = append(texts, string(res.Bytes()))
				}
			}
			if o.status {
				text, err := result.WithStatus(r.app.Masked)
				if err != nil {
					return err
				}
				texts = append(texts, string(text))
			}
		}
		if err := r.app.Write([]byte(joined(texts))); err != nil {
			return err
		}
	}
	waits := false
	for _, result := range results {
		if err := r.talk(result.Text()); err != nil {
			return err
		}
		condition, _ := result.Condition()
		waits = waits || condition == smithv1.InProgress
	}
	if waits {
		r.notes(api.Note{Message: "objects that wait need the state of others: --observed FILE has " +
			"objects as a cluster has them, --assume-ready NAME counts one as ready"})
	}
	return nil
}

// writeFiles writes each object to the file DIR/RESOURCE.yaml, or DIR/BUNDLE/RESOURCE.yaml if there
// are several Bundles.
func (r *runner) writeFiles(ctx context.Context, results []*bundle.Result, dir string) error {
	tree, err := files.OpenTree(ctx, source.InDirectory(r.app.Dir, dir), false)
	if err != nil {
		return do.NotWritten(diag.FileName(dir), err)
	}
	defer tree.Close()   //nolint:errcheck // every write was checked
	r.app.Writes.Begin() // a signal does not end it within a file
	defer r.app.Writes.End()
	var problems diag.List
	for _, result := range results {
		for _, res := range result.Resources {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !res.Rendered() {
				continue
			}
			path := string(res.Resource.Name) + ".yaml"
			if len(results) > 1 {
				path = result.Bundle.Namespace + "." + result.Bundle.Name + "/" + path
			}
			err := replaceable(tree, path, res)
			if err == nil {
				err = r.app.Writes.Write(func() error {
					if r.isSecret(res.Bytes()) {
						return tree.WritePrivate(ctx, path, nil, res.Bytes())
					}
					return tree.Write(ctx, path, nil, res.Bytes())
				})
			}
			if err != nil {
				problems = append(problems, diag.Failures(
					do.NotWritten(diag.FileName(filepath.Join(dir, path)), err),
					api.FailureFunction)...)
			}
		}
	}
	return problems.Err()
}

// replaceable returns an error if a file that exists is not an earlier rendering of a resource: the
// same object and nothing else.
func replaceable(tree *files.Tree, path string, res *bundle.ResourceResult) error {
	text, err := tree.Content(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	was, is := header(text), header(res.Bytes())
	if was.Kind != is.Kind || was.Name != is.Name || was.Namespace != is.Namespace {
		return fmt.Errorf("the file exists and is not a rendering of the resource %s (%s %s)",
			res.Resource.Name, is.Kind, is.Name)
	}
	return nil
}

// header returns the header of a text with one document, an empty one for another text.
func header(text []byte) gaby.Header {
	doc, err := gaby.ParseYAML(text)
	if err != nil {
		return gaby.Header{}
	}
	h, _ := doc.Header() // of what is not a resource it is empty
	return h
}
