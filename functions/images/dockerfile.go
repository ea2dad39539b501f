package images

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// imageLine is a rule about the lines of a Dockerfile: the group image of the pattern is an image,
// unless it is the name or the number of a stage. The group stage names one.
type imageLine struct {
	pattern string
	comment bool // the rule is for the comments before the first instruction
}

// imageLines returns the rules about the lines of a Dockerfile.
func imageLines() []imageLine {
	return []imageLine{
		{`^#\s*syntax\s*=\s*(?P<image>\S+)`, true},
		{`^\s*(?:ONBUILD\s+)?FROM\s+(?:--\S+\s+)*(?P<image>\S+)(?:\s+AS\s+(?P<stage>\S+))?`, false},
		{`^\s*(?:ONBUILD\s+)?(?:COPY|ADD)\s+(?:--\S+\s+)*?--from=(?P<image>\S+)`, false},
		{`^\s*(?:ONBUILD\s+)?RUN\s+(?:--\S+\s+)*?--mount=(?:\S+,)?from=(?P<image>[^\s,]+)`, false},
	}
}

// dockerfilePatterns are the compiled patterns of imageLines, and those of other lines.
type dockerfilePatterns struct {
	images       []*regexp.Regexp
	argument     *regexp.Regexp // a variable with its default
	hereDocument *regexp.Regexp // lines up to a word belong to an instruction
	variable     *regexp.Regexp // an image whose end is a variable
}

//nolint:gochecknoglobals // compiled once and never changed
var dockerfile = sync.OnceValue(func() (p dockerfilePatterns) {
	for _, line := range imageLines() {
		p.images = append(p.images, regexp.MustCompile(`(?i)`+line.pattern))
	}
	p.argument = regexp.MustCompile(`(?i)^\s*ARG\s+(\w+)=["']?([^\s"']+)`)
	p.hereDocument = regexp.MustCompile(`(?i)^\s*(?:RUN|COPY|ADD)\s.*<<-?["']?(\w+)["']?`)
	p.variable = regexp.MustCompile(`^(?:(.+):)?\$(?:\{(\w+)\}|(\w+))$`)
	return p
})

// lineSpan is a text on a line of a Dockerfile. line counts from 0, column from 1.
type lineSpan struct {
	text               string
	from, line, column int
}

// dockerfileReader collects the images of a Dockerfile.
type dockerfileReader struct {
	images    []lineSpan
	stages    []string
	arguments map[string]lineSpan // the defaults of the variables that images may have
}

// read reads the lines of a Dockerfile. Lines that continue an instruction are not instructions.
func (r *dockerfileReader) read(text string) {
	at, line, inside, until := 0, -1, false, ""
	for raw := range strings.Lines(text) {
		start := at
		at, line = at+len(raw), line+1
		content := strings.TrimRight(raw, " \t\r\n")
		comment := strings.HasPrefix(strings.TrimLeft(content, " \t"), "#")
		switch {
		case until != "":
			if strings.TrimLeft(content, "\t") == until {
				until = ""
			}
			continue
		case comment && (inside || r.arguments != nil):
			continue
		case !inside && content != "":
			r.instruction(content, start, line, comment)
			if m := dockerfile().hereDocument.FindStringSubmatch(content); m != nil {
				until = m[1]
			}
		}
		inside = strings.HasSuffix(content, `\`) && !comment || inside && content == ""
	}
}

// instruction reads the first line of an instruction, or a comment before the first one.
func (r *dockerfileReader) instruction(content string, start, line int, comment bool) {
	span := func(m []int) lineSpan {
		return lineSpan{content[m[0]:m[1]], start + m[0], line, m[0] + 1}
	}
	if !comment && r.arguments == nil {
		r.arguments = map[string]lineSpan{}
	}
	if m := dockerfile().argument.FindStringSubmatchIndex(content); m != nil && len(r.stages) == 0 {
		r.arguments[content[m[2]:m[3]]] = span(m[4:6])
	}
	for i, rule := range imageLines() {
		m := dockerfile().images[i].FindStringSubmatchIndex(content)
		if m == nil || rule.comment != comment {
			continue
		}
		image := span(m[2:4])
		_, number := strconv.Atoi(image.text)
		if number != nil && image.text != "scratch" &&
			!slices.Contains(r.stages, strings.ToLower(image.text)) {
			r.images = append(r.images, image)
		}
		if len(m) > 4 { // a stage begins, named or not
			name := ""
			if m[4] >= 0 {
				name = strings.ToLower(content[m[4]:m[5]])
			}
			r.stages = append(r.stages, name)
		}
	}
}

// variableOf returns the default of the variable that is an image or its tag, and what is before
// the variable. It reports false if there is none, or if images of several repositories share it.
func (r *dockerfileReader) variableOf(image lineSpan) (value lineSpan, repository string, ok bool) {
	m := dockerfile().variable.FindStringSubmatch(image.text)
	if m == nil {
		return lineSpan{}, "", false
	}
	value, ok = r.arguments[m[2]+m[3]]
	for _, other := range r.images {
		if n := dockerfile().variable.FindStringSubmatch(other.text); n != nil &&
			n[2]+n[3] == m[2]+m[3] && n[1] != m[1] {
			return lineSpan{}, "", false
		}
	}
	return value, m[1], ok
}

// lines visits the images in a text whose lines are those of a Dockerfile. If the default of a
// variable is an image or its tag, it is what changes.
func (e *imageEditor) lines(f imageField) error {
	r := &dockerfileReader{}
	r.read(f.text())
	changes := map[int]lineSpan{} // by where they begin
	was := map[int]int{}          // the lengths of what they replace
	change := func(at lineSpan, text string) {
		if text != at.text {
			was[at.from], at.text = len(at.text), text
			changes[at.from] = at
		}
	}
	start := f.value.Position()
	for _, image := range r.images {
		value, repository, variable := r.variableOf(image)
		if variable && repository == "" {
			image, variable = value, false
		}
		text := image.text
		if variable {
			text = repository + ":" + value.text
		}
		if _, twice := changes[image.from]; twice || !isImage(text) {
			continue
		}
		at := imageField{
			in: f.path() + "#" + strconv.Itoa(image.line+1), value: f.value,
			pos: gaby.Position{Line: start.Line + image.line, Column: image.column},
		}
		old := imageNameOf(text)
		changed, ok := e.visit(at, old)
		if !ok {
			continue
		}
		e.matches++
		if variable && changed.tag != "" {
			change(value, changed.tag)
			changed.tag = strings.TrimPrefix(image.text, repository+":")
		}
		change(image, changed.String())
	}
	return e.setLines(f, changes, was)
}

// setLines replaces parts of a text.
func (e *imageEditor) setLines(f imageField, changes map[int]lineSpan, was map[int]int) error {
	if len(changes) == 0 {
		return nil
	}
	var ordered []lineSpan
	for _, c := range changes {
		ordered = append(ordered, c)
	}
	slices.SortFunc(ordered, func(a, b lineSpan) int { return cmp.Compare(a.from, b.from) })
	text, end := f.text(), 0
	var b strings.Builder
	for _, c := range ordered {
		b.WriteString(text[end:c.from] + c.text)
		end = c.from + was[c.from]
	}
	_, err := e.match.Doc.Set(b.String()+text[end:], f.segments...)
	return err
}
