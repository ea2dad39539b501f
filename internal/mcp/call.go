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
	chain  string // the path of the file with the functions, which messages name "functions"
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	select {
	case s.running <- struct{}{}:
		defer func() { <-s.running }()
	case <-ctx.Done():
		return nil, Answer{}, s.ended(ctx)
	}
	ctx, cancel = context.WithTimeout(ctx, s.Timeout+grace) // the wait for others does not count
	defer cancel()
	global := []string{
		s.Program, "--untrusted", "--no-project-settings", "--color=never", "--timeout=" + s.Timeout.String(),
	}
	if s.Memory != "" {
		global = append(global, "--max-memory="+s.Memory)
	}
	stdout, stderr := &head{most: maxOutput}, &head{most: maxOutput / 16}
	tool := process.Tool{
		Words: append(global, c.words...), Dir: s.Roots[0], Stdin: strings.NewReader(c.stdin),
		Stdout: stdout, Stderr: stderr,
		// What an agent gets is read: it has masks, and no pages.
		Env: []string{"FCTL_FORCE_TTY=200", "FCTL_PAGER=cat"},
		// A call that writes removes its temporary files.
		Patience: grace,
	}
	err := tool.Run(ctx)
	answer := Answer{Messages: strings.TrimSpace(stderr.text.String() + stderr.left("messages have") +
		stdout.left("output has"))}
	if c.chain != "" {
		answer.Messages = strings.ReplaceAll(answer.Messages, c.chain, "functions")
	}
	if !c.values || json.Unmarshal(stdout.text.Bytes(), &answer.Values) != nil {
		answer.Text = stdout.text.String()
	}
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		answer.Messages = strings.TrimSpace(answer.Messages + "\n" + s.ended(ctx).Error())
	case err != nil && !ended:
		return nil, Answer{}, err
	case !ended || exit.ExitCode() <= maxStatus:
		return nil, answer, nil
	case answer.Messages == "":
		answer.Messages = fmt.Sprintf("fctl ended with %v", exit)
	}
	content := []mcp.Content{&mcp.TextContent{Text: answer.Messages}}
	if answer.Text != "" { // such as the diff of the files that were written
		content = append(content, &mcp.TextContent{Text: answer.Text})
	}
	return &mcp.CallToolResult{IsError: true, Content: content}, answer, nil
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

// left says how much was not kept.
func (h *head) left(what string) string {
	if h.cut == 0 {
		return ""
	}
	return fmt.Sprintf("\n%s %d more bytes: select less\n", what, h.cut)
}

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	kept := min(len(p), h.most-h.text.Len())
	h.text.Write(p[:kept])
	h.cut += len(p) - kept
	return len(p), nil
}
