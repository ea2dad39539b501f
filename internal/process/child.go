package process

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Child is this program once more, which works for the first one until its input is closed or it is
// killed. The end of what it writes to its error stream is kept.
type Child struct {
	In  io.WriteCloser
	Out io.Reader

	cmd    *exec.Cmd
	said   tail
	killed sync.Once
}

// StartChild starts this program with other arguments and the same environment, in a group of
// processes of its own: a signal of the terminal does not reach it. Where the system has such limits,
// it has at most memory bytes of data and some time of the processor, each without a limit if it is 0.
func StartChild(memory int64, cpu time.Duration, args ...string) (*Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &Child{cmd: exec.Command(self, args...)}
	c.cmd.Args[0] = os.Args[0]
	ownGroup(c.cmd)
	c.cmd.Stderr = &c.said
	if c.In, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.Out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, StartProblem(self, err)
	}
	if memory > 0 {
		limitMemory(c.cmd.Process.Pid, memory)
	}
	if cpu > 0 {
		limitCPU(c.cmd.Process.Pid, cpu)
	}
	return c, nil
}

// End closes the input of the child and waits until it has ended. It returns how it ended, and what
// it wrote to its error stream.
func (c *Child) End() (state *os.ProcessState, said string) {
	_ = c.In.Close()             // the child has perhaps ended
	_ = c.cmd.Wait()             // the state says how
	defer c.killed.Do(func() {}) // its number may be that of another process from here on
	return c.cmd.ProcessState, strings.TrimSpace(string(c.said.text()))
}

// Kill kills the child and what it has started, unless End has returned.
func (c *Child) Kill() { c.killed.Do(func() { _ = killGroup(c.cmd.Process) }) }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	last []byte
}

// maxTail is the number of bytes that a tail keeps.
const maxTail = 4 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	if extra := len(t.last) - maxTail; extra > 0 {
		t.last = bytes.Clone(t.last[extra:])
	}
	return len(p), nil
}

func (t *tail) text() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.last)
}
