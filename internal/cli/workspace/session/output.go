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

// PrintFlags holds the flags that say how entities are printed.
type PrintFlags struct {
	Form      string
	noHeaders bool
	columns   []string
	fields    []string
}

// Add adds the flags.
func (o *PrintFlags) Add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.Form, "output", "o", "",
		"output `FORMAT`: table, wide, name, json, yaml, jq=EXPR or custom-columns=NAME:FIELD,...")
	flags.BoolVar(&o.noHeaders, "no-headers", false, "print tables without their first line")
	flags.StringSliceVar(&o.columns, "columns", nil, "print only these `COLUMNS` of the table")
	flags.StringSliceVar(&o.fields, "select", nil, "print only these `FIELDS` as JSON or YAML")
}

// Check reports an unknown form.
func (o *PrintFlags) Check() error {
	if strings.HasPrefix(o.Form, customPrefix) ||
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

// AsObjects reports whether the form prints fields of entities, not a table.
func (o *PrintFlags) AsObjects() bool {
	return o.Form == "json" || o.Form == "yaml" || strings.HasPrefix(o.Form, jqPrefix)
}

// noteUnused says which flags have no effect with the form.
func (s *Session) noteUnused(o *PrintFlags) {
	if len(o.fields) > 0 && !o.AsObjects() {
		s.App.Note(s.Settings, "--select has no effect without -o json, yaml or jq")
	}
	if len(o.columns) > 0 && !slices.Contains([]string{"", "table", "wide"}, o.Form) {
		s.App.Note(s.Settings, "--columns has no effect with -o "+o.Form)
	}
}

// noteMissing says which selected fields no entity has.
func (s *Session) noteMissing(o *PrintFlags, objects []any) {
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

// Listing says how rows are listed. The names of columns of wide tables begin with a plus sign.
type Listing[T any] struct {
	Head   []string
	Cells  func(T) []string
	Name   func(T) string
	Object func(T) any // what -o json prints of a row
}

// Print prints rows.
func (t *Listing[T]) Print(s *Session, o *PrintFlags, rows []T) error {
	if err := o.Check(); err != nil {
		return err
	}
	s.noteUnused(o)
	switch form := o.Form; {
	case form == "name":
		var b strings.Builder
		for _, row := range rows {
			b.WriteString(t.Name(row) + "\n")
		}
		return s.App.Write([]byte(b.String()))
	case o.AsObjects(), strings.HasPrefix(form, customPrefix):
		objects := make([]any, len(rows))
		for i, row := range rows {
			objects[i] = t.Object(row)
		}
		if o.AsObjects() {
			return s.PrintObjects(o, objects)
		}
		return s.printCustom(o, objects)
	}
	head, columns, err := t.columns(o)
	if err != nil {
		return err
	}
	var lines [][]string
	for _, row := range rows {
		cells, line := t.Cells(row), make([]string, len(columns))
		for i, column := range columns {
			line[i] = cells[column]
		}
		lines = append(lines, line)
	}
	return s.writeTable(o.head(head), lines)
}

func (o *PrintFlags) head(head []string) []string {
	if o.noHeaders {
		return nil
	}
	return head
}

// columns returns the names and the indexes of the columns that --columns names or, without it, of
// those of the form.
func (t *Listing[T]) columns(o *PrintFlags) (head []string, columns []int, err error) {
	names := make([]string, len(t.Head))
	for i, name := range t.Head {
		plain, wide := strings.CutPrefix(name, "+")
		if names[i] = plain; len(o.columns) == 0 && (!wide || o.Form == "wide") {
			head, columns = append(head, plain), append(columns, i)
		}
	}
	for _, name := range o.columns {
		i := slices.Index(names, strings.ToUpper(name))
		if i < 0 {
			return nil, nil, diag.UsageHint(configkit.DidYouMean("", configkit.Suggest(
				strings.ToUpper(name), names)), "unknown column %q", name)
		}
		head, columns = append(head, names[i]), append(columns, i)
	}
	return head, columns, nil
}

// PrintObjects prints a list as JSON or YAML.
func (s *Session) PrintObjects(o *PrintFlags, objects []any) error {
	list := make([]any, len(objects))
	for i, object := range objects {
		var err error
		if list[i], err = o.Pick(object); err != nil {
			return err
		}
	}
	s.noteMissing(o, objects)
	return s.PrintValue(o.Form, list)
}

// PrintObject prints one entity as JSON or YAML.
func (s *Session) PrintObject(o *PrintFlags, object any) error {
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
func (o *PrintFlags) Pick(object any) (any, error) {
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

// customPrefix begins the output format of columns that the user defines.
const customPrefix = "custom-columns="

// printCustom prints the columns that the user defines: NAME:FIELD or NAME:FIELD.FIELD.
func (s *Session) printCustom(o *PrintFlags, objects []any) error {
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
	for _, object := range objects {
		fields, err := fieldsOf(object)
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

// PrintGet prints one entity: its fields one per line, or with -o in another form.
func (s *Session) PrintGet(o *PrintFlags, name string, object any, rows [][]string) error {
	if err := o.Check(); err != nil {
		return err
	}
	s.noteUnused(o)
	switch {
	case o.Form == "name":
		return s.App.Write([]byte(name + "\n"))
	case o.AsObjects():
		return s.PrintObject(o, object)
	case strings.HasPrefix(o.Form, customPrefix):
		return s.printCustom(o, []any{object})
	}
	return s.writeTable(nil, slices.DeleteFunc(rows, func(row []string) bool { return row[1] == "" }))
}

// PrintOne prints an entity after a command: what was done to it or, with -o, itself. object is
// what -o json prints.
func (s *Session) PrintOne(o *PrintFlags, e entity.Entity, object any, done string) error {
	if err := o.Check(); err != nil {
		return err
	}
	s.After(func() error {
		switch o.Form {
		case "":
			if done == "" || s.Settings.Quiet {
				return nil
			}
			return s.App.WriteText(done + "\n")
		case "name":
			return s.App.Write([]byte(e.Name() + "\n"))
		}
		return s.PrintObject(o, object)
	})
	return nil
}

// PrintDone prints an entity after a command that created or updated it.
func (s *Session) PrintDone(o *PrintFlags, e entity.Entity, verb string) error {
	return s.PrintOne(o, e, e.Self(), fmt.Sprintf("%s %s %s", verb, e.Kind(), e.Name()))
}
