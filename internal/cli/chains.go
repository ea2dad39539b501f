package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/explain"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/out"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// chainStep is a step of an explained chain.
type chainStep struct {
	Name          string `json:",omitempty"`
	Comment       string `json:",omitempty"`
	FunctionName  string
	Description   string
	Arguments     []api.FunctionArgument
	WhereResource string `json:",omitempty"`
	Mutating      bool
	Validating    bool
	Message       string `json:",omitempty"`
	Severity      string `json:",omitempty"`
	// Fix are the steps that fix what this validation finds.
	Fix []chainStep `json:",omitempty"`
	// ResourceTypes are the types that the step names in an argument, or that its function is
	// registered for; * is every type.
	ResourceTypes []api.ResourceType `json:",omitempty"`
}

// chainSteps reads a chain and describes each of its steps.
func chainSteps(ctx context.Context, a *command.App, set functionSet,
	path string,
) ([]chainStep, []plan.Parameter, error) {
	request := do.NewRequest(do.Files{Dir: a.Dir}, set.settings, a.Deps(set.executor))
	resolver := request.Resolver(ctx, set.toolchain)
	resolver.NoParams = true
	chain, err := request.Chain(ctx, resolver, path)
	if err != nil {
		return nil, nil, err
	}
	return describeChain(set.executor, set.toolchain, chain), chain.Parameters, nil
}

func describeChain(executor *functions.Executor, toolchain api.ToolchainType,
	chain *plan.Plan,
) []chainStep {
	steps := make([]chainStep, len(chain.Invocations))
	for i, in := range chain.Invocations {
		s := chain.Signatures[i]
		steps[i] = chainStep{
			Name: in.Name, Comment: comment(chain.Comments[i]), FunctionName: s.FunctionName,
			Description: strings.TrimSpace(s.Description),
			Arguments:   in.Arguments, WhereResource: in.WhereResource, Mutating: s.Mutating,
			Validating: s.Validating,
			Message:    in.Message, Severity: in.Severity,
		}
		if fix := chain.Fix(i); fix != nil {
			steps[i].Fix = describeChain(executor, toolchain, fix)
		}
		if d, ok := executor.Describe(toolchain, s.FunctionName); ok {
			steps[i].ResourceTypes = d.AffectedResourceTypes
		}
		for _, arg := range in.Arguments {
			if t, ok := arg.Value.(string); ok && arg.ParameterName == "resource-type" &&
				arg.Evaluator == "" {
				steps[i].ResourceTypes = []api.ResourceType{api.ResourceType(t)}
			}
		}
	}
	return steps
}

// comment returns the comment above a step, without directives for editors.
func comment(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "yaml-language-server:") {
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// maxTypes is the number of resource types printed for a step.
const maxTypes = 6

// chainText formats the steps for a terminal. head styles headings.
func chainText(path string, steps []chainStep, parameters []plan.Parameter, c explain.CommandLine,
	head func(string) string,
) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if len(parameters) > 0 {
		say("%s", head("Parameters (--param NAME=VALUE)"))
		table := out.Table{Indent: "     "}
		for _, p := range parameters {
			table.Rows = append(table.Rows, []string{p.Name, fmt.Sprint(p)})
		}
		say("%s", table.String())
	}
	mutating := false
	for i, s := range steps {
		say("%s: %s", head(fmt.Sprintf("%d. %s", i+1, api.InvocationLabel(s.FunctionName, s.Name))),
			s.Description)
		for line := range strings.SplitSeq(s.Comment, "\n") {
			if line != "" {
				say("     # %s", line)
			}
		}
		names := 0
		for _, arg := range s.Arguments {
			names = max(names, out.Width(arg.ParameterName))
		}
		for _, arg := range s.Arguments {
			say("     %s  %s", out.Pad(arg.ParameterName, names), formatArgument(arg, names+7))
		}
		if s.WhereResource != "" {
			say("     where %s", s.WhereResource)
		}
		if s.Message != "" {
			say("     message: %s", s.Message)
		}
		if s.Severity != "" {
			say("     severity: %s", strings.ToLower(s.Severity))
		}
		for _, fix := range s.Fix {
			say("     fix: %s", fix.FunctionName)
		}
		say("     %s\n", s.effect())
		mutating = mutating || s.Mutating
	}
	prints := "what the functions return"
	if mutating {
		prints = "the changed configuration"
	}
	say("%s do%s %s prints %s.", c.Program, c.Flags,
		diag.Printable(shellwords.Quote("--functions", path, "FILE")), prints)
	return b.String()
}

// formatArgument returns a value as readable text, with further lines indented below the first.
func formatArgument(arg api.FunctionArgument, indent int) string {
	text := strings.TrimSuffix(fmt.Sprint(arg.Value), "\n")
	switch {
	case arg.Evaluator != "":
		text = arg.Evaluator + ": " + text
	case text == "":
		text = `""`
	}
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", indent))
}

// effect says what a step does, and to which resource types.
func (s chainStep) effect() string {
	does := "reads"
	switch {
	case s.Validating:
		does = "validates"
	case s.Mutating:
		does = "changes"
	}
	var types []string
	for i, t := range s.ResourceTypes {
		if t == api.ResourceTypeAny {
			return does + " every resource"
		}
		if i == maxTypes {
			types = append(types, fmt.Sprintf("%d more", len(s.ResourceTypes)-i))
			break
		}
		types = append(types, string(t))
	}
	if len(types) == 0 {
		return does + " the configuration"
	}
	return does + " " + strings.Join(types, ", ")
}
