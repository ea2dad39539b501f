package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Text is data that JSON carries as a plain string. It is assignable to and from []byte.
type Text []byte

// MarshalJSON prints the text as a string.
func (t Text) MarshalJSON() ([]byte, error) { return marshal(string(t)) }

// marshal encodes v without escaping <, > and &. An enclosing encoder that escapes HTML still
// escapes them.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// UnmarshalJSON reads a string.
func (t *Text) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	*t = []byte(s)
	return nil
}

// Data is configuration data, which JSON carries as base64. It is assignable to and from []byte.
type Data []byte

// UnmarshalJSON reads base64.
func (d *Data) UnmarshalJSON(text []byte) error {
	// The decoder has read the text already, and base64 needs no escapes.
	if n := len(text); n > 1 && text[0] == '"' && bytes.IndexByte(text, '\\') < 0 {
		decoded, err := base64.StdEncoding.AppendDecode(nil, text[1:n-1])
		if err == nil {
			*d = decoded
			return nil
		}
	}
	var decoded []byte
	err := json.Unmarshal(text, &decoded)
	if _, ok := errors.AsType[base64.CorruptInputError](err); ok {
		return fmt.Errorf("configuration data must be base64, this is plain text: %w", err)
	}
	*d = decoded
	return err
}

// FunctionContext is what a function may know about the origin of its data.
type FunctionContext struct {
	ToolchainType     ToolchainType     `json:",omitempty"`
	UnitSlug          string            `json:",omitempty"`
	UnitID            string            `json:",omitempty"`
	UnitLabels        map[string]string `json:",omitempty"`
	UnitAnnotations   map[string]string `json:",omitempty"`
	SpaceID           string            `json:",omitempty"`
	SpaceSlug         string            `json:",omitempty"`
	SpaceLabels       map[string]string `json:",omitempty"`
	SpaceAnnotations  map[string]string `json:",omitempty"`
	OrganizationID    string            `json:",omitempty"`
	TargetID          string            `json:",omitempty"`
	BridgeWorkerID    string            `json:",omitempty"`
	TargetFacts       map[string]string `json:",omitempty"`
	RevisionID        string            `json:",omitempty"`
	RevisionNum       int64             `json:",omitempty"`
	QueuedOperationID string            `json:",omitempty"`
	NotLive           bool              `json:",omitempty"`
	IsLiveState       bool              `json:",omitempty"` // the data is a live state of the unit
	PreviousDataHash  string            `json:",omitempty"`
	ApprovedBy        []string          `json:",omitempty"`
	// Conflicts are the conflicts of the merges that produced the data.
	Conflicts MutationConflictList `json:",omitempty"`

	ctx    context.Context
	report *Report
}

// Report collects what one call of a function reports besides its result.
type Report struct {
	Notes   []Note
	Matches int
	Counted bool // the function counts its matches
	// Nearest is what there is that resembles what the function looked for, if it found nothing.
	Nearest string
	// Missing is what the function needs and did not get, if it had nothing to do because of that.
	Missing string
}

// Context returns the context of the invocation, which is cancelled when its result is no longer
// wanted. It is never nil.
func (fc *FunctionContext) Context() context.Context {
	if fc == nil || fc.ctx == nil {
		return context.Background()
	}
	return fc.ctx
}

// WithContext returns a copy of fc that carries ctx.
func (fc *FunctionContext) WithContext(ctx context.Context) *FunctionContext {
	c := *fc
	c.ctx = ctx
	return &c
}

// WithReport returns a copy of fc that collects notes and matches in r.
func (fc *FunctionContext) WithReport(r *Report) *FunctionContext {
	c := *fc
	c.report = r
	return &c
}

// Note reports something that is neither a result nor an error. It is printed on stderr.
func (fc *FunctionContext) Note(pos Position, message string) {
	if fc != nil && fc.report != nil {
		fc.report.Notes = append(fc.report.Notes, Note{Pos: pos, Message: message})
	}
}

// NoteOnce is Note for something about the whole unit. It is printed once, however many parts the
// unit is split into.
func (fc *FunctionContext) NoteOnce(message string) {
	if fc != nil && fc.report != nil {
		fc.report.Notes = append(fc.report.Notes, Note{Message: message, Kind: NoteUnit})
	}
}

// NoteSum is NoteOnce for a number of things and their names. Both add up over the parts of a unit
// and over units. The text is lead, count, of and message: NoteSum("skipped ", 2, "resource", ": no
// schema has x") notes "skipped 2 resources: no schema has x".
func (fc *FunctionContext) NoteSum(lead string, count int, of, message string, names ...string) {
	fc.noteSum(Note{Lead: lead, Count: count, Of: of, Message: message}, names)
}

// NoteNames is NoteOnce for named things. Their names add up over units, like those of NoteSum.
func (fc *FunctionContext) NoteNames(message string, names ...string) {
	fc.noteSum(Note{Message: message}, names)
}

func (fc *FunctionContext) noteSum(n Note, names []string) {
	if fc != nil && fc.report != nil {
		n.Kind = NoteUnit
		sum := n.Key()
		n.Names = strings.Join(names, ", ")
		sum.Add(n)
		fc.report.Notes = append(fc.report.Notes, sum)
	}
}

// Skipped reports what the function skips. Under --strict that is an error.
func (fc *FunctionContext) Skipped(pos Position, message string) {
	if fc != nil && fc.report != nil {
		fc.report.Notes = append(fc.report.Notes, Note{
			Pos: pos, Message: message, Kind: NoteSkippedDocument,
		})
	}
}

// Matched adds n to the number of paths the function applied to. A function that calls it only with
// 0 is reported as having matched nothing; one that never calls it is not counted.
func (fc *FunctionContext) Matched(n int) {
	if fc != nil && fc.report != nil {
		fc.report.Matches += n
		fc.report.Counted = true
	}
}

// Nearest says what there is that resembles what the function looked for. It is reported if the
// function matched nothing.
func (fc *FunctionContext) Nearest(what string) {
	if fc != nil && fc.report != nil && fc.report.Nearest == "" {
		fc.report.Nearest = what
	}
}

// Missing says what the function needs and did not get. The function counts as one that matched
// nothing, and the message says so in place of the usual one. It passes or fails as it likes.
func (fc *FunctionContext) Missing(message string) {
	if fc != nil && fc.report != nil {
		fc.report.Missing = message
		fc.report.Counted = true
	}
}

// FunctionInvocationRequest asks for a chain of functions to be run on the data of one unit.
type FunctionInvocationRequest struct {
	FunctionContext
	ConfigData Data
	// FileName is the name of the file the data comes from, if known, and "-" if there is no file.
	// Formats with dialects detect them by it.
	FileName  string          `json:",omitempty"`
	OtherData map[string]Text `json:",omitempty"` // by name of its source
	// LiveState is what older clients send instead of OtherData. Functions get it as other data
	// named LiveState.
	LiveState  Data `json:",omitempty"`
	NumFilters int  `json:",omitempty"`
	// Upsert lets setters without a resource type create missing values in each of several
	// resources, though nothing says that their types have them.
	Upsert        bool   `json:",omitempty"`
	StopOnError   bool   `json:",omitempty"`
	WhereResource string `json:",omitempty"`
	// WhereCEL is a CEL expression. Functions see only the resources for which it is true, too.
	WhereCEL string `json:",omitempty"`
	// CombineValidationResults asks for one ValidationResult of all validating functions instead of
	// a list.
	CombineValidationResults bool `json:",omitempty"`
	FunctionInvocations      FunctionInvocationList

	// RecordMutations asks for the Mutations of the response.
	RecordMutations bool `json:",omitempty"`
	// RecordFindings asks a server for the Findings of the response.
	RecordFindings bool `json:",omitempty"`
}

// FunctionInvocationResponse is the result of a request.
type FunctionInvocationResponse struct {
	OrganizationID string `json:",omitempty"`
	SpaceID        string `json:",omitempty"`
	SpaceSlug      string `json:",omitempty"`
	UnitID         string `json:",omitempty"`
	UnitSlug       string `json:",omitempty"`
	RevisionID     string `json:",omitempty"`
	// ConfigData is always set. JSON carries it only if Changed, but always its DataHash, which is
	// set by encoding.
	ConfigData Data `json:",omitzero"`
	DataHash   string
	Outputs    OutputList
	// Output is the first of the Outputs as JSON and OutputType is its type, for older clients.
	// JSON always includes both.
	Output          []byte     `json:",omitempty"`
	OutputType      OutputType `json:",omitempty"`
	HasNewMutations bool
	// Mutations are what the chain did to the data, if the request asked for them. Mutators are the
	// positions of the functions that changed it.
	Mutations     ResourceMutationList
	Mutators      []int
	Success       bool
	ErrorMessages []string
	// Findings lists findings of validations, failures and notes, with positions in the data of the
	// request. Servers set it if the request has RecordFindings.
	Findings []Finding `json:",omitempty"`

	// Changed reports whether the data differs from that of the request.
	Changed bool `json:"-"`
}

// MarshalJSON prints the response. The data is included only if it changed, its hash always.
func (r FunctionInvocationResponse) MarshalJSON() ([]byte, error) {
	type plain FunctionInvocationResponse
	r.DataHash = DataHash(r.ConfigData)
	if !r.Changed {
		r.ConfigData = nil
	}
	if r.Mutations == nil {
		r.Mutations = ResourceMutationList{}
	}
	if r.Mutators == nil {
		r.Mutators = []int{}
	}
	if r.ErrorMessages == nil {
		r.ErrorMessages = []string{}
	}
	var err error
	if r.OutputType, r.Output, err = r.Outputs.First(); err != nil {
		return nil, err
	}
	return marshal(plain(r))
}

// UnmarshalJSON reads what MarshalJSON prints. The data counts as changed if it is present.
func (r *FunctionInvocationResponse) UnmarshalJSON(data []byte) error {
	type plain FunctionInvocationResponse
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*r = FunctionInvocationResponse(p)
	r.Changed = r.ConfigData != nil
	return nil
}

// DataHash returns the hash by which both ends of a connection recognize the same data: SHA-256 in
// hexadecimal.
func DataHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Output is the combined output of all functions that return one output type.
type Output struct {
	OutputType OutputType
	// Value is a list type of this package, a YAMLPayload, or any value that JSON can encode.
	Value any
}

// OutputList is a list of outputs, in the order in which their types first appeared.
type OutputList []Output

// First returns the type of the first output and its JSON, or nothing if there are no outputs.
func (l OutputList) First() (OutputType, []byte, error) {
	if len(l) == 0 {
		return "", nil, nil
	}
	value, err := l[0].json()
	return l[0].OutputType, value, err
}

func (o Output) json() ([]byte, error) {
	value, err := marshal(o.Value)
	if err != nil {
		return nil, fmt.Errorf("output %s: %w", o.OutputType, err)
	}
	return value, nil
}

// MarshalJSON prints an object that maps each output type to the base64 of its value's JSON.
func (l OutputList) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, o := range l {
		if i > 0 {
			b = append(b, ',')
		}
		value, err := o.json()
		if err != nil {
			return nil, err
		}
		key, err := json.Marshal(string(o.OutputType))
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(value) // a []byte becomes base64
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, key...), ':'), text...)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON prints and keeps its order. Values of this package's list
// types are decoded to them, others to json.RawMessage.
func (l *OutputList) UnmarshalJSON(data []byte) error {
	var order []OutputType
	values := map[OutputType][]byte{}
	if err := decodeOrdered(data, &order, values); err != nil {
		return err
	}
	*l = make(OutputList, 0, len(order))
	for _, t := range order {
		value, err := decodeOutput(t, values[t])
		if err != nil {
			return fmt.Errorf("output %s: %w", t, err)
		}
		*l = append(*l, Output{OutputType: t, Value: value})
	}
	return nil
}
