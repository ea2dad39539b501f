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

// Text is data that JSON carries as a plain string. A []byte can be assigned to it and the other way round.
type Text []byte

// MarshalJSON prints the text as a string.
func (t Text) MarshalJSON() ([]byte, error) { return marshal(string(t)) }

// marshal leaves <, > and & as they are, unless whoever asked for the JSON wants them escaped and does it.
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

// Data is configuration data, which JSON carries as base64. A []byte can be assigned to it and the other way round.
type Data []byte

// UnmarshalJSON reads base64.
func (d *Data) UnmarshalJSON(text []byte) error {
	var decoded []byte
	err := json.Unmarshal(text, &decoded)
	if _, ok := errors.AsType[base64.CorruptInputError](err); ok {
		return fmt.Errorf("configuration data must be base64, this is plain text: %w", err)
	}
	*d = decoded
	return err
}

// FunctionContext is what a function may know about where its data comes from.
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
	PreviousDataHash  string            `json:",omitempty"`
	ApprovedBy        []string          `json:",omitempty"`
	// Conflicts are those of the merges the data has been through.
	Conflicts MutationConflictList `json:",omitempty"`

	ctx    context.Context
	report *Report
}

// Report collects what one call of a function says beside its result.
type Report struct {
	Notes   []Note
	Matches int
	Counted bool // the function counts its matches
}

// Context is cancelled when the invocation is no longer wanted. It is never nil.
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

// WithReport returns a copy of fc whose notes and matches go to r.
func (fc *FunctionContext) WithReport(r *Report) *FunctionContext {
	c := *fc
	c.report = r
	return &c
}

// Note tells the user something that is neither result nor error; it is printed on stderr.
func (fc *FunctionContext) Note(pos Position, message string) {
	if fc != nil && fc.report != nil {
		fc.report.Notes = append(fc.report.Notes, Note{Pos: pos, Message: message})
	}
}

// NoteOnce is Note for something about the unit as a whole: it is printed once, however many parts the unit is worked on in.
func (fc *FunctionContext) NoteOnce(message string) {
	if fc != nil && fc.report != nil {
		fc.report.Notes = append(fc.report.Notes, Note{Message: message, Kind: NoteUnit})
	}
}

// NoteSum is NoteOnce for a number of things and their names, which add up over the parts of a unit and over units.
func (fc *FunctionContext) NoteSum(message string, count int, names ...string) {
	if fc != nil && fc.report != nil {
		note := Note{Message: message, Kind: NoteUnit}
		note.Add(Note{Message: message, Kind: NoteUnit, Count: count, Names: strings.Join(names, ", ")})
		fc.report.Notes = append(fc.report.Notes, note)
	}
}

// Skipped tells the user what the function passes over; under --strict that is an error.
func (fc *FunctionContext) Skipped(pos Position, message string) {
	if fc != nil && fc.report != nil {
		fc.report.Notes = append(fc.report.Notes, Note{Pos: pos, Message: message, Kind: NoteSkippedDocument})
	}
}

// Matched tells how many places the function applied to. A function that calls it with 0 is reported as having matched
// nothing; one that never calls it is not counted.
func (fc *FunctionContext) Matched(n int) {
	if fc != nil && fc.report != nil {
		fc.report.Matches += n
		fc.report.Counted = true
	}
}

// FunctionInvocationRequest asks for a chain of functions to be run on the data of one unit.
type FunctionInvocationRequest struct {
	FunctionContext
	ConfigData Data
	// FileName is that of the file the data comes from, "-" for none, if it is known. Formats that have dialects tell them by it.
	FileName  string          `json:",omitempty"`
	OtherData map[string]Text `json:",omitempty"` // by the name of its source
	// LiveState is what older clients send in place of OtherData. Functions get it as other data of the name LiveState.
	LiveState     Data   `json:",omitempty"`
	NumFilters    int    `json:",omitempty"`
	StopOnError   bool   `json:",omitempty"`
	WhereResource string `json:",omitempty"`
	// CombineValidationResults asks for one ValidationResult of all validating functions, in place of a list.
	CombineValidationResults bool `json:",omitempty"`
	FunctionInvocations      FunctionInvocationList

	// RecordMutations asks for the Mutations of the response.
	RecordMutations bool `json:",omitempty"`
}

// FunctionInvocationResponse is the outcome of a request.
type FunctionInvocationResponse struct {
	OrganizationID string `json:",omitempty"`
	SpaceID        string `json:",omitempty"`
	SpaceSlug      string `json:",omitempty"`
	UnitID         string `json:",omitempty"`
	UnitSlug       string `json:",omitempty"`
	RevisionID     string `json:",omitempty"`
	ConfigData     Data   // always the data; JSON carries it only when Changed
	Outputs        OutputList
	// Output is the first of the Outputs as JSON, and OutputType its type, for older clients. JSON always carries them.
	Output          []byte     `json:",omitempty"`
	OutputType      OutputType `json:",omitempty"`
	HasNewMutations bool
	// Mutations are what the chain did to the data, when the request asked for them, and Mutators the positions of the functions that
	// changed it.
	Mutations     ResourceMutationList `json:",omitempty"`
	Mutators      []int                `json:",omitempty"`
	Success       bool
	ErrorMessages []string

	// Changed reports whether the data differs from the request's.
	Changed bool `json:"-"`
}

// MarshalJSON prints the response as it travels: the data only if it changed, but its hash always.
func (r FunctionInvocationResponse) MarshalJSON() ([]byte, error) {
	wire := struct {
		OrganizationID string `json:",omitempty"`
		SpaceID        string `json:",omitempty"`
		SpaceSlug      string `json:",omitempty"`
		UnitID         string `json:",omitempty"`
		UnitSlug       string `json:",omitempty"`
		RevisionID     string `json:",omitempty"`
		ConfigData     *Data  `json:",omitempty"`
		DataHash       string
		Outputs        OutputList
		Output         []byte     `json:",omitempty"`
		OutputType     OutputType `json:",omitempty"`

		HasNewMutations bool
		Mutations       ResourceMutationList
		Mutators        []int
		Success         bool
		ErrorMessages   []string
	}{
		OrganizationID: r.OrganizationID, SpaceID: r.SpaceID, SpaceSlug: r.SpaceSlug, UnitID: r.UnitID, UnitSlug: r.UnitSlug,
		RevisionID: r.RevisionID, Outputs: r.Outputs, HasNewMutations: r.HasNewMutations, Mutations: r.Mutations,
		Mutators: r.Mutators, Success: r.Success, ErrorMessages: r.ErrorMessages,
	}
	if r.Changed {
		wire.ConfigData = &r.ConfigData
	}
	var err error
	if wire.OutputType, wire.Output, err = r.Outputs.First(); err != nil {
		return nil, err
	}
	wire.DataHash = DataHash(r.ConfigData)
	if wire.Mutations == nil {
		wire.Mutations = ResourceMutationList{}
	}
	if wire.Mutators == nil {
		wire.Mutators = []int{}
	}
	if wire.ErrorMessages == nil {
		wire.ErrorMessages = []string{}
	}
	return marshal(wire)
}

// UnmarshalJSON reads what MarshalJSON prints. Data that is present is data that changed.
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

// DataHash is the hash by which both ends of a connection know the same data: SHA-256 in hexadecimal digits.
func DataHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Output is the combined output of the functions that return one output type.
type Output struct {
	OutputType OutputType
	// Value is a list type of this package, a YAMLPayload, or whatever JSON can print.
	Value any
}

// OutputList is a list of outputs in the order in which their types first appeared.
type OutputList []Output

// First returns the type of the first output and its JSON, nothing without outputs.
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

// MarshalJSON prints an object: output type to base64 of the JSON of the value.
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

// UnmarshalJSON reads what MarshalJSON prints, keeping its order; values of the list types of this package are decoded to
// them, others to json.RawMessage.
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
