package compare

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/exceptions"
	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/references"
	"github.com/fctl-dev/fctl/internal/source"
)

// effects adds what refers to the changed resources, and the findings that changed. Both are about
// whole revisions: a reference and a rule may be in a file that did not change.
func (c *diffRun) effects(
	ctx context.Context, cmd *cobra.Command, r *revisions, v *review,
	changed map[api.ResourceInfo]string,
) error {
	var found [2]map[exceptions.Finding]api.Finding
	for i := range r.sides {
		units, err := c.units(ctx, r, i)
		if err != nil {
			return err
		}
		if i == 1 {
			c.reach(units, v, changed)
		}
		if found[i], err = c.findings(ctx, cmd, within(units, r.paths)); err != nil {
			return err
		}
	}
	found[0] = v.now(found[0])
	for i, isNew := range []bool{false, true} {
		for key, f := range found[i] {
			if _, both := found[1-i][key]; both {
				continue
			}
			dir := v.at(key.File)
			dir.Findings = append(dir.Findings, changedFinding{
				New: isNew, File: key.File, Rule: key.Rule, Level: f.Level, Resource: f.Resource,
				Path: mutation.PlainPath(api.ResolvedPath(f.Path)), Message: f.Message,
			})
		}
	}
	for _, dir := range v.byPath {
		slices.SortFunc(dir.Findings, func(a, b changedFinding) int {
			return cmp.Or(-compareBools(a.New, b.New), cmp.Compare(a.File, b.File),
				cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Rule, b.Rule),
				cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
		})
	}
	return nil
}

// findingPlace is where a finding is: a file, and a resource or "" for all of them.
type findingPlace struct{ file, resource string }

// now returns the findings of the base with the files in which their resources are now.
func (v *review) now(base map[exceptions.Finding]api.Finding) map[exceptions.Finding]api.Finding {
	if len(v.moved) == 0 {
		return base
	}
	all := make(map[exceptions.Finding]api.Finding, len(base))
	for key, f := range base {
		moved, renamed := v.moved[findingPlace{key.File, key.Resource}], v.moved[findingPlace{key.File, ""}]
		key.File = cmp.Or(moved, renamed, key.File)
		all[key] = f
	}
	return all
}

// within returns the files in the directories of paths: an environment is checked without the others.
func within(units []*source.InputUnit, paths []string) (in []*source.InputUnit) {
	directories := make([]string, len(paths))
	for i, p := range paths {
		if directories[i] = p; path.Ext(p) != "" {
			directories[i] = path.Dir(p)
		}
	}
	for _, u := range units {
		if gitfiles.Within(u.File, directories) {
			in = append(in, u)
		}
	}
	return in
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// findings returns the findings of vet in the files of a revision, without positions.
func (c *diffRun) findings(
	ctx context.Context, cmd *cobra.Command, units []*source.InputUnit,
) (map[exceptions.Finding]api.Finding, error) {
	all := map[exceptions.Finding]api.Finding{}
	if len(units) == 0 {
		return all, nil
	}
	executor, err := c.app.ExecutorAt(ctx, c.settings, cmd.Flags()) // it learns schemas from its input
	if err != nil {
		return nil, err
	}
	deps := do.Deps{
		Streams: iostreams.New(nil, nil, nil), Executor: executor, Writes: &do.Writes{},
	}
	from := do.Files{Command: "vet"}
	for _, u := range units {
		from.Memory = append(from.Memory, do.Memory{Name: u.File, Data: u.Data})
	}
	request, err := do.Find(ctx, from, c.settings, deps)
	if err != nil {
		return nil, err
	}
	if err := request.Plan(ctx, do.Chain{
		Policies: c.settings.Policies, Defaults: do.DefaultValidations(), Validations: true,
		KubernetesVersion: c.settings.KubernetesVersion, UnitLeftOut: true,
	}); err != nil {
		return nil, err
	}
	result, err := do.Run(ctx, do.Options{
		Request: request, Settings: c.settings, Format: report.Auto, Report: report.Text,
		KeepGoing: true, AllowEmpty: true, Values: true,
	}, deps)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	_ = err // the findings say it
	for _, f := range result.Files {
		for _, finding := range f.Findings {
			if finding.Unchecked > 0 || finding.Level == "note" {
				continue
			}
			key := exceptions.Finding{
				File: f.Path, Resource: finding.Resource,
				Rule: cmp.Or(finding.Rule, finding.Name, finding.Function), Path: finding.Path,
				Message: finding.Message,
			}.Key()
			all[key] = finding
		}
	}
	return all, nil
}

// reach adds the resources that refer to changed ones: those in the same directory, in one below it,
// or in one above it. Other directories are other environments.
func (c *diffRun) reach(
	units []*source.InputUnit, v *review, changed map[api.ResourceInfo]string,
) {
	provider := c.executor.ResourceProvider(api.ToolchainKubernetesYAML)
	type target struct{ name, kind string }
	names := map[target][]api.ResourceInfo{}
	for info := range changed {
		key := target{string(info.ResourceNameWithoutScope), string(info.ResourceType)}
		names[key] = append(names[key], info)
	}
	from := map[api.ResourceInfo][]string{}
	converter, err := c.executor.Converter(api.ToolchainKubernetesYAML)
	if err != nil {
		return
	}
	for _, u := range units {
		docs, err := converter.NativeToDocuments(u.Data)
		if err != nil {
			continue // the comparison or vet reports it
		}
		_ = references.Visit(docs, provider, func(ref *references.Reference) {
			for _, t := range ref.Types {
				for _, info := range names[target{ref.Name, string(t)}] {
					if *ref.Match.Resource == info || !related(path.Dir(u.File), path.Dir(changed[info])) ||
						!sameNamespace(ref.Namespace, &info) {
						continue
					}
					from[info] = append(from[info], u.File+": "+ref.Match.Resource.String()+" "+
						string(ref.Match.Path()))
				}
			}
		}) // as above
	}
	for info, referring := range from {
		dir := v.at(changed[info])
		slices.Sort(referring)
		dir.Reached = append(dir.Reached, reachedResource{info.String(), slices.Compact(referring)})
	}
	for _, dir := range v.byPath {
		slices.SortFunc(dir.Reached, func(a, b reachedResource) int {
			return cmp.Compare(a.Resource, b.Resource)
		})
	}
}

// related reports whether a directory is another one, above it or below it.
func related(a, b string) bool {
	within := func(inner, outer string) bool {
		return outer == "." || inner == outer || strings.HasPrefix(inner, outer+"/")
	}
	return within(a, b) || within(b, a)
}

// sameNamespace reports whether a namespace is that of a resource. One that is not known may be.
func sameNamespace(namespace string, info *api.ResourceInfo) bool {
	scope, _, _ := strings.Cut(string(info.ResourceName), "/")
	return namespace == "" || scope == "" || namespace == scope
}
