package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/lines"
)

// textEdit replaces a part of a file.
type textEdit struct {
	Range   editorRange `json:"range"`
	NewText string      `json:"newText"`
}

// workspaceEdit has the edits of files, by address.
type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

// action is something that the editor offers to do.
type action struct {
	Title       string          `json:"title"`
	Kind        string          `json:"kind"`
	Diagnostics []diagnostic    `json:"diagnostics,omitempty"`
	Edit        *workspaceEdit  `json:"edit,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
}

// The kinds of actions.
const kindQuickFix, kindFixAll = "quickfix", "source.fixAll"

// meant returns the names that the question of a message suggests; see configkit.DidYouMean.
func meant(message string) []string {
	_, rest, ok := strings.Cut(message, "did you mean ")
	names, _, asked := strings.Cut(rest, "?")
	if !ok || !asked {
		return nil
	}
	return strings.Split(strings.ReplaceAll(names, " or ", ", "), ", ")
}

// actions returns what can be done about the diagnostics at a place: write what was meant, and fix
// what 'fctl vet --fix' can fix.
func (p *project) actions(_ context.Context, q question) (any, error) {
	all := []action{}
	t, uri := p.text(q.path), q.TextDocument.URI
	for _, text := range q.Context.Diagnostics {
		var d diagnostic
		if json.Unmarshal(text, &d) != nil || d.Source != sourceName {
			continue
		}
		from, to := t.offset(d.Range.Start), t.offset(d.Range.End)
		written := string(t.bytes[from:max(from, to)])
		word := strings.Trim(written, `"'`)
		for _, name := range meant(d.Message) {
			if len(configkit.Suggest(word, []string{name})) == 0 {
				continue // the place is not that of the name
			}
			all = append(all, action{
				Title: "Replace by " + name, Kind: kindQuickFix, Diagnostics: []diagnostic{d},
				Edit: &workspaceEdit{map[string][]textEdit{
					uri: {{d.Range, strings.Replace(written, word, name, 1)}},
				}},
			})
		}
	}
	p.mu.Lock()
	fixes := p.fixes
	p.mu.Unlock()
	if fixes {
		data, err := json.Marshal(uri)
		if err != nil {
			return nil, err
		}
		all = append(all, action{
			Title: "Fix what the rules of the policies can fix", Kind: kindFixAll, Data: data,
		})
	}
	return all, nil
}

// fix returns an action with the edits that 'fctl vet --fix' makes in its file.
func (p *project) fix(ctx context.Context, q question) (any, error) {
	result, _, err := p.run(ctx, p.validations(), func(o *do.Options) { o.Fix = true })
	if err != nil {
		return nil, err
	}
	a := q.action
	a.Edit, err = p.edits(result, func(path string) bool { return path == q.path })
	return a, err
}

// edits returns the changes of a run in the files that are wanted. A file that failed is an error.
func (p *project) edits(result do.Result, wanted func(path string) bool) (*workspaceEdit, error) {
	edit := &workspaceEdit{map[string][]textEdit{}}
	for _, f := range result.Files {
		path, err := filepath.Abs(f.Path)
		switch {
		case err != nil:
			return nil, err
		case !wanted(path):
		case len(f.Failures) > 0:
			return nil, f.Failures[0]
		case f.Changed:
			edit.Changes[p.uriOf(path)] = editsOf(newText(f.Before, p.utf8), string(f.After))
		}
	}
	return edit, nil
}

// editsOf returns the edits that turn a text into another.
func editsOf(t *text, after string) []textEdit {
	edits := []textEdit{}
	now := lines.Split(after)
	start := func(line int) int {
		from, _ := t.line(line)
		return from
	}
	for _, h := range lines.Diff(lines.Split(string(t.bytes)), now) {
		edits = append(edits, textEdit{
			t.span(start(h.From), start(h.To)), strings.Join(now[h.NewFrom:h.NewTo], ""),
		})
	}
	return edits
}

// resolve answers the request for the edits of an action.
func (s *Server) resolve(ctx context.Context, m rpcMessage) error {
	var a action
	var uri string
	err := json.Unmarshal(m.Params, &a)
	if err == nil {
		err = json.Unmarshal(a.Data, &uri)
	}
	if err != nil {
		return s.refuse(m, invalidParams, fmt.Sprintf("an action of this server is expected: %v", err))
	}
	q := question{action: a}
	q.TextDocument.URI = uri
	return s.ask(ctx, m, q, (*project).fix)
}
