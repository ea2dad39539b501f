package bundle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

func newValidate(a *command.App) *cobra.Command {
	in := &bundleFiles{}
	o := &pluginFlags{}
	cmd := &cobra.Command{
		Use:   "validate [flags] BUNDLE...",
		Short: "Check Bundles without observed objects",
		Long: `Check Bundles before anything runs: their structure, every object with the schema
of its type, and every reference at both ends. The path must exist in the type of
the object that it reads, and the value must fit the field that it goes to.
Schemas are those of Kubernetes, of operators, of CustomResourceDefinitions in
the Bundles and of --schema. Plugins must exist, and their specs fit their
schemas.

A value that only a cluster has counts with its type, or with the example of the
reference; -v lists these values. All problems are reported, with their
positions.`,
		Example: `  fctl bundle validate bundle.yaml
  fctl bundle validate -R apps --report sarif`,
	}
	in.add(cmd.Flags())
	addSchemas(cmd.Flags())
	cmd.Flags().String("kubernetes-version", "",
		"`RELEASE` of Kubernetes whose schemas are used, such as 1.35")
	rules := addRules(cmd.Flags())
	o.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		r, plugins, err := withPlugins(cmd.Context(), a, cmd, o)
		if err != nil {
			return err
		}
		bundles, err := r.bundles(cmd.Context(), cmd, words, in)
		problems := diag.List{}
		if err != nil {
			problems = diag.Failures(err, api.FailureUsage)
		}
		options := &bundle.Options{Plugins: plugins, SmithRules: rules.Value == smithRules}
		if err := r.know(cmd.Context(), options, bundles); err != nil {
			return err
		}
		if options.Schemas, err = r.schemas(cmd.Context()); err != nil {
			return err
		}
		for _, b := range bundles {
			if err := r.hideTexts(cmd.Context(), b.Secrets()); err != nil {
				return err
			}
			notes, err := bundle.Validate(cmd.Context(), b, options, r.settings.Verbose)
			if err != nil {
				problems = append(problems, diag.Failures(err, api.FailureUsage)...)
			}
			r.notes(notes...)
			r.notes(b.Unready(options)...)
		}
		if err := bundle.Distinct(bundles, options); err != nil {
			problems = append(problems, diag.Failures(err, api.FailureUsage)...)
		}
		if len(problems) == 0 {
			resources := 0
			for _, b := range bundles {
				resources += len(b.Resources)
			}
			a.Note(r.settings, diag.Count(len(bundles), "Bundle")+" with "+
				diag.Count(resources, "resource")+": no problem")
		}
		problems.Sort()
		return once(problems).Err()
	}
	a.Reports(cmd, command.AddReport(cmd.Flags()), "bundle-validate")
	complete(a, cmd, false)
	return cmd
}

// once returns problems without repetitions: reading a Bundle and checking its objects find some of
// the same.
func once(problems diag.List) diag.List {
	type problem struct {
		at      api.Position
		message string
	}
	seen := map[problem]bool{}
	return slices.DeleteFunc(problems, func(f *api.Failure) bool {
		this := problem{f.Pos, f.Message}
		was := seen[this]
		seen[this] = true
		return was
	})
}

func newGraph(a *command.App) *cobra.Command {
	in := &bundleFiles{}
	cmd := &cobra.Command{
		Use:   "graph [flags] BUNDLE...",
		Short: "Print which resources of a Bundle refer to which",
		Long: `Print the resources of Bundles in the order in which they are processed, each with
the resources that it refers to. The text of several Bundles has the namespace and
name of each. -o dot is for Graphviz, -o mermaid for pages in Markdown.`,
		Example: `  fctl bundle graph bundle.yaml
  fctl bundle graph bundle.yaml -o dot | dot -Tsvg > bundle.svg`,
	}
	in.add(cmd.Flags())
	output := command.AddOutput(cmd.Flags(), strings.Join(bundle.GraphFormats(), ", "),
		bundle.GraphFormats()...)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		r, err := newRunner(a, cmd)
		if err != nil {
			return err
		}
		if _, err := r.builtIn(cmd.Context(), 0); err != nil {
			return err
		}
		bundles, err := r.bundles(cmd.Context(), cmd, words, in)
		if err != nil {
			return err
		}
		var s strings.Builder
		for i, b := range bundles {
			if output.Value == "text" && len(bundles) > 1 {
				if i > 0 {
					s.WriteString("\n")
				}
				fmt.Fprintf(&s, "%s/%s:\n", b.Namespace, b.Name)
			}
			s.WriteString(b.Graph(output.Value))
		}
		if output.Value == "text" {
			return r.app.WriteText(s.String())
		}
		return r.app.Write([]byte(s.String()))
	}
	complete(a, cmd, false)
	return cmd
}

// processed reads and processes Bundles for a command that only shows something about them.
func (r *runner) processed(ctx context.Context, cmd *cobra.Command, o *inputFlags, words []string,
) ([]*bundle.Result, error) {
	bundles, err := r.bundles(ctx, cmd, words, &o.in)
	if err != nil {
		return nil, err
	}
	options, err := r.options(ctx, cmd, o, bundles)
	if err != nil {
		return nil, err
	}
	return processAll(ctx, bundles, options)
}

// deletion is an object to delete as JSON has it: with its Bundle and where it was observed.
type deletion struct {
	Bundle    string `json:"bundle"`
	Namespace string `json:"namespace"`
	smithv1.ObjectToDelete
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
}

func newToDelete(a *command.App) *cobra.Command {
	o := &inputFlags{}
	cmd := &cobra.Command{
		Use:   "to-delete [flags] BUNDLE...",
		Short: "List objects that a Bundle controls and no longer declares",
		Long: `List the observed objects that have an owner reference to the Bundle as their
controller and that no resource of the Bundle makes. A controller deletes them
once the Bundle is ready. -o json has the Bundle and the file of each.

--observed kube: only asks for the kinds that the Bundle has.`,
		Example: `  fctl bundle to-delete bundle.yaml --observed observed/`,
	}
	output := command.AddOutput(cmd.Flags(), "text or json", "text", "json")
	o.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		r, err := newRunner(a, cmd)
		if err != nil {
			return err
		}
		results, err := r.processed(cmd.Context(), cmd, o, words)
		if err != nil {
			return err
		}
		if output.Value == "json" {
			list := []deletion{}
			for _, result := range results {
				for i, object := range result.Status().ObjectsToDelete {
					pos := result.ToDelete[i].Position()
					list = append(list, deletion{
						Bundle: result.Bundle.Name, Namespace: result.ToDelete[i].Namespace,
						ObjectToDelete: object, File: pos.File, Line: pos.Line,
					})
				}
			}
			return r.app.WriteJSON(list)
		}
		var s strings.Builder
		for _, result := range results {
			for _, object := range result.ToDelete {
				fmt.Fprintf(&s, "%s: %s", object.Position(), object.Key)
				if len(results) > 1 {
					fmt.Fprintf(&s, " (Bundle %s)", result.Bundle.Name)
				}
				s.WriteString("\n")
			}
		}
		return r.app.WriteText(s.String())
	}
	complete(a, cmd, false)
	return cmd
}

func newExplain(a *command.App) *cobra.Command {
	o := &inputFlags{}
	var show bool
	cmd := &cobra.Command{
		Use:   "explain [flags] BUNDLE [RESOURCE]",
		Short: "Print where each value of an object comes from",
		Long: `Print each value of the object of RESOURCE and where it comes from: the file, or a
reference with the object and the path that it reads. Without RESOURCE print all
resources. For a resource that is not rendered yet, the references are those that
will be read.`,
		Example: `  fctl bundle explain bundle.yaml binding --observed observed/`,
	}
	command.AddShowSecrets(cmd.Flags(), &show)
	o.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		of := 1 // the words that name Bundles
		if len(o.in.files) > 0 {
			of = 0
		}
		if err := command.Words(of, of+1)(cmd, words); err != nil {
			return err
		}
		r, err := newRunner(a, cmd)
		if err != nil {
			return err
		}
		results, err := r.processed(cmd.Context(), cmd, o, words[:of])
		if err != nil {
			return err
		}
		if !show {
			if err := r.hide(cmd.Context(), results); err != nil {
				return err
			}
		}
		wanted := ""
		if len(words) > of {
			wanted = words[of]
		}
		return r.explain(results, smithv1.ResourceName(wanted), show)
	}
	complete(a, cmd, true)
	return cmd
}

// explain prints where the values of one resource, or of all, come from.
func (r *runner) explain(results []*bundle.Result, wanted smithv1.ResourceName, show bool) error {
	var s strings.Builder
	known := map[smithv1.ResourceName]bool{}
	found := false
	var problems diag.List
	for _, result := range results {
		for _, res := range result.Resources {
			known[res.Resource.Name] = true
			if wanted != "" && res.Resource.Name != wanted {
				continue
			}
			found = true
			problems = append(problems, res.Errors...)
			fmt.Fprintf(&s, "%s: %s", res.Resource.Name, res.Status)
			if res.Message != "" {
				fmt.Fprintf(&s, " (%s)", res.Message)
			}
			s.WriteString("\n")
			table := out.Table{Indent: "  "}
			for _, e := range result.Explain(res, show) {
				value, _, more := strings.Cut(e.Value, "\n")
				if more {
					value += " ..."
				}
				table.Rows = append(table.Rows, []string{e.Path, value, e.From})
			}
			s.WriteString(table.String())
		}
	}
	if !found && wanted != "" {
		return noResource("", string(wanted), known)
	}
	r.app.Console().Problems(problems)
	return r.app.WriteText(s.String())
}
