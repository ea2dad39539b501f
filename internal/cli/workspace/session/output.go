package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/out"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// InvocationText returns a function with its arguments as the command line has it.
func InvocationText(i api.FunctionInvocation) string {
	words := []string{i.FunctionName}
	for _, a := range i.Arguments {
		text := Cell(a.Value, nil)
		if a.Evaluator != "" {
			text = a.Evaluator + ":" + text
		}
		if a.ParameterName != "" {
			text = "--" + a.ParameterName + "=" + text
		}
		words = append(words, text)
	}
	text := shellwords.Quote(words...)
	if i.WhereResource != "" {
		text += " where " + i.WhereResource
	}
	return text
}

// Output holds the flags that say how entities are printed.
type Output struct {
	Form      string
	noHeaders bool
	columns   []string
	fields    []string
}

// Add adds the flags.
func (o *Output) Add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.Form, "output", "o", "",
		"output `FORMAT`: table, wide, name, json, yaml, jq=EXPR or custom-columns=NAME:FIELD,...")
	flags.BoolVar(&o.noHeaders, "no-headers", false, "print tables without their first line")
	flags.StringSliceVar(&o.columns, "columns", nil, "print only these `COLUMNS` of the table")
	flags.StringSliceVar(&o.fields, "select", nil, "print only these `FIELDS` as JSON or YAML")
}

// Check reports an unknown form.
func (o *Output) Check() error {
	if strings.HasPrefix(o.Form, "custom-columns=") ||
		slices.Contains([]string{"", "table", "wide", "name", "json", "yaml"}, o.Form) {
		return nil
	}
	if expression, ok := strings.CutPrefix(o.Form, jqPrefix); ok {
		_, err := compileJQ(expression)
		return err
	}
	return diag.Usage(
		"output format %q is not one of table, wide, name, json, yaml, jq=..., custom-columns=...",
		o.Form)
}

// Column is a column of a table. A wide one is shown with -o wide only.
type Column[T any] struct {
	name  string
	wide  bool
	value func(T) string
}

// Col returns a column of every table.
func Col[T any](name string, value func(T) string) Column[T] {
	return Column[T]{name, false, value}
}

// WideCol returns a column of wide tables.
func WideCol[T any](name string, value func(T) string) Column[T] {
	return Column[T]{name, true, value}
}

// AsObjects reports whether the form prints fields of entities, not a table.
func (o *Output) AsObjects() bool {
	return o.Form == "json" || o.Form == "yaml" || strings.HasPrefix(o.Form, jqPrefix)
}

// noteUnused says which flags have no effect with the form.
func (s *Session) noteUnused(o *Output) {
	if len(o.fields) > 0 && !o.AsObjects() {
		s.App.Note(s.Settings, "--select has no effect without -o json, yaml or jq")
	}
	if len(o.columns) > 0 && !slices.Contains([]string{"", "table", "wide"}, o.Form) {
		s.App.Note(s.Settings, "--columns has no effect with -o "+o.Form)
	}
}

// noteMissing says which selected fields no entity has.
func (s *Session) noteMissing(o *Output, objects []any) {
	known := map[string]bool{}
	for _, object := range objects {
		fields, _ := fieldsOf(object)
		for _, f := range fields {
			known[f.Key] = true
		}
	}
	for _, name := range o.fields {
		if len(objects) > 0 && !known[name] {
			s.App.Note(s.Settings, "--select: none of the entities has the field "+name)
		}
	}
}

// PrintList prints entities. object returns what -o json prints of one.
func PrintList[T any](
	s *Session, o *Output, rows []T, columns []Column[T], name func(T) string,
	object func(T) any,
) error {
	if err := o.Check(); err != nil {
		return err
	}
	s.noteUnused(o)
	switch form := o.Form; {
	case form == "name":
		var b strings.Builder
		for _, row := range rows {
			b.WriteString(name(row) + "\n")
		}
		return s.App.Write([]byte(b.String()))
	case form == "json" || form == "yaml" || strings.HasPrefix(form, jqPrefix):
		objects := make([]any, len(rows))
		for i, row := range rows {
			objects[i] = object(row)
		}
		return s.PrintObjects(o, objects)
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
	return s.writeTable(o.head(head), cells)
}

func columnNames[T any](columns []Column[T]) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return names
}

func (o *Output) head(head []string) []string {
	if o.noHeaders {
		return nil
	}
	return head
}

// chosen returns the columns that --columns names or, without it, those of the form.
func chosen[T any](o *Output, columns []Column[T]) ([]Column[T], error) {
	if len(o.columns) == 0 {
		return slices.DeleteFunc(slices.Clone(columns), func(c Column[T]) bool {
			return c.wide && o.Form != "wide"
		}), nil
	}
	var picked []Column[T]
	for _, name := range o.columns {
		i := slices.IndexFunc(columns, func(c Column[T]) bool {
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

// PrintObjects prints a list as JSON or YAML.
func (s *Session) PrintObjects(o *Output, objects []any) error {
	list := make([]any, len(objects))
	for i, object := range objects {
		picked, err := o.Pick(object)
		if err != nil {
			return err
		}
		list[i] = picked
	}
	s.noteMissing(o, objects)
	return s.PrintValue(o.Form, list)
}

// PrintObject prints one entity as JSON or YAML.
func (s *Session) PrintObject(o *Output, object any) error {
	picked, err := o.Pick(object)
	if err != nil {
		return err
	}
	s.noteMissing(o, []any{object})
	return s.PrintValue(o.Form, picked)
}

// PrintValue prints a value as JSON or YAML.
func (s *Session) PrintValue(form string, v any) error {
	if expression, ok := strings.CutPrefix(form, jqPrefix); ok {
		text, err := runJQ(s.Ctx, expression, v)
		if err != nil {
			return err
		}
		return s.App.WriteLines(text)
	}
	write := entity.JSON
	if form == "yaml" {
		write = entity.YAML
	}
	text, err := write(v)
	if err != nil {
		return err
	}
	return s.App.WriteValues(text)
}

// Pick returns the fields that --select names.
func (o *Output) Pick(object any) (any, error) {
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
func printCustom[T any](s *Session, o *Output, rows []T, object func(T) any) error {
	_, text, _ := strings.Cut(o.Form, "=")
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
			line[i] = Cell(fields, path)
		}
		cells = append(cells, line)
	}
	return s.writeTable(o.head(head), cells)
}

// Cell returns the value at a path, or - without one.
func Cell(v any, path []string) string {
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
				return Cell(f.Value, path[n:])
			}
		}
	}
	return "-"
}

// writeTable prints rows, fitted to a terminal.
func (s *Session) writeTable(head []string, rows [][]string) error {
	t := out.Table{Head: head, Rows: rows, Mask: s.App.Masked}
	if s.App.Streams.OutIsTerminal() {
		t.Width = s.App.Streams.Width()
	}
	return s.App.WriteText(t.String())
}

// PrintOne prints an entity after a command, or only a message without -o.
func (s *Session) PrintOne(out *Output, name string, object any, message, id string) error {
	if err := out.Check(); err != nil {
		return err
	}
	s.After(func() error {
		switch out.Form {
		case "":
			if message == "" || s.Settings.Quiet {
				return nil
			}
			return s.App.WriteText(message + " (" + id + ")\n")
		case "name":
			return s.App.Write([]byte(name + "\n"))
		}
		return s.PrintObject(out, object)
	})
	return nil
}

// PrintUnit prints a unit after a command, or only a message without -o.
func (s *Session) PrintUnit(out *Output, u *workspace.Unit, message string) error {
	return s.PrintOne(out, u.Name(), u.Unit, message, u.UnitID)
}
