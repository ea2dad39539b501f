package lsp

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/out/report"
)

// findings checks the files of the directory as 'fctl vet -R' does, with the buffers in the place of
// files. It returns the diagnostics of the files that have some.
func (s *Server) findings(
	ctx context.Context, buffers map[string][]byte,
) (map[string][]diagnostic, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	limits := limit.New(func(err error) { end(diag.Failures(err, api.FailureFunction)) })
	defer limits.Close()
	limits.Set(s.Settings.MemoryBytes, s.Settings.TimeLimit)
	ctx = limit.With(ctx, limits)
	executor, err := s.Executor()
	if err != nil {
		return nil, err
	}
	deps := do.Deps{
		Streams: iostreams.New(nil, nil, nil), Executor: executor, Writes: &do.Writes{},
	}
	files := do.Files{Paths: []string{s.Dir}, Recursive: true, Command: "vet"}
	for _, path := range slices.Sorted(maps.Keys(buffers)) {
		files.Memory = append(files.Memory, do.Memory{Name: path, Data: buffers[path]})
	}
	o := do.Options{
		Settings: s.Settings, Format: report.Auto, Report: report.Text, KeepGoing: true,
		AllowEmpty: true, Values: true,
	}
	if o.Request, err = do.Find(ctx, files, s.Settings, deps); err != nil {
		return nil, err
	}
	chain := do.Chain{
		Policies: s.Settings.Policies, Defaults: do.DefaultValidations(), Validations: true,
		KubernetesVersion: s.Settings.KubernetesVersion,
	}
	if err := o.Request.Plan(ctx, chain); err != nil {
		return nil, err
	}
	result, err := do.Run(ctx, o, deps)
	if _, limited := errors.AsType[*limit.Error](context.Cause(ctx)); limited {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	found := map[string][]diagnostic{}
	for _, f := range result.Files {
		if len(f.Findings)+len(f.Failures) == 0 {
			continue
		}
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return nil, err
		}
		text, open := buffers[path]
		if !open {
			text, _ = os.ReadFile(path) // without it the ranges are empty
		}
		found[path] = s.diagnostics(text, f)
	}
	return found, nil
}

// diagnostics returns the diagnostics of a file.
func (s *Server) diagnostics(text []byte, f do.FileOutcome) []diagnostic {
	lines := strings.Split(string(text), "\n")
	var all []diagnostic
	for _, failure := range f.Failures {
		message := failure.Message
		if failure.Hint != "" {
			message += "\nhint: " + failure.Hint
		}
		all = append(all, diagnostic{
			Range: s.rangeAt(lines, failure.Pos), Severity: severityError, Source: "fctl",
			Code: failure.Function, Message: message,
		})
	}
	for _, finding := range f.Findings {
		severity := map[string]int{"warning": severityWarning, "note": severityInformation}[finding.Level]
		if severity == 0 {
			severity = severityError
		}
		rule := finding.Rule
		if rule == "" {
			rule = finding.Function
		}
		all = append(all, diagnostic{
			Range: s.rangeAt(lines, finding.Position), Severity: severity, Source: "fctl", Code: rule,
			Message: finding.Message,
		})
	}
	var once []diagnostic // each function of the chain has the same problem with a file
	for _, d := range all {
		if !slices.Contains(once, d) {
			once = append(once, d)
		}
	}
	return once
}

// token returns the length of the word, or of the quoted text, that a line begins with.
func token(line string) int {
	if line != "" && (line[0] == '"' || line[0] == '\'') {
		if end := strings.IndexByte(line[1:], line[0]); end >= 0 {
			return end + 2
		}
	}
	end := strings.IndexAny(line, " \t,]}")
	if end < 0 {
		end = len(line)
	}
	return max(len(strings.TrimRight(line[:end], ":")), min(1, len(line)))
}

// rangeAt returns the range of what a position is about.
func (s *Server) rangeAt(lines []string, at api.Position) editorRange {
	line := max(at.Line-1, 0)
	if line >= len(lines) {
		return editorRange{editorPosition{line, 0}, editorPosition{line, 0}}
	}
	text := strings.TrimRight(lines[line], "\r")
	begin := 0 // in bytes
	for range at.Column - 1 {
		if begin == len(text) {
			break
		}
		_, size := utf8.DecodeRuneInString(text[begin:])
		begin += size
	}
	stop := begin + token(text[begin:])
	return editorRange{
		editorPosition{line, s.units(text[:begin])}, editorPosition{line, s.units(text[:stop])},
	}
}

// units returns the length of a text as the editor counts it.
func (s *Server) units(text string) int {
	if s.utf8 {
		return len(text)
	}
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
