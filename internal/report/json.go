package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
)

// Marshal returns a value as JSON indented by two, with a final newline and without escaping <, >
// and &. Lists that may have a row for every resource of a large unit are written directly, with
// the same bytes as by encoding/json, which would spend most of its time on them.
func Marshal(value any) ([]byte, error) {
	text, err := marshal(value)
	text = safeJSON(text)
	if len(text) == 1 {
		return text[0], err
	}
	return bytes.Join(text, nil), err
}

// marshal is Marshal in chunks.
func marshal(value any) (Chunks, error) {
	e := &jsonEncoder{}
	var err error
	switch v := value.(type) {
	case api.AttributeValueList:
		if len(v) > 2*chunkRows {
			return marshalRows(v, func(e *jsonEncoder) func(*api.AttributeValue) error {
				return e.attribute
			})
		}
		err = e.attributes(v)
	case api.ResourceMutationList:
		return marshalMutations(v)
	case api.ValidationResultList:
		err = e.validations(v)
	case api.ResourceInfoList:
		e.b = make([]byte, 0, 256*len(v)+16)
		e.resourceInfos(v)
	case api.ResourceList:
		e.resources(v)
	default:
		err = e.other(value)
	}
	if err != nil {
		return nil, err
	}
	return Chunks{append(e.b, '\n')}, nil
}

// chunkRows is the number of rows that are worth a goroutine. The first sampleRows rows predict the
// size of the others, up to maxRow bytes each.
const (
	chunkRows  = 512
	sampleRows = 32
	maxRow     = 2 << 10 // bytes
)

// marshalRows writes a long list on all cores, in chunks.
func marshalRows[T any](rows []T, writer func(*jsonEncoder) func(*T) error) (Chunks, error) {
	n := (len(rows) + chunkRows - 1) / chunkRows
	texts, errs := make([][]byte, n+2), make([]error, n)
	texts[0], texts[n+1] = []byte("["), []byte("\n]\n")
	sample := &jsonEncoder{depth: 1}
	// an error occurs again below
	_ = items(sample, rows[:min(sampleRows, len(rows))], writer(sample))
	size := min(len(sample.b)*9/8/sampleRows, maxRow) * chunkRows
	var next atomic.Int64
	var work sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				some := rows[i*chunkRows : min((i+1)*chunkRows, len(rows))]
				e := &jsonEncoder{b: make([]byte, 0, size), depth: 1, empty: i == 0}
				errs[i] = items(e, some, writer(e))
				texts[i+1] = e.b
			}
		})
	}
	work.Wait()
	return texts, errors.Join(errs...)
}

// jsonEncoder writes indented JSON. Its methods follow the order and the omissions of the fields of
// package api; a test compares it with encoding/json.
type jsonEncoder struct {
	b     []byte
	depth int
	empty bool // the bracket opened last has no entry yet
	// details caches the text of details, which the rows of an attribute share.
	details map[*api.AttributeDetails][]byte
	// unit is the first field of the rows of the outermost list; empty for none.
	unit string
}

func (e *jsonEncoder) open(bracket byte) {
	e.b = append(e.b, bracket)
	e.depth++
	e.empty = true
}

func (e *jsonEncoder) close(bracket byte) {
	e.depth--
	if !e.empty {
		e.newline()
	}
	e.empty = false
	e.b = append(e.b, bracket)
}

func (e *jsonEncoder) newline() {
	if n := 2 + 2*e.depth; n <= len(commaLine) {
		e.b = append(e.b, commaLine[1:n]...)
		return
	}
	e.b = append(e.b, '\n')
	for range e.depth {
		e.b = append(e.b, "  "...)
	}
}

// commaLine ends a line and indents the next one.
const commaLine = ",\n                    "

// entry begins an entry of the bracket opened last.
func (e *jsonEncoder) entry() {
	if n := 2 + 2*e.depth; !e.empty && n <= len(commaLine) { // the common case, in one append
		e.b = append(e.b, commaLine[:n]...)
		return
	}
	if !e.empty {
		e.b = append(e.b, ',')
	}
	e.empty = false
	e.newline()
}

// key begins a field; names of fields need no escaping.
func (e *jsonEncoder) key(name string) {
	e.entry()
	e.b = append(e.b, '"')
	e.b = append(e.b, name...)
	e.b = append(e.b, `": `...)
}

// stringKey begins a field with any text as its name.
func (e *jsonEncoder) stringKey(name string) {
	e.entry()
	e.quote(name)
	e.b = append(e.b, ": "...)
}

func (e *jsonEncoder) stringField(name, value string) {
	e.key(name)
	e.quote(value)
}

func (e *jsonEncoder) optional(name, value string) {
	if value != "" {
		e.stringField(name, value)
	}
}

func (e *jsonEncoder) intField(name string, value int) {
	e.key(name)
	e.b = strconv.AppendInt(e.b, int64(value), 10)
}

func (e *jsonEncoder) boolField(name string, value bool) {
	e.key(name)
	e.b = strconv.AppendBool(e.b, value)
}

// list writes a list; a nil list is null.
func list[T any](e *jsonEncoder, values []T, item func(*T) error) error {
	if values == nil {
		e.b = append(e.b, "null"...)
		return nil
	}
	e.open('[')
	if err := items(e, values, item); err != nil {
		return err
	}
	e.close(']')
	return nil
}

// items writes the entries of a list.
func items[T any](e *jsonEncoder, values []T, item func(*T) error) error {
	for i := range values {
		e.entry()
		if err := item(&values[i]); err != nil {
			return err
		}
	}
	return nil
}

// openRow begins a row.
func (e *jsonEncoder) openRow() {
	e.open('{')
	if e.unit != "" && e.depth == 2 {
		e.stringField("Unit", e.unit)
	}
}

func (e *jsonEncoder) attributes(rows api.AttributeValueList) error {
	return list(e, rows, e.attribute)
}

func (e *jsonEncoder) attribute(row *api.AttributeValue) error {
	e.openRow()
	e.resourceInfo(&row.ResourceInfo)
	e.stringField("Path", string(row.Path))
	if row.InLiveState {
		e.boolField("InLiveState", true)
	}
	e.stringField("AttributeName", string(row.AttributeName))
	e.stringField("DataType", string(row.DataType))
	if row.Details != nil {
		e.key("Details")
		if err := e.detailsOf(row.Details); err != nil {
			return err
		}
	}
	e.key("Value")
	if err := e.other(row.Value); err != nil {
		return err
	}
	e.optional("Comment", row.Comment)
	e.intField("Index", row.Index)
	e.optional("FunctionName", row.FunctionName)
	e.optional("Score", row.Score)
	if len(row.Issues) > 0 {
		e.key("Issues")
		if err := list(e, row.Issues, e.issue); err != nil {
			return err
		}
	}
	if row.Position != nil {
		e.key("Position")
		e.open('{')
		e.optional("File", row.Position.File)
		e.intField("Line", row.Position.Line)
		e.intField("Column", row.Position.Column)
		e.close('}')
	}
	e.close('}')
	return nil
}

func (e *jsonEncoder) issue(issue *api.Issue) error {
	e.open('{')
	e.stringField("Identifier", issue.Identifier)
	e.stringField("Message", issue.Message)
	e.close('}')
	return nil
}

// detailsOf writes details. The cache works because all rows of a list have their details at the
// same depth.
func (e *jsonEncoder) detailsOf(d *api.AttributeDetails) error {
	if text, ok := e.details[d]; ok {
		e.b = append(e.b, text...)
		return nil
	}
	from := len(e.b)
	if err := e.other(d); err != nil {
		return err
	}
	if e.details == nil {
		e.details = map[*api.AttributeDetails][]byte{}
	}
	e.details[d] = bytes.Clone(e.b[from:])
	return nil
}

func (e *jsonEncoder) validations(results api.ValidationResultList) error {
	return list(e, results, e.validation)
}

func (e *jsonEncoder) validation(r *api.ValidationResult) error {
	e.openRow()
	e.boolField("Passed", r.Passed)
	e.intField("Index", r.Index)
	e.optional("FunctionName", r.FunctionName)
	e.optional("Score", r.Score)
	if len(r.Details) > 0 {
		e.key("Details")
		_ = list(e, r.Details, func(s *string) error {
			e.quote(*s)
			return nil
		})
	}
	if len(r.FailedAttributes) > 0 {
		e.key("FailedAttributes")
		if err := e.attributes(r.FailedAttributes); err != nil {
			return err
		}
	}
	if len(r.Unchecked) > 0 {
		e.key("Unchecked")
		if err := e.other(r.Unchecked); err != nil {
			return err
		}
	}
	e.close('}')
	return nil
}

func (e *jsonEncoder) resourceInfo(info *api.ResourceInfo) {
	e.stringField("ResourceName", string(info.ResourceName))
	e.stringField("ResourceNameWithoutScope", string(info.ResourceNameWithoutScope))
	e.stringField("ResourceType", string(info.ResourceType))
	e.stringField("ResourceCategory", string(info.ResourceCategory))
	e.optional("ResourceMergeID", info.ResourceMergeID)
}

func (e *jsonEncoder) resourceInfos(infos api.ResourceInfoList) {
	_ = list(e, infos, e.resourceInfoRow)
}

func (e *jsonEncoder) resourceInfoRow(info *api.ResourceInfo) error {
	e.openRow()
	e.resourceInfo(info)
	e.close('}')
	return nil
}

func (e *jsonEncoder) resources(resources api.ResourceList) {
	_ = list(e, resources, e.resource)
}

func (e *jsonEncoder) resource(r *api.Resource) error {
	e.openRow()
	e.resourceInfo(&r.ResourceInfo)
	e.optional("ResourceBody", r.ResourceBody)
	e.close('}')
	return nil
}

// other writes any value. It leaves all but simple values to encoding/json.
func (e *jsonEncoder) other(value any) error {
	switch v := value.(type) {
	case nil:
		e.b = append(e.b, "null"...)
		return nil
	case string:
		e.quote(v)
		return nil
	case bool:
		e.b = strconv.AppendBool(e.b, v)
		return nil
	case int:
		e.b = strconv.AppendInt(e.b, int64(v), 10)
		return nil
	case int64:
		e.b = strconv.AppendInt(e.b, v, 10)
		return nil
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent(fmt.Sprintf("%*s", 2*e.depth, ""), "  ")
	if err := enc.Encode(value); err != nil {
		return err
	}
	e.b = append(e.b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
	return nil
}

// quote writes a string as encoding/json does without escaping for HTML: control characters,
// invalid UTF-8 and U+2028 and U+2029, which older JavaScript does not accept in strings, are
// escaped.
func (e *jsonEncoder) quote(s string) {
	e.b = append(e.b, '"')
	from := 0
	for i := plainLen(s, 0); i < len(s); i = plainLen(s, i) {
		escaped, size := escape(s[i:])
		if escaped != "" {
			e.b = append(e.b, s[from:i]...)
			e.b = append(e.b, escaped...)
			from = i + size
		}
		i += size
	}
	e.b = append(e.b, s[from:]...)
	e.b = append(e.b, '"')
}

// plainLen returns the index of the first byte of s, from i on, that may have to be escaped.
func plainLen(s string, i int) int {
	for i < len(s) && isPlain(s[i]) {
		i++
	}
	return i
}

func isPlain(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }

// escape returns the escaped form of the first character of s, empty if it needs none, and the size
// of the character in bytes.
func escape(s string) (escaped string, size int) {
	const hex = "0123456789abcdef"
	switch c := s[0]; {
	case c == '"':
		return `\"`, 1
	case c == '\\':
		return `\\`, 1
	case c == '\b':
		return `\b`, 1
	case c == '\f':
		return `\f`, 1
	case c == '\n':
		return `\n`, 1
	case c == '\r':
		return `\r`, 1
	case c == '\t':
		return `\t`, 1
	case c < ' ':
		return string([]byte{'\\', 'u', '0', '0', hex[c>>4], hex[c&15]}), 1
	}
	switch r, size := utf8.DecodeRuneInString(s); {
	case r == utf8.RuneError && size == 1:
		return `\ufffd`, size
	case r == '\u2028':
		return `\u2028`, size
	case r == '\u2029':
		return `\u2029`, size
	default:
		return "", size
	}
}
