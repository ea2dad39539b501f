// Package remote runs the functions of a server as if they ran here: an executor at one end of a
// session asks a worker of the server at the other end, and gives it what functions may look at, such
// as schemas and other files of the run, when one of them asks for it.
//
// Invariants: the client sends a message and gets its answer before it sends the next one. The worker
// may answer a run with a question first. What the worker knows ends with the session. Nothing that a
// client says makes the worker read a file or run a program.
//
// Layer: systems.
package remote

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/server/frame"
)

// Protocol is what a client upgrades its connection to.
const Protocol = "fctl-session"

// The numbers of frames. A frame of the server with another number is a problem whose text is the
// body.
const (
	kindOpen  = iota + 1 // a beginning, whose answer is an opened
	kindRun              // a call, whose answer is a callAnswer or a question
	kindPaths            // a toolchain, whose answer is its registered paths as JSON
	kindAsk              // a question
	kindReply            // the answer of a client to a question
)

// IsQuestion reports whether a frame of a worker is a question, after which it waits for a reply.
func IsQuestion(f frame.Frame) bool { return f.Number == kindAsk }

// beginning is how a session begins.
type beginning struct {
	Types  []resourcetypes.TypesFile
	Memory int64         // what expressions may take, 0 for what the server allows
	Time   time.Duration // how long an expression may take, 0 likewise
	// Known are the hashes of the signatures that the client has.
	Known map[api.ToolchainType][sha256.Size]byte
}

// signatures are those of the functions of some toolchains.
type signatures map[api.ToolchainType][]api.FunctionSignature

// opened answers a beginning.
type opened struct {
	Signatures []byte // those that are not known, a map of toolchains as JSON
	Problem    *problem
}

// call asks for a run.
type call struct {
	Request     api.FunctionInvocationRequest
	Options     options
	Schemas     bool // the client has some
	Locations   []schemas.Location
	Inputs      bool
	Definitions bool
	Survey      bool
}

// options are those of [handler.Options] that the worker does not decide about.
type options struct {
	Compare, ListChanged, Secrets, NamesOnly, KeepSteps, EveryResource bool
	File, WhereText                                                    string
	Only                                                               []handler.Selection
}

// question is what a worker asks.
type question int

const (
	askSchemas question = iota
	askInputs
	askDefinitions
	askSurvey
	askLocated
)

// asked is a question about all that the client has, or about a file.
type asked struct {
	Question question
	File     string // of askLocated
}

// reply answers a question.
type reply struct {
	Files   []schemas.SchemaFile // none if the file of askLocated does not exist
	Survey  []byte               // JSON
	Problem *problem
}

// callAnswer answers a call.
type callAnswer struct {
	Result  callResult
	Problem *problem // in place of the result
}

// callResult is a [handler.Result].
type callResult struct {
	Response         api.FunctionInvocationResponse
	Failures         []failure
	Notes            []api.Note
	Functions        []handler.Outcome
	Resources        int
	Changes          *handler.Changes
	Steps            []handler.Step
	Lines            []handler.ResourceLine
	ValidationFailed bool
	Clashes          []schemas.Clash
}

// jsonValue is a value of any kind, as JSON.
type jsonValue []byte

// register tells gob which types are in fields of the type any.
func register() {
	for _, value := range []any{
		api.AttributeValueList{},
		api.ValidationResult{},
		api.ValidationResultList{},
		api.ResourceInfoList{},
		api.ResourceList{},
		api.ResourceMutationList{},
		api.MutationConflictList{},
		api.PatchMap{},
		api.YAMLPayload{},
		json.RawMessage{},
		jsonValue{},
	} {
		gob.Register(value)
	}
}

// codec encodes and decodes the bodies of frames at one end of a session.
type codec struct {
	out, in bytes.Buffer
	encode  *gob.Encoder
	decode  *gob.Decoder
}

func newCodec() *codec {
	register()
	c := &codec{}
	c.encode, c.decode = gob.NewEncoder(&c.out), gob.NewDecoder(&c.in)
	return c
}

// frame returns a message as a frame.
func (c *codec) frame(kind uint32, message any) (frame.Frame, error) {
	c.out.Reset()
	err := c.encode.Encode(message)
	return frame.Frame{Number: kind, Body: c.out.Bytes()}, err
}

// read decodes the body of a frame.
func (c *codec) read(f frame.Frame, message any) error {
	c.in.Reset()
	c.in.Write(f.Body)
	return c.decode.Decode(message)
}

// hash returns the hash of the signatures of a toolchain.
func hash(executor *functions.Executor, t api.ToolchainType) [sha256.Size]byte {
	text, _ := json.Marshal(executor.Signatures(t)) // signatures always have JSON
	return sha256.Sum256(text)
}
