package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/out"
)

// tableOf returns the columns and rows of an output: first the function, then the unit if it has a
// name. head is nil for an output without rows.
func (s Terminal) tableOf(r Result, o api.Output, unit string) (head []string, rows [][]string) {
	switch v := o.Value.(type) {
	case api.AttributeValueList:
		head, rows = s.attributeRows(r, v)
	case api.ValidationResultList:
		head, rows = s.validationRows(r, v)
	case api.ResourceMutationList:
		head, rows = s.mutationRows(r, v)
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

func (s Terminal) attributeRows(r Result, list api.AttributeValueList) (head []string,
	rows [][]string,
) {
	for _, v := range r.Secrets.Attributes(list) {
		row := append([]string{v.FunctionName}, resourceCells(v.ResourceInfo)...)
		position := ""
		if v.Position != nil {
			position = v.Position.String()
		}
		rows = append(rows, append(row,
			s.cell(v.Value), string(v.Path), s.text(v.Comment), position))
	}
	return []string{"FUNCTION", "TYPE", "NAME", "VALUE", "PATH", "COMMENT", "POSITION"}, rows
}

func (s Terminal) validationRows(r Result, list api.ValidationResultList) (head []string,
	rows [][]string,
) {
	for _, v := range list {
		if v.Passed && len(v.Unchecked) == 0 {
			rows = append(rows, []string{r.finding(v).rule(), "passed", "", "", "", ""})
		}
		for _, f := range r.findingsOf(api.ValidationResultList{v}) {
			rows = append(rows, []string{
				f.rule(), "failed", f.Resource, f.Path, s.text(f.Message),
				f.Position.String(),
			})
		}
		for _, f := range r.uncheckedFindings(api.ValidationResultList{v}) {
			rows = append(rows, []string{
				f.rule(), "unchecked", f.Resource, "",
				s.text(f.reason()), f.Position.String(),
			})
		}
	}
	return []string{"RULE", "RESULT", "RESOURCE", "PATH", "MESSAGE", "POSITION"}, rows
}

// mutationRows returns the changes of resources, one for each path.
func (s Terminal) mutationRows(r Result, list api.ResourceMutationList) (head []string,
	rows [][]string,
) {
	by := whoChanged(r)
	list = r.Secrets.Mutations(list) // before they are on one line: there \n is before a value
	for i := range list {
		m := &list[i]
		info := resourceCells(m.Resource)
		row := func(index int, change string, old, now, path string) {
			function := by(index)
			rows = append(rows, []string{function, info[0], info[1], change, old, now, path})
		}
		switch whole := m.ResourceMutationInfo; whole.MutationType {
		case api.MutationTypeAdd:
			row(whole.Index, "added", "", "", "")
			continue
		case api.MutationTypeDelete:
			row(whole.Index, "deleted", "", "", "")
			continue
		case api.MutationTypeNone, "":
			continue
		}
		for _, path := range slices.SortedFunc(maps.Keys(m.PathMutationMap), compareShown) {
			change := m.PathMutationMap[path]
			words := map[api.MutationType]string{
				api.MutationTypeAdd: "added", api.MutationTypeDelete: "deleted",
				api.MutationTypeNone: "unchanged",
			}
			old, now := s.text(onOneLine(change.Previous)), s.text(onOneLine(change.Value))
			if change.MutationType == api.MutationTypeDelete && old == "" {
				old, now = now, ""
			}
			row(change.Index, cmp.Or(words[change.MutationType], "changed"), old, now,
				mutation.PlainPath(path))
		}
	}
	return []string{"FUNCTION", "TYPE", "NAME", "CHANGE", "OLD", "NEW", "PATH"}, rows
}

// Columns returns the names of all columns that tables have.
func Columns() []string {
	return []string{
		"FUNCTION", "UNIT", "TYPE", "NAME", "VALUE", "PATH", "COMMENT", "POSITION", "RULE",
		"RESULT",
		"RESOURCE", "MESSAGE", "CHANGE", "OLD", "NEW",
	}
}

// pickColumns keeps the columns that the user asked for, in that order. Without any it removes
// optional columns without content, the unit if the positions say as much, and the first column if
// all rows come from the same function and no rule of it is named.
func (s Terminal) pickColumns(head []string, rows [][]string) ([]string, [][]string) {
	var keep []int
	for _, name := range s.Columns {
		if i := slices.Index(head, name); i >= 0 {
			keep = append(keep, i)
		}
	}
	if len(s.Columns) == 0 {
		keep = usefulColumns(head, rows)
	}
	pick := func(cells []string) []string {
		kept := make([]string, len(keep))
		for k, i := range keep {
			kept[k] = cells[i]
		}
		return kept
	}
	picked := make([][]string, len(rows))
	for i := range rows {
		picked[i] = pick(rows[i])
	}
	return pick(head), picked
}

func usefulColumns(head []string, rows [][]string) []int {
	var useful []int
	position := slices.Index(head, "POSITION")
	for i, name := range head {
		useful = append(useful, i)
		switch {
		case i == 0:
			if !slices.ContainsFunc(rows, func(row []string) bool {
				return row[0] != rows[0][0] || strings.Contains(row[0], "/")
			}) {
				useful = useful[:0]
			}
		case name == "UNIT" && position >= 0 && len(rows) > 0 &&
			!slices.ContainsFunc(rows, func(row []string) bool {
				return strings.Count(row[position], ":") < 2 // it names no file
			}),
			isOptional(head, i) && !slices.ContainsFunc(rows, func(row []string) bool {
				return row[i] != ""
			}):
			useful = useful[:len(useful)-1]
		}
	}
	return useful
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
	t := out.Table{Head: head, HeadStyle: s.Head, Rows: rows}
	if s.Interactive {
		t.Width = s.Width
	}
	return []byte(t.String())
}

// cell returns a value for a table.
func (s Terminal) cell(value any) string {
	if text, ok := value.(string); ok {
		return s.text(text)
	}
	return cell(value)
}

// text returns a text for a table. On a terminal it is the beginning; in a pipe it is complete,
// with escapes for line breaks.
func (s Terminal) text(text string) string {
	if s.Interactive {
		return oneLine(text)
	}
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", `\n`)
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
		return strings.TrimSuffix(string(runes[:longest]), out.Ellipsis) + out.Ellipsis
	}
	return line
}

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
		line += out.Ellipsis
	}
	return line
}
