package do

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/settings"
)

// Chain says which functions run: first those in files, then those of policies, then those that
// words name. A List or Invocations take the place of all these.
type Chain struct {
	Files []string
	// Policies are those of flags and settings. Those of settings do not run if functions are named.
	Policies []settings.NamedPath
	Words    []string // from the first function on
	// Defaults are the validations to run if no function and by no flag a policy is named, as far as
	// the toolchain has them.
	Defaults []string
	// Validations says that every function has to be a validation.
	Validations bool
	// List is a list of invocations in YAML or JSON, file:PATH, or "-".
	List        string
	Invocations api.FunctionInvocationList

	// Params are the values of the parameters that chains in files declare.
	Params map[string]string
	// KubernetesVersion is the value of a parameter of that name that is not given.
	KubernetesVersion string
	// Flags are the flags of fctl, which may be among the words. FlagProblems are the problems with
	// those, by the index of the first word.
	Flags        plan.CommandFlags
	FlagProblems map[int]error
	// UnitLeftOut says that no word is the name of the unit.
	UnitLeftOut bool
	// Problem is a problem with the words that is reported unless a missing unit explains it.
	Problem error
}

// DefaultValidations returns the functions that 'fctl vet' runs if none is named.
func DefaultValidations() []string {
	return []string{
		"vet-schemas", "vet-merge-keys", "vet-references", "vet-selectors", "vet-semantics",
	}
}

// Plan resolves a chain for the first toolchain of the files for which it resolves. If it resolves
// for none, the error is that for the first toolchain.
func (r *Request) Plan(ctx context.Context, chain Chain) error {
	toolchains, err := r.Toolchains(ctx)
	if err != nil {
		return err
	}
	r.plans = &plans{
		made: map[api.ToolchainType]resolved{},
		resolve: func(t api.ToolchainType) (*plan.Plan, error) {
			resolver := r.Resolver(ctx, t)
			resolver.Flags, resolver.Params = chain.Flags, chain.Params
			resolver.Defaults = map[string]string{"kubernetes-version": chain.KubernetesVersion}
			return chain.resolve(ctx, r, resolver)
		},
	}
	for _, r.toolchain = range toolchains {
		if _, err = r.plans.of(r.toolchain); err == nil {
			return nil
		}
	}
	r.toolchain = toolchains[0]
	_, err = r.plans.of(r.toolchain)
	return err
}

// resolve makes the plan of a chain.
func (c Chain) resolve(
	ctx context.Context,
	r *Request,
	resolver *plan.Resolver,
) (*plan.Plan, error) {
	switch {
	case c.List != "":
		return c.list(ctx, r, resolver)
	case c.Invocations != nil:
		return resolver.List(c.Invocations)
	}
	defaults, err := c.name(resolver)
	if err != nil {
		return nil, err
	}
	if problem := c.checkUnit(r.files, resolver); problem != nil {
		return nil, problem
	}
	if c.Problem != nil {
		return nil, c.Problem
	}
	all, err := c.join(ctx, r, resolver)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all.Signatures, func(s api.FunctionSignature) bool {
		return !s.Validating
	}); c.Validations && i >= 0 {
		return nil, diag.UsageHint("'fctl list validates' lists validating functions",
			"%s is not a validating function", all.Signatures[i].FunctionName)
	}
	all.Defaults = defaults
	return all, nil
}

// name adds the default validations to the words if they are to run, and drops the policies that are
// not.
func (c *Chain) name(resolver *plan.Resolver) (defaults bool, err error) {
	named := len(c.Words)+len(c.Files) > 0
	asked := slices.ContainsFunc(c.Policies, settings.NamedPath.Asked)
	if named {
		c.Policies = slices.DeleteFunc(
			slices.Clone(c.Policies),
			func(policy settings.NamedPath) bool {
				return !policy.Asked()
			},
		)
	}
	if named || asked || c.Defaults == nil {
		return false, nil
	}
	c.Words = nil
	for _, name := range c.Defaults {
		if _, known := resolver.Functions.Signature(resolver.Toolchain, name); known {
			c.Words = append(c.Words, plan.Then, name)
		}
	}
	if len(c.Words) == 0 {
		return false, diag.UsageHint("'fctl list --toolchain "+string(resolver.Toolchain)+
			" validates' lists validating functions",
			"FUNCTION is missing: no validation runs by default on %s", resolver.Toolchain)
	}
	c.Words = c.Words[1:]
	return true, nil
}

// checkUnit rejects an invalid unit name, and any unit name if paths name the files.
func (c Chain) checkUnit(files Files, resolver *plan.Resolver) *api.Failure {
	switch {
	case c.UnitLeftOut:
		return nil
	case len(files.Paths) == 0:
		return resolver.CheckUnit(files.File, files.Unit, c.Words)
	}
	return resolver.CheckNoUnit(files.Paths, c.Words)
}

// join joins the functions in files, those of policies and those that words name.
func (c Chain) join(ctx context.Context, r *Request, resolver *plan.Resolver) (*plan.Plan, error) {
	var problems diag.List
	part := func(p *plan.Plan, err error) *plan.Plan {
		if err != nil {
			problems = append(problems, diag.Failures(err, api.FailureInput)...)
		}
		return p
	}
	typed := &plan.Plan{}
	if len(c.Words) > 0 {
		words := resolver.Split(c.Words)
		for _, f := range words.Flags {
			f.Problem = c.FlagProblems[f.At]
		}
		typed = part(resolver.Resolve(words))
		if hint := resolver.FunctionAsUnit(r.files.File, r.files.Unit, c.Words); hint != "" {
			if typed != nil {
				typed.Notes = append(typed.Notes, api.Note{Message: hint})
			} else {
				problems[0].Hint = hint
			}
		}
	}
	if slices.Contains(c.Files, "") {
		return nil, diag.UsageHint("fctl do --functions CHAIN FILE",
			"--functions: the name of a file is expected")
	}
	all := &plan.Plan{}
	for _, path := range c.Files {
		if written := part(r.Chain(ctx, resolver, path)); len(problems) == 0 {
			all.Append(written)
		}
	}
	for _, name := range c.Policies {
		if policy := part(r.policy(ctx, resolver, name)); len(problems) == 0 {
			all.Append(policy)
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	all.Append(typed)
	return all, all.CheckParams(resolver.Params)
}

// list reads the list of invocations from the word itself, a file or the standard input.
func (c Chain) list(ctx context.Context, r *Request, resolver *plan.Resolver) (*plan.Plan, error) {
	path, isFile := plan.FilePath(c.List)
	switch {
	case c.List == "-":
		path = "-"
	case !isFile:
		chain, err := resolver.Invocations(
			plan.ChainText{Bytes: []byte(c.List), Name: "INVOCATIONS"},
		)
		if err != nil && !strings.ContainsAny(c.List, "[{\n ") {
			return nil, diag.UsageHint("file:"+c.List+" reads the list from that file",
				"INVOCATIONS: %q is not a list of invocations", c.List)
		}
		if chain == nil { // not YAML, and not a file
			for _, f := range diag.Failures(err, 0) {
				f.Class = api.FailureUsage
			}
		}
		return chain, err
	}
	return r.Chain(ctx, resolver, path)
}

// Chain reads a chain from a file, or from the standard input if path is "-".
func (r *Request) Chain(
	ctx context.Context, resolver *plan.Resolver, path string,
) (*plan.Plan, error) {
	text, err := r.bytes(ctx, path)
	if err != nil {
		return nil, err
	}
	return resolver.Invocations(plan.ChainText{
		Bytes: text, Name: diag.FileName(r.inDir(path)),
		Dir: filepath.Dir(path), ReadFile: r.trusted(nil),
	})
}
