package report

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/out/diff"
)

// renderDiff prints a unified diff of the configuration, nothing if it did not change.
func renderDiff(terminal Terminal, r Result) (Rendered, error) {
	if !r.Response.Success || !r.Response.Changed {
		return Rendered{}, nil
	}
	f := diff.FileDiff{
		Name:   strings.TrimLeft(path.Clean(filepath.ToSlash(r.File)), "/"),
		Before: r.Before, After: bytes.Join(configuration(r.Response), nil),
		Resources: starts(r.Response.Lines), Style: terminal.Diff,
		Starts: func(text []byte) []diff.Start { return starts(r.Starts(text)) },
	}
	if terminal.showsDiff() {
		f.Shown = r.shown
	}
	for i, step := range r.Response.Steps {
		text := func() []byte { return f.After }
		if i < len(r.Response.Steps)-1 {
			text = func() []byte { return bytes.Join(step.Parts, nil) }
		}
		ran := r.Response.Functions[step.Index]
		f.Steps = append(f.Steps, diff.Version{Name: api.InvocationLabel(ran.FunctionName,
			ran.Invocation), Text: text})
	}
	return Rendered{text: Chunks{diff.Unified(f)}}, nil
}

// starts returns where resources begin, with their names.
func starts(lines []handler.ResourceLine) []diff.Start {
	starts := make([]diff.Start, len(lines))
	for i, l := range lines {
		starts[i].Line = l.Line
		if l.Resource != nil && !isWholeFile(l.Resource) {
			starts[i].Name = l.Resource.String()
		}
	}
	return starts
}

// isWholeFile reports whether a resource is a file of configuration without a type and a name.
func isWholeFile(r *api.ResourceInfo) bool {
	return r.ResourceType == appkit.NoSchema && r.ResourceName == appkit.NoName
}

// showsDiff reports whether a person reads a diff, on a terminal or in colour.
func (t Terminal) showsDiff() bool { return t.Interactive || t.Diff.Old != nil }

// shown returns the two texts as a terminal shows them, with secret values masked.
func (r Result) shown(before, after []byte) ([]byte, []byte) {
	if r.Secrets != nil {
		return r.Secrets.Text(sensitive.Before), r.Secrets.Text(sensitive.After)
	}
	return before, after
}
