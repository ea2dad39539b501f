package do

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/exceptions"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/source"
)

// errNoFix is the problem of Options.Fix if no validation of the chain has a fix.
func errNoFix() error {
	return diag.UsageHint("'fctl help policies' says how a rule gets one",
		"--fix: no rule has a fix")
}

// HasFixes reports whether a rule of the planned chain has a fix.
func (r *Request) HasFixes() bool {
	chain, err := r.plans.of(r.toolchain)
	return err == nil && mutating(chain.WithFixes())
}

// fixing returns the chain for a unit: the fixes of the rules that its resources break, each for
// those resources only, followed by the validations.
func (l *loop) fixing(o *outcome, unit *source.InputUnit, chain *plan.Plan) (*plan.Plan, error) {
	request := l.invocation(unit, chain)
	response, err := source.Interruptible(l.ctx, func() (*handler.Result, error) {
		return l.deps.Executor.Run(l.ctx, request, handler.Options{
			AllowExternal: l.options.Settings.AllowExternal, InParts: true,
		})
	})
	if err != nil || !response.Success || !response.ValidationFailed {
		return chain, err
	}
	ignored := l.ignoredRules(unit, response)
	broken := report.Result{
		File: unit.File, Signatures: chain.Signatures, Invocations: chain.Invocations,
		Response: response,
	}.Broken(func(f report.Identity) bool {
		return accepts(ignored[f.Resource], f) ||
			l.baseline != nil && l.baseline.Has(l.finding(l.baseline.File(o.file.Path), f))
	})
	all := &plan.Plan{}
	for i := range chain.Invocations {
		if fix := chain.Fix(i); fix != nil && len(broken[i]) > 0 {
			all.Append(forResources(fix, broken[i]))
		}
	}
	if len(all.Invocations) == 0 {
		return chain, nil
	}
	all.Append(chain)
	return all, nil
}

// forResources returns a chain that sees some resources only.
func forResources(chain *plan.Plan, resources []api.ResourceInfo) *plan.Plan {
	selected := handler.Selection{}
	for _, r := range resources {
		selected.Add(r)
	}
	all := &plan.Plan{Signatures: chain.Signatures}
	for _, in := range chain.Invocations {
		in.Name = ""
		all.Invocations = append(all.Invocations, in)
		all.Only = append(all.Only, selected)
	}
	return all
}

// accepts reports whether one of the rules in an annotation is that of a finding.
func accepts(rules []string, f report.Identity) bool {
	return slices.ContainsFunc(rules, func(rule string) bool {
		return rule == f.Function || rule == f.Rule || strings.HasPrefix(f.Rule, rule+"/")
	})
}

// finding returns a finding as a baseline identifies it.
func (l *loop) finding(file string, f report.Identity) exceptions.Finding {
	return exceptions.Finding{
		File: file, Resource: f.Resource, Rule: f.Rule, Path: f.Path, Message: f.Message,
	}
}
