package mcp

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMain lets the test binary be a fctl that writes something and does not end.
func TestMain(m *testing.M) {
	if os.Getenv("FCTL_FORCE_TTY") != "" {
		_, _ = os.Stdout.WriteString("what was done")
		_, _ = os.Stderr.WriteString("bad.yaml:1:1: a problem")
		time.Sleep(time.Minute)
	}
	os.Exit(m.Run())
}

// prepared returns a server with roots a and b, the second of which is given by a link, and the
// directory that they are in.
func prepared(t *testing.T) (_ *Server, top string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/x.yaml", "a/.git/config", "a/.GIT/y", "b/z.yaml", "ab/x.yaml", "a/-i", "a/c[1].yaml"} {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"link-to-b": "b", "a/out": "../ab", "a/other-root": "../b", "a/inside": "x.yaml",
		"a/hidden": ".git/config", "a/dangling": "../none",
	} {
		if err := os.Symlink(to, filepath.Join(top, filepath.FromSlash(link))); err != nil {
			t.Skip("links cannot be made: ", err)
		}
	}
	s := &Server{Program: "fctl", Timeout: time.Minute}
	if err := s.prepare([]string{filepath.Join(top, "a"), filepath.Join(top, "link-to-b")}); err != nil {
		t.Fatal(err)
	}
	return s, top
}

func TestBelow(t *testing.T) {
	s, top := prepared(t)
	for path, want := range map[string]string{
		"x.yaml": "a/x.yaml", ".": "a", "./x.yaml": "a/x.yaml", "../a/x.yaml": "a/x.yaml",
		"../b/z.yaml": "b/z.yaml", "TOP/link-to-b/z.yaml": "b/z.yaml", "other-root/z.yaml": "b/z.yaml",
		"inside": "a/x.yaml", "-i": "a/-i", "c[1].yaml": "a/c[1].yaml",
		"..": "", "": "a", "/": "", "../ab/x.yaml": "", "TOP/ab/x.yaml": "", "out/x.yaml": "", "out": "",
		".git": "", ".git/config": "", ".GIT/y": "", "hidden": "", "dangling": "", "none": "",
		"../none": "", "x.yaml/y": "", "x\x00": "", "*.yaml": "", "../{a,b}/z.yaml": "",
	} {
		got, err := s.below(strings.ReplaceAll(path, "TOP", top))
		if want != "" {
			want = filepath.Join(top, filepath.FromSlash(want))
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", path, got, err, want)
		}
	}
	// Nobody learns from an error whether something exists elsewhere.
	_, there := s.below("../ab/x.yaml")
	_, missing := s.below("../ab/y.yaml")
	if strings.Replace(there.Error(), "x.yaml", "y.yaml", 1) != missing.Error() {
		t.Errorf("%v, %v", there, missing)
	}
	for path, want := range map[string]string{"a": ".", "a/x.yaml": "./x.yaml", "b/z.yaml": filepath.Join(top, "b", "z.yaml")} {
		if got := s.shown(filepath.Join(top, filepath.FromSlash(path))); filepath.Clean(got) != filepath.Clean(want) {
			t.Errorf("%s is shown as %s", path, got)
		}
	}
}

func TestRoots(t *testing.T) {
	_, top := prepared(t)
	for _, c := range []struct{ program, root, want string }{
		{"", "a", "run 'fctl mcp'"}, {"fctl", "none", "--root: "}, {"fctl", "a/x.yaml", "is not a directory"},
	} {
		s := &Server{Program: c.program}
		err := s.prepare([]string{filepath.Join(top, filepath.FromSlash(c.root))})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c, err)
		}
	}
	for _, args := range [][]string{{"--unknown"}, {"--timeout=x"}, {"--fctl=fctl", "--root=" + filepath.Join(top, "none")}} {
		if got := Main(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard); got != 2 {
			t.Errorf("%q: status %d", args, got)
		}
	}
}

// TestOffered lists the tools that a server offers, and how they are marked.
func TestOffered(t *testing.T) {
	for _, write := range []bool{false, true} {
		s, _ := prepared(t)
		s.Write = write
		client, server := mcp.NewInMemoryTransports()
		if _, err := s.New(t.Context()).Connect(t.Context(), server, nil); err != nil {
			t.Fatal(err)
		}
		session, err := mcp.NewClient(&mcp.Implementation{Name: "t"}, nil).Connect(t.Context(), client, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var writes []string
		for _, tool := range tools.Tools {
			if tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil {
				t.Errorf("%s lacks something: %+v", tool.Name, tool)
			}
			if !tool.Annotations.ReadOnlyHint {
				writes = append(writes, tool.Name)
			}
		}
		if want := map[bool][]string{true: {"apply"}}[write]; len(tools.Tools) < 6 || !slices.Equal(writes, want) {
			t.Errorf("%d tools, %q write", len(tools.Tools), writes)
		}
		if text := session.InitializeResult().Instructions; !strings.Contains(text, s.Roots[0]) ||
			!strings.Contains(text, s.Roots[1]) {
			t.Errorf("the instructions lack the roots: %s", text)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCallsWait checks that a call which waits for others ends with its context.
func TestCallsWait(t *testing.T) {
	s, _ := prepared(t)
	life, end := context.WithCancel(t.Context())
	s.New(life)
	for range cap(s.running) {
		s.running <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, _, err := s.answer(ctx, call{}); err == nil || err.Error() != "the call was cancelled" {
		t.Error(err)
	}
	time.AfterFunc(10*time.Millisecond, end)
	if _, _, err := s.answer(t.Context(), call{}); err == nil || err.Error() != "the call was cancelled" {
		t.Error(err)
	}
}

// TestLate checks that the answer of a call which takes too long has what fctl said, and that the
// time in which a call waits for others does not count.
func TestLate(t *testing.T) {
	s, _ := prepared(t)
	s.Program, s.Timeout = os.Args[0], -grace+time.Second
	s.New(t.Context())
	for range cap(s.running) {
		s.running <- struct{}{}
	}
	time.AfterFunc(1500*time.Millisecond, func() { <-s.running })
	result, _, err := s.answer(t.Context(), call{})
	if err != nil || !result.IsError || len(result.Content) != 2 {
		t.Fatalf("%+v %v", result, err)
	}
	said, _ := result.Content[0].(*mcp.TextContent)
	done, _ := result.Content[1].(*mcp.TextContent)
	if !strings.HasPrefix(said.Text, "bad.yaml:1:1: a problem\nthe call took longer than ") ||
		done.Text != "what was done" {
		t.Errorf("%s\n%s", said.Text, done.Text)
	}
}

// TestBadMessages sends bad lines between messages: the server says so and goes on.
func TestBadMessages(t *testing.T) {
	s, _ := prepared(t)
	in, lines := io.Pipe()
	from, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = s.New(ctx).Run(ctx, transport(in, out)) }() // it ends with the test
	answers := bufio.NewReader(from)
	for _, c := range []struct{ line, want string }{
		{"garbage{", `"id":null,"error":{"code":-32700`},
		{"[1,2,3]", `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"1.0","id":8,"method":"tools/list"}`, `"id":null,"error":{"code":-32600`},
		{`"` + strings.Repeat("x", maxMessage) + `"`, "more than 16777216 bytes"},
		{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
				`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, `"serverInfo"`,
		},
	} {
		if _, err := io.WriteString(lines, "\n"+c.line+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil || !strings.Contains(answer, c.want) {
			t.Errorf("%.50s: %s, %v", c.line, answer, err)
		}
	}
}
