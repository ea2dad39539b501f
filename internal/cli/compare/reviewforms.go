package compare

import (
	"fmt"
	"path"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out"
)

// write prints the review in a form.
func (v *review) write(a *command.App, form string) error {
	switch form {
	case "json":
		return a.WriteJSON(v)
	case "markdown":
		return a.WriteText(v.markdown())
	}
	width := 0
	if a.Streams.OutIsTerminal() {
		width = a.Streams.Width()
	}
	var b strings.Builder
	for _, d := range v.Directories {
		fmt.Fprintf(&b, "%s\n", diag.Printable(d.Directory))
		for _, s := range d.sections() {
			t := out.Table{Indent: "  ", Head: s.head, Rows: s.rows, Width: width, Mask: a.Masked}
			b.WriteString(t.String())
		}
	}
	b.WriteString(v.verdict() + "\n")
	return a.WriteText(b.String())
}

// reviewTable is a table about a directory.
type reviewTable struct {
	title string
	head  []string
	rows  [][]string
}

// sections returns the tables about a directory that have rows.
func (d *reviewedDirectory) sections() (all []reviewTable) {
	add := func(t reviewTable) {
		if len(t.rows) > 0 {
			all = append(all, t)
		}
	}
	values := reviewTable{title: "Values", head: []string{"", "FILE", "RESOURCE", "PATH", "OLD", "NEW"}}
	for _, c := range d.Values {
		values.rows = append(values.rows, []string{
			c.mark(), path.Base(c.File), c.Resource, c.Path, configkit.Abbreviate(c.Before), configkit.Abbreviate(c.After),
		})
	}
	add(values)
	reached := reviewTable{title: "Referred to by", head: []string{"", "RESOURCE", "REFERRED TO BY"}}
	for _, r := range d.Reached {
		for i, from := range r.From {
			name := r.Resource
			if i > 0 {
				name = ""
			}
			reached.rows = append(reached.rows, []string{"", name, from})
		}
	}
	add(reached)
	findings := reviewTable{
		title: "Findings",
		head:  []string{"", "FINDING", "FILE", "RULE", "RESOURCE", "PATH", "MESSAGE"},
	}
	for _, f := range d.Findings {
		change := "gone"
		if f.New {
			change = "new " + f.Level
		}
		findings.rows = append(findings.rows,
			[]string{"", change, path.Base(f.File), f.Rule, f.Resource, f.Path, f.Message})
	}
	add(findings)
	bare := reviewTable{title: "Lines without a value", head: []string{"", "LINE", "TEXT"}}
	for _, l := range d.Lines {
		mark := "+"
		if l.Change == "Delete" {
			mark = "-"
		}
		bare.rows = append(bare.rows, []string{mark, fmt.Sprintf("%s:%d", l.File, l.Line), l.Text})
	}
	add(bare)
	files := reviewTable{title: "Other files", head: []string{"", "FILE", "NOT COMPARED"}}
	for _, f := range d.Files {
		files.rows = append(files.rows, []string{"", f.File, f.Why})
	}
	add(files)
	return all
}

// mark returns the sign of a change, with ! if it is not allowed.
func (c *valueChange) mark() string {
	mark := "~"
	switch c.Change {
	case "Add":
		mark = "+"
	case "Delete":
		mark = "-"
	case "Move":
		mark = ">"
	}
	if c.NotAllowed {
		mark += "!"
	}
	return mark
}

// verdict returns the last line of a report.
func (v *review) verdict() string {
	values, bare, findings := 0, 0, 0
	for _, d := range v.Directories {
		values, bare = values+len(d.Values), bare+len(d.Lines)
		for _, f := range d.Findings {
			if f.New {
				findings++
			}
		}
	}
	text := fmt.Sprintf("%s, %s without a value, %s", diag.Count(values, "changed value"),
		diag.Count(bare, "line"), diag.Count(findings, "new finding"))
	if v.Verified {
		text += "; the values alone make the files of " + v.Base + " those of " + v.Head
	}
	if v.Allowed != nil {
		if *v.Allowed {
			text += "; all of it is allowed"
		} else {
			text += "; not all of it is allowed"
		}
	}
	return text
}

// mostBare is the number of rows of a table that Markdown shows openly.
const mostBare = 20

// markdown returns the report as a comment of a pull request.
func (v *review) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### What %s changes\n\n%s.\n", code(v.Head), escaped(v.verdict()))
	for _, d := range v.Directories {
		fmt.Fprintf(&b, "\n#### %s\n", code(d.Directory))
		for _, s := range d.sections() {
			long := len(s.rows) > mostBare
			if long {
				fmt.Fprintf(&b, "\n<details><summary>%s (%d)</summary>\n", s.title, len(s.rows))
			} else {
				fmt.Fprintf(&b, "\n%s\n", s.title)
			}
			b.WriteString("\n|")
			for _, name := range s.head {
				b.WriteString(" " + strings.ToLower(name) + " |")
			}
			b.WriteString("\n|" + strings.Repeat(" --- |", len(s.head)) + "\n")
			for _, row := range s.rows {
				b.WriteString("|")
				for i, cell := range row {
					if i == 0 || cell == "" {
						b.WriteString(" " + cell + " |")
						continue
					}
					b.WriteString(" " + code(cell) + " |")
				}
				b.WriteString("\n")
			}
			if long {
				b.WriteString("\n</details>\n")
			}
		}
	}
	return b.String()
}

// code returns a text as code of Markdown, which no text ends early and no pipe divides.
func code(text string) string {
	text = strings.ReplaceAll(diag.Printable(text), "|", "\\|")
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// escaped returns a text of which nothing is markup.
func escaped(text string) string {
	return strings.NewReplacer("<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`").Replace(
		diag.Printable(text))
}
