package workspace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// output holds the flags that say how entities are printed.
type output struct {
	form      string
	noHeaders bool
	columns   []string
	fields    []string
}

func (o *output) add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.form, "output", "o", "",
		"output `FORMAT`: table, wide, name, json, yaml or custom-columns=NAME:FIELD,...")
	flags.BoolVar(&o.noHeaders, "no-headers", false, "print tables without their first line")
	flags.StringSliceVar(&o.columns, "columns", nil, "print only these `COLUMNS` of the table")
	flags.StringSliceVar(&o.fields, "select", nil, "print only these `FIELDS` as JSON or YAML")
}

// check reports an unknown form.
func (o *output) check() error {
	if strings.HasPrefix(o.form, "custom-columns=") ||
		slices.Contains([]string{"", "table", "wide", "name", "json", "yaml"}, o.form) {
		return nil
	}
	return diag.Usage(
		"output format %q is not one of table, wide, name, json, yaml, custom-columns=...", o.form)
}

// column is a column of a table. A wide one is shown with -o wide only.
type column[T any] struct {
	name  string
	wide  bool
	value func(T) string
}

// printList prints entities. object returns what -o json prints of one.
func printList[T any](
	s *session, o *output, rows []T, columns []column[T], name func(T) string,
	object func(T) any,
) error {
	if err := o.check(); err != nil {
		return err
	}
	switch form := o.form; {
	case form == "name":
		var b strings.Builder
		for _, row := range rows {
			b.WriteString(name(row) + "\n")
		}
		return s.app.Write([]byte(b.String()))
	case form == "json" || form == "yaml":
		objects := make([]any, len(rows))
		for i, row := range rows {
			objects[i] = object(row)
		}
		return s.printObjects(o, objects)
	case strings.HasPrefix(form, "custom-columns="):
		return printCustom(s, o, rows, object)
	}
	columns, err := chosen(o, columns)
	if err != nil {
		return err
	}
	head := columnNames(columns)
	var cells [][]string
	for _, row := range rows {
		line := make([]string, len(columns))
		for i, c := range columns {
			line[i] = c.value(row)
		}
		cells = append(cells, line)
	}
	return s.app.Write(table(o.head(head), cells))
}

func columnNames[T any](columns []column[T]) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return names
}

func (o *output) head(head []string) []string {
	if o.noHeaders {
		return nil
	}
	return head
}

// chosen returns the columns that --columns names or, without it, those of the form.
func chosen[T any](o *output, columns []column[T]) ([]column[T], error) {
	if len(o.columns) == 0 {
		return slices.DeleteFunc(slices.Clone(columns), func(c column[T]) bool {
			return c.wide && o.form != "wide"
		}), nil
	}
	var picked []column[T]
	for _, name := range o.columns {
		i := slices.IndexFunc(columns, func(c column[T]) bool {
			return strings.EqualFold(c.name, name)
		})
		if i < 0 {
			return nil, diag.UsageHint(configkit.DidYouMean("", configkit.Suggest(
				strings.ToUpper(name), columnNames(columns))), "unknown column %q", name)
		}
		picked = append(picked, columns[i])
	}
	return picked, nil
}

// printObjects prints a list as JSON or YAML.
func (s *session) printObjects(o *output, objects []any) error {
	list := make([]any, len(objects))
	for i, object := range objects {
		picked, err := o.pick(object)
		if err != nil {
			return err
		}
		list[i] = picked
	}
	return s.printValue(o.form, list)
}

// printObject prints one entity as JSON or YAML.
func (s *session) printObject(o *output, object any) error {
	picked, err := o.pick(object)
	if err != nil {
		return err
	}
	return s.printValue(o.form, picked)
}

func (s *session) printValue(form string, v any) error {
	write := entity.JSON
	if form == "yaml" {
		write = entity.YAML
	}
	text, err := write(v)
	if err != nil {
		return err
	}
	return s.app.Write(text)
}

// pick returns the fields that --select names.
func (o *output) pick(object any) (any, error) {
	if len(o.fields) == 0 {
		return object, nil
	}
	fields, err := fieldsOf(object)
	if err != nil {
		return nil, err
	}
	picked := map[string]any{}
	for _, f := range fields {
		if slices.Contains(o.fields, f.Key) {
			picked[f.Key] = f.Value
		}
	}
	return picked, nil
}

// fieldsOf returns the fields of an entity in their order.
func fieldsOf(object any) (gaby.Entries, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	value, err := entity.Ordered(text)
	fields, _ := value.(gaby.Entries)
	return fields, err
}

// printCustom prints the columns that the user defines: NAME:FIELD or NAME:FIELD.FIELD.
func printCustom[T any](s *session, o *output, rows []T, object func(T) any) error {
	_, text, _ := strings.Cut(o.form, "=")
	var head []string
	var paths [][]string
	for spec := range strings.SplitSeq(text, ",") {
		name, path, ok := strings.Cut(spec, ":")
		if !ok || name == "" || path == "" {
			return diag.UsageHint("for example -o custom-columns=NAME:Slug,TEAM:Labels.team",
				"a column is NAME:FIELD, not %q", spec)
		}
		head = append(head, name)
		paths = append(paths, strings.Split(strings.TrimPrefix(path, "."), "."))
	}
	var cells [][]string
	for _, row := range rows {
		fields, err := fieldsOf(object(row))
		if err != nil {
			return err
		}
		line := make([]string, len(paths))
		for i, path := range paths {
			line[i] = cell(fields, path)
		}
		cells = append(cells, line)
	}
	return s.app.Write(table(o.head(head), cells))
}

// cell returns the value at a path, or - without one.
func cell(v any, path []string) string {
	if len(path) == 0 {
		switch v.(type) {
		case gaby.Entries, []any:
			text, err := entity.JSON(v)
			if err == nil {
				return strings.TrimSpace(string(text))
			}
		}
		return fmt.Sprint(v)
	}
	fields, ok := v.(gaby.Entries)
	if !ok {
		return "-"
	}
	for n := len(path); n > 0; n-- { // keys may have dots
		for _, f := range fields {
			if f.Key == strings.Join(path[:n], ".") {
				return cell(f.Value, path[n:])
			}
		}
	}
	return "-"
}

// table lays out rows in columns two blanks apart.
func table(head []string, rows [][]string) []byte {
	if head != nil {
		rows = append([][]string{head}, rows...)
	}
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b bytes.Buffer
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.Bytes()
}
