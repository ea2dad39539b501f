package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// tableOf returns the columns and rows of an output: first the function, then the unit if it has a
// name. head is nil for an output without rows.
func tableOf(r Result, o api.Output, unit string) (head []string, rows [][]string) {
	switch v := o.Value.(type) {
	case api.AttributeValueList:
		head, rows = attributeRows(r, v)
	case api.ValidationResultList:
		head, rows = validationRows(r, v)
	case api.ResourceInfoList:
		head, rows = resourceRows(v)
	case api.ResourceList:
		infos := make(api.ResourceInfoList, len(v))
		for i := range v {
			infos[i] = v[i].ResourceInfo
		}
		head, rows = resourceRows(infos)
	}
	if unit != "" && head != nil {
		head = slices.Insert(head, 1, "UNIT")
		for i := range rows {
			rows[i] = slices.Insert(rows[i], 1, unit)
		}
	}
	return head, rows
}

func resourceRows(list api.ResourceInfoList) (head []string, rows [][]string) {
	for _, info := range list {
		rows = append(rows, append([]string{""}, resourceCells(info)...))
	}
	return []string{"FUNCTION", "TYPE", "NAME"}, rows
}

func resourceCells(info api.ResourceInfo) []string {
	return []string{string(info.ResourceType), strings.TrimPrefix(string(info.ResourceName), "/")}
}

func attributeRows(r Result, list api.AttributeValueList) (head []string, rows [][]string) {
	for _, v := range list {
		row := append([]string{v.FunctionName}, resourceCells(v.ResourceInfo)...)
		position := ""
		if v.Position != nil {
			position = v.Position.String()
		}
		rows = append(rows, append(row, string(v.Path),
			r.Secrets.Value(v.ResourceInfo, v.Path, cell(v.Value)),
			r.Secrets.Value(v.ResourceInfo, v.Path, oneLine(v.Comment)), position))
	}
	return []string{"FUNCTION", "TYPE", "NAME", "PATH", "VALUE", "COMMENT", "POSITION"}, rows
}

func validationRows(r Result, list api.ValidationResultList) (head []string, rows [][]string) {
	for _, v := range list {
		if v.Passed && len(v.Unchecked) == 0 {
			rows = append(rows, []string{r.finding(v).rule(), "passed", "", "", "", ""})
		}
		for _, f := range r.findingsOf(api.ValidationResultList{v}) {
			rows = append(rows, []string{
				f.rule(), "failed", f.Resource, f.Path, oneLine(f.Message),
				f.Position.String(),
			})
		}
		for _, f := range r.uncheckedFindings(api.ValidationResultList{v}) {
			rows = append(rows, []string{
				f.rule(), "unchecked", f.Resource, "",
				oneLine(strings.TrimPrefix(f.Message, unchecked)), f.Position.String(),
			})
		}
	}
	return []string{"RULE", "RESULT", "RESOURCE", "PATH", "MESSAGE", "POSITION"}, rows
}

// dropColumns removes optional columns without content. It removes the first column if all rows
// come from the same function and no rule of it is named.
func dropColumns(head []string, rows [][]string) ([]string, [][]string) {
	keep := make([]bool, len(head))
	for i := range head {
		keep[i] = i > 0 && !isOptional(head, i)
		for _, row := range rows {
			if i == 0 {
				keep[i] = keep[i] || row[0] != rows[0][0] || strings.Contains(row[0], "/")
			} else {
				keep[i] = keep[i] || row[i] != ""
			}
		}
	}
	pick := func(cells []string) []string {
		var kept []string
		for i, c := range cells {
			if keep[i] {
				kept = append(kept, c)
			}
		}
		return kept
	}
	for i := range rows {
		rows[i] = pick(rows[i])
	}
	return pick(head), rows
}

// isOptional reports whether a column may be empty: those that comment on a value, and those that
// say what is wrong.
func isOptional(head []string, i int) bool {
	switch head[i] {
	case "COMMENT", "POSITION", "RESOURCE", "MESSAGE":
		return true
	case "PATH":
		return slices.Contains(head, "RESULT")
	}
	return false
}

// table aligns rows in columns.
func (s Terminal) table(head []string, rows [][]string) []byte {
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, c := range row {
			c = diag.Printable(c) // file names may contain control characters
			row[i] = c
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	line := func(cells []string) string {
		var b strings.Builder
		for i, c := range cells {
			fmt.Fprintf(&b, "%-*s  ", widths[i], c)
		}
		return strings.TrimRight(b.String(), " ")
	}
	var b strings.Builder
	b.WriteString(s.head(line(head)) + "\n")
	for _, row := range rows {
		b.WriteString(line(row) + "\n")
	}
	return []byte(b.String())
}

// cell returns a value on one line: a string as it is, everything else as JSON.
func cell(value any) string {
	if text, ok := value.(string); ok {
		return oneLine(text)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// longest is the number of characters of a text shown on a line.
const longest = 200

// oneLine is firstLine with at most longest characters.
func oneLine(text string) string {
	line := firstLine(text)
	if runes := []rune(line); len(runes) > longest {
		return strings.TrimSuffix(string(runes[:longest]), ellipsis) + ellipsis
	}
	return line
}

const ellipsis = "…"

// firstLine returns the first line of a text without control characters, followed by an ellipsis if
// something was cut off.
func firstLine(text string) string {
	line, rest, _ := strings.Cut(strings.TrimRight(text, "\n"), "\n")
	line = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, line)
	if rest != "" {
		line += ellipsis
	}
	return line
}
