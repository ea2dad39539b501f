package iostreams

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"

	"golang.org/x/term"

	"github.com/fctl-dev/fctl/internal/process"
)

// Pager shows what is written to Out, page by page, in a program that it starts at the first write.
// A nil Pager does nothing.
type Pager struct {
	streams *Streams
	command []string
	out     io.Writer // the terminal

	mu    sync.Mutex
	begun bool     // the program was started, or it is too late to do so
	input *os.File // of the program; nil if it could not be started
	wait  func() error
}

// StartPager sends Out through a program, if Out is a terminal: command with its arguments. As with
// git, the program also gets what is written to ErrOut after it was started, if that is a terminal.
func (s *Streams) StartPager(command []string) *Pager {
	file, ok := s.out.to.w.(*os.File)
	if !s.outTTY || !ok || len(command) == 0 {
		return nil
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return nil
	}
	if w, _, err := term.GetSize(int(file.Fd())); err == nil {
		s.width = w
	}
	p := &Pager{streams: s, command: command, out: file}
	s.out.to.w = pagerOut{p}
	if s.errTTY {
		s.err.to.w = pagerErr{p, s.err.to.w}
	}
	return p
}

// begin starts the program at the first call, and returns its input, or nil without one.
func (p *Pager) begin(start bool) *os.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	if start && !p.begun {
		p.begun = true
		p.start()
	}
	return p.input
}

func (p *Pager) start() {
	read, write, err := os.Pipe()
	if err != nil {
		return
	}
	defer read.Close() //nolint:errcheck // the program has it
	program := process.Tool{Words: p.command, Stdin: read, Stdout: p.out, Stderr: os.Stderr}
	// Like git: end if the text fits the screen, keep colours, and leave the text on the screen.
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if _, set := os.LookupEnv(name); !set {
			program.Env = append(program.Env, name+"="+value)
		}
	}
	if p.wait, err = program.Start(context.Background()); err != nil {
		write.Close() //nolint:errcheck,gosec // nothing was written
		return
	}
	p.input = write
}

// Close tells the program that there is no more text, and waits until the user ends it.
func (p *Pager) Close() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	p.begun = true // from here on it is not started
	p.mu.Unlock()
	if p.input == nil {
		return nil
	}
	return errors.Join(p.input.Close(), p.wait())
}

type pagerOut struct{ p *Pager }

func (w pagerOut) Write(text []byte) (int, error) {
	if input := w.p.begin(true); input != nil {
		return input.Write(text)
	}
	return w.p.out.Write(text)
}

type pagerErr struct {
	p   *Pager
	err io.Writer
}

// Write writes to the program if it was started, and to the error stream otherwise or if the user
// ended the program.
func (w pagerErr) Write(text []byte) (int, error) {
	if input := w.p.begin(false); input != nil {
		if n, err := input.Write(text); err == nil {
			return n, nil
		}
	}
	return w.err.Write(text)
}
