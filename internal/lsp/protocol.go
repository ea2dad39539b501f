package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
)

// The parts of the Language Server Protocol 3.17 that the server uses
// (https://microsoft.github.io/language-server-protocol).
type (
	rpcMessage struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Method  string          `json:"method,omitempty"`
		Params  json.RawMessage `json:"params,omitempty"`
		Result  any             `json:"result,omitempty"`
		Error   *rpcError       `json:"error,omitempty"`
	}
	rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	editorPosition struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	editorRange struct {
		Start editorPosition `json:"start"`
		End   editorPosition `json:"end"`
	}
	diagnostic struct {
		Range    editorRange `json:"range"`
		Severity int         `json:"severity"`
		Code     string      `json:"code,omitempty"`
		Source   string      `json:"source"`
		Message  string      `json:"message"`
	}
	published struct {
		URI         string       `json:"uri"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	initialize struct {
		RootURI      string                 `json:"rootUri"`
		Folders      []struct{ URI string } `json:"workspaceFolders"`
		Capabilities struct {
			General struct {
				PositionEncodings []string `json:"positionEncodings"`
			} `json:"general"`
			Workspace struct {
				DidChangeWatchedFiles struct {
					DynamicRegistration bool `json:"dynamicRegistration"`
				} `json:"didChangeWatchedFiles"`
			} `json:"workspace"`
		} `json:"capabilities"`
	}
	changed struct {
		TextDocument struct {
			URI  string `json:"uri"`
			Text string `json:"text"`
		} `json:"textDocument"`
		ContentChanges []struct {
			Range *editorRange `json:"range"` // nil if Text is the whole text
			Text  string       `json:"text"`
		} `json:"contentChanges"`
	}
	shownMessage struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
	}
)

// The numbers of the protocol.
const (
	severityError, severityWarning, severityInformation = 1, 2, 3

	invalidRequest, methodNotFound, invalidParams = -32600, -32601, -32602
	notInitialized, requestFailed, cancelled      = -32002, -32803, -32800

	syncIncremental = 2
	messageWarning  = 2
)

// maxMessage is the number of bytes of a message that the server reads.
const maxMessage = 256 << 20

// wire reads and writes messages.
type wire struct {
	in  *bufio.Reader
	mu  sync.Mutex
	out io.Writer
}

// read reads a message. The error is io.EOF at the end of the input, and a *json.SyntaxError or the
// like if the message is not JSON: further ones can be read then.
func (w *wire) read() (m rpcMessage, err error) {
	header, err := textproto.NewReader(w.in).ReadMIMEHeader()
	if err != nil {
		if len(header) == 0 && errors.Is(err, io.EOF) {
			err = io.EOF
		}
		return m, &brokenError{err}
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || n < 0 || n > maxMessage {
		return m, &brokenError{fmt.Errorf("a message has the length %q", header.Get("Content-Length"))}
	}
	var text bytes.Buffer
	if _, err := io.CopyN(&text, w.in, int64(n)); err != nil {
		return m, &brokenError{err}
	}
	return m, json.Unmarshal(text.Bytes(), &m)
}

// brokenError says that no further message can be read.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *brokenError) Unwrap() error { return e.err }

// write writes a message.
func (w *wire) write(m rpcMessage) error {
	m.Version = "2.0"
	if m.Method == "" && m.Result == nil && m.Error == nil {
		m.Result = json.RawMessage("null")
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = fmt.Fprintf(w.out, "Content-Length: %d\r\n\r\n%s", len(text), text)
	return err
}
