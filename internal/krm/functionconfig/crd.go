package functionconfig

import (
	_ "embed" // for the definitions
	"strings"
)

//go:embed crd.yaml
var crdTemplate string

//go:embed porch.yaml
var porchTemplate string

//go:embed policy.yaml
var policy string

// Policy returns a ValidatingAdmissionPolicy, with its binding, that keeps an image unique in a
// namespace: the name of an object is its image.
func Policy() string { return policy }

// CRD returns the CustomResourceDefinition of the objects as YAML: with the names of the proposal
// and those of Porch, and with the validations that a schema can express.
func CRD() string { return expanded(crdTemplate) }

// expanded returns a template with its sections in their positions, without the comment above.
func expanded(template string) string {
	_, text, _ := strings.Cut(template, "apiVersion:")
	text, parts, _ := strings.Cut("apiVersion:"+text, "# sections\n")
	sections := map[string][]string{}
	name := ""
	for line := range strings.Lines(parts) {
		if rest, ok := strings.CutPrefix(line, "@"); ok {
			name = strings.TrimSpace(rest)
			continue
		}
		sections[name] = append(sections[name], line)
	}
	var b strings.Builder
	expand(&b, strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n"), "", sections)
	return b.String() + "\n"
}

// expand writes lines with an indentation, and in place of a line @NAME the section of that name.
func expand(b *strings.Builder, lines []string, indent string, sections map[string][]string) {
	for _, line := range lines {
		text := strings.TrimLeft(line, " ")
		if name, ok := strings.CutPrefix(strings.TrimSpace(text), "@"); ok {
			own := line[:len(line)-len(text)]
			expand(b, sections[name], indent+own, sections)
			continue
		}
		b.WriteString(indent + line)
	}
}
