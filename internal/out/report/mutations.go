package report

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/out"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// maxValue is the number of characters of a value shown on a line of a terminal.
const maxValue = 60

// Changes prints mutations for a terminal: a resource and below it its changes, one per line, each
// with the function that made it. by returns the name of the function with an index; it may be nil.
//
//	~ apps/v1/Deployment shop/web
//	    metadata.labels: + {team: core, tier: front} (2 values)   by set-label
//	    spec.replicas: 3 -> 5   by set-replicas
//	+ v1/Service shop/web   by upsert-resource
//	- v1/ConfigMap shop/old   by delete-resource
//
// Secret values are masked; secrets may be nil.
func (s Terminal) Changes(list api.ResourceMutationList, by func(index int) string,
	secrets *sensitive.Values,
) []byte {
	p := changePrinter{terminal: s, by: by, secrets: secrets}
	list = secrets.Mutations(list)
	for i := range list {
		p.resource(&list[i])
	}
	return p.b.Bytes()
}

type changePrinter struct {
	terminal Terminal
	by       func(int) string
	b        bytes.Buffer

	secrets *sensitive.Values
}

func (p *changePrinter) resource(m *api.ResourceMutation) {
	info := m.ResourceMutationInfo
	name := diag.Printable(m.Resource.String())
	if isWholeFile(&m.Resource) {
		name = "the whole file"
	}
	switch info.MutationType {
	case api.MutationTypeAdd:
		p.line(p.new("+ ")+p.terminal.head(name), info.Index)
	case api.MutationTypeDelete:
		p.line(p.old("- ")+p.terminal.head(name), info.Index)
	case api.MutationTypeNone, "":
	default:
		mark := "~ "
		if info.MutationType == api.MutationTypeReplace {
			mark = "= "
		}
		if isWholeFile(&m.Resource) {
			p.paths("", m)
			return
		}
		p.b.WriteString(mark + p.terminal.head(name) + "\n")
		p.paths("    ", m)
	}
}

// paths prints the changes inside a resource.
func (p *changePrinter) paths(indent string, m *api.ResourceMutation) {
	line := func(text string, index int) { p.line(indent+text, index) }
	for _, path := range slices.SortedFunc(maps.Keys(m.PathMutationMap), compareShown) {
		info := m.PathMutationMap[path]
		if isTextPatch(info) {
			line(diag.Printable(mutation.PlainPath(path))+": lines changed", info.Index)
			for row := range strings.Lines(info.Patch) {
				p.b.WriteString(indent + "  " + p.patchLine(strings.TrimSuffix(row, "\n")) + "\n")
			}
			continue
		}
		line(diag.Printable(mutation.PlainPath(path))+": "+p.change(info), info.Index)
	}
	index := m.ResourceMutationInfo.Index
	for _, path := range slices.Sorted(maps.Keys(m.ArrayElementAliases)) {
		if p.secrets.Has(m.Resource, path) {
			continue
		}
		for _, old := range slices.Sorted(maps.Keys(m.ArrayElementAliases[path])) {
			line(diag.Printable(mutation.PlainPath(path))+": "+p.old(old)+" is now "+
				p.new(m.ArrayElementAliases[path][old]),
				index)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(m.ArrayOrders)) {
		if m.Appended[path] || p.secrets.Has(m.Resource, path) {
			continue
		}
		line(diag.Printable(mutation.PlainPath(path))+": in the order "+
			diag.Printable(strings.Join(m.ArrayOrders[path],
				", ")), index)
	}
}

// line prints a line, with the function that made the change.
func (p *changePrinter) line(text string, index int) {
	p.b.WriteString(text)
	if p.by != nil {
		if name := p.by(index); name != "" {
			p.b.WriteString("   by " + name)
		}
	}
	p.b.WriteByte('\n')
}

func (p *changePrinter) change(info api.MutationInfo) string {
	value := onOneLine(info.Value)
	switch {
	case info.MutationType == api.MutationTypeAdd:
		return p.new("+ "+out.Shorten(value, maxValue)) + countOf(info.Value)
	case info.MutationType == api.MutationTypeDelete:
		return p.old("- "+out.Shorten(value, maxValue)) + countOf(info.Value)
	case info.MutationType == api.MutationTypeNone:
		return "unchanged"
	case info.Previous == "":
		return "-> " + p.new(out.Shorten(value, maxValue))
	}
	old, now := cutWhereEqual(onOneLine(info.Previous), value)
	return p.old(out.Shorten(old, maxValue)) + " -> " + p.new(out.Shorten(now, maxValue))
}

// countOf returns how many values a map or list has, "" for one.
func countOf(text string) string {
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil || doc.Value().Leaves() < 2 {
		return ""
	}
	return " (" + diag.Count(doc.Value().Leaves(), "value") + ")"
}

func isTextPatch(info api.MutationInfo) bool { return strings.HasPrefix(info.Patch, "@@") }

func (p *changePrinter) patchLine(row string) string {
	switch {
	case strings.HasPrefix(row, "+"):
		return p.new(row)
	case strings.HasPrefix(row, "-"):
		return p.old(row)
	}
	return diag.Printable(row)
}

func (p *changePrinter) old(text string) string {
	return styled(p.terminal.Diff.Old, diag.Printable(text))
}

func (p *changePrinter) new(text string) string {
	return styled(p.terminal.Diff.New, diag.Printable(text))
}

func styled(style func(string) string, text string) string {
	if style == nil {
		return text
	}
	return style(text)
}

// compareShown orders paths as they are shown.
func compareShown(a, b api.ResolvedPath) int {
	return cmp.Or(yamlpath.Compare(mutation.PlainPath(a), mutation.PlainPath(b)),
		strings.Compare(string(a), string(b)))
}

// onOneLine returns a value on one line, in flow style if it has several lines or is not a scalar.
func onOneLine(text string) string {
	text = strings.TrimSuffix(text, "\n")
	if doc, err := gaby.ParseYAML([]byte(text)); err == nil &&
		(doc.Value().Kind() != gaby.Scalar || strings.Contains(text, "\n")) {
		text = inFlow(doc.Value())
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// cutWhereEqual cuts off the common beginning of two texts if it is so long that shortening would hide the
// difference.
func cutWhereEqual(old, now string) (string, string) {
	a, b := []rune(old), []rune(now)
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	if n -= maxValue / 3; max(len(a), len(b)) <= maxValue || n <= maxValue/3 {
		return old, now
	}
	return "…" + string(a[n:]), "…" + string(b[n:])
}

// inFlow formats a value in flow style.
func inFlow(v gaby.Value) string {
	var parts []string
	switch v.Kind() {
	case gaby.Map:
		for _, c := range v.All() {
			parts = append(parts, c.Key()+": "+inFlow(c))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case gaby.List:
		for _, c := range v.All() {
			parts = append(parts, inFlow(c))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if text := v.Text(); strings.Contains(text, "\n") {
		return fmt.Sprintf("%q", text)
	}
	return v.YAML()
}

// whoChanged returns a function that names the functions of a chain by their index.
func whoChanged(r Result) func(int) string {
	return func(index int) string {
		if index < 0 || index >= len(r.Signatures) {
			return ""
		}
		return r.Signatures[index].FunctionName
	}
}

// renderMutations prints what the chain changed: as text on a terminal, else as JSON. A unit with a
// failed function has no mutations.
func renderMutations(terminal Terminal, r Result) (Rendered, error) {
	made := section{outputType: api.OutputTypeResourceMutationList}
	var err error
	switch {
	case !r.Response.Success:
	case terminal.Interactive:
		made.lines = terminal.Changes(r.Response.Mutations, whoChanged(r), r.Secrets)
		if len(made.lines) > 0 && r.Unit != "" {
			made.lines = append([]byte(terminal.head(diag.Printable(r.File))+"\n"), made.lines...)
		}
	default:
		made.list = true
		made.rows, err = marshalRows(r.Response.Mutations, r.Unit)
		made.rows = safeJSON(made.rows)
	}
	return Rendered{sections: []section{made}}, err
}
