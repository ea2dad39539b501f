package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage is the number of bytes that a message may have.
const maxMessage = 16 << 20

// transport returns a connection over lines.
func transport(in io.Reader, out io.Writer) mcp.Transport {
	to := &answers{out: out}
	return &mcp.IOTransport{
		Reader: &messages{in: bufio.NewReader(in), out: to}, Writer: to, MaxLineLength: -1,
	}
}

// messages reads lines, passes on those that are messages of JSON-RPC, and answers the others: one
// bad line ends no other call.
type messages struct {
	in   *bufio.Reader
	out  io.Writer
	line []byte // what is left of a message
}

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.line) == 0 {
		line, long, err := m.next()
		switch {
		case long:
			m.refuse(-32600, fmt.Sprintf("a message has more than %d bytes", maxMessage))
		case len(line) > 1 || err != nil && len(line) > 0:
			m.line = m.checked(line)
		}
		if err != nil && len(m.line) == 0 {
			return 0, err
		}
	}
	n := copy(p, m.line)
	m.line = m.line[n:]
	return n, nil
}

// next returns the next line, or says that it is too long and skips it.
func (m *messages) next() (line []byte, long bool, err error) {
	for {
		part, err := m.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxMessage; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull { //nolint:errorlint // ReadSlice returns it as it is
			return line, long, err
		}
	}
}

// checked returns a line that holds a message, and answers any other line.
func (m *messages) checked(line []byte) []byte {
	if !json.Valid(line) {
		m.refuse(-32700, "a line is not JSON")
		return nil
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		m.refuse(-32600, fmt.Sprintf("a line does not hold a message of JSON-RPC 2.0: %v", err))
		return nil
	}
	return line
}

// refuse answers a line without a message, whose call has no number.
func (m *messages) refuse(code int, text string) {
	type problem struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	answer, _ := json.Marshal(struct { // texts and numbers always have JSON
		Version string  `json:"jsonrpc"`
		ID      *int    `json:"id"`
		Error   problem `json:"error"`
	}{"2.0", nil, problem{code, text}})
	_, _ = m.out.Write(append(answer, '\n')) // the client may have gone
}

// Close implements io.Closer.
func (m *messages) Close() error { return nil }

// answers lets the two that answer write whole lines.
type answers struct {
	mu  sync.Mutex
	out io.Writer
}

// Write implements io.Writer.
func (a *answers) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.out.Write(p)
}

// Close implements io.Closer.
func (a *answers) Close() error { return nil }
