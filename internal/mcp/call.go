package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fctl-dev/fctl/internal/process"
)

// call is one run of fctl.
type call struct {
	words  []string
	dir    string // the first root if empty
	stdin  string
	values bool // the standard output is JSON
}

// maxOutput is the number of bytes of an output that an agent gets: more would not fit what it can
// read.
const maxOutput = 256 << 10

// maxStatus is the largest exit status of a run that has done its work: 1 says that a check did not
// pass, or that nothing was found.
const maxStatus = 1

// grace is how much later than fctl the server ends a call: fctl names the function and the resource.
const grace = 2 * time.Second

// answer runs fctl and returns what it said, once fewer calls run than the machine has cores. If it
// failed, the result says that the tool failed, and has what fctl did until then.
func (s *Server) answer(ctx context.Context, c call) (*result, Answer, error) {
	s.calls.Add(1)
	defer s.calls.Done()
	ctx, cancel := context.WithTimeout(ctx, s.Timeout+grace)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	select {
	case s.running <- struct{}{}:
		defer func() { <-s.running }()
	case <-ctx.Done():
		return nil, Answer{}, s.ended(ctx)
	}
	global := []string{
		s.Program, "--untrusted", "--no-project-settings", "--color=never", "--timeout=" + s.Timeout.String(),
	}
	if s.Memory != "" {
		global = append(global, "--max-memory="+s.Memory)
	}
	dir := c.dir
	if dir == "" {
		dir = s.Roots[0]
	}
	stdout, stderr := &head{most: maxOutput}, &head{most: maxOutput / 16}
	tool := process.Tool{
		Words: append(global, c.words...), Dir: dir, Stdin: strings.NewReader(c.stdin),
		Stdout: stdout, Stderr: stderr,
		// What an agent gets is read: it has masks, and no pages.
		Env: []string{"FCTL_FORCE_TTY=200", "FCTL_PAGER=cat", "FCTL_SHOW_SECRETS="},
		// A call that writes removes its temporary files.
		Patience: grace,
	}
	err := tool.Run(ctx)
	answer := Answer{Messages: strings.TrimSpace(stderr.text.String())}
	if !c.values || json.Unmarshal(stdout.text.Bytes(), &answer.Values) != nil {
		answer.Text = stdout.text.String()
	}
	if stdout.cut > 0 {
		answer.Messages = strings.TrimSpace(fmt.Sprintf("%s\nthe output has %d more bytes: select less",
			answer.Messages, stdout.cut))
	}
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return nil, Answer{}, s.ended(ctx)
	case err != nil && !ended:
		return nil, Answer{}, err
	case ended && exit.ExitCode() > maxStatus:
		if answer.Messages == "" {
			answer.Messages = fmt.Sprintf("fctl ended with %v", exit)
		}
		content := []mcp.Content{&mcp.TextContent{Text: answer.Messages}}
		if answer.Text != "" { // such as the diff of the files that were written
			content = append(content, &mcp.TextContent{Text: answer.Text})
		}
		return &mcp.CallToolResult{IsError: true, Content: content}, answer, nil
	}
	return nil, answer, nil
}

// ended returns why a call has ended before fctl did.
func (s *Server) ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the call took longer than %v", s.Timeout)
	}
	return errors.New("the call was cancelled")
}

// head keeps the beginning of what is written to it.
type head struct {
	most int
	text bytes.Buffer
	cut  int // bytes that were not kept
}

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	kept := min(len(p), h.most-h.text.Len())
	h.text.Write(p[:kept])
	h.cut += len(p) - kept
	return len(p), nil
}
