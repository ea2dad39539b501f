//go:build !race

package golden_test

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

// TestMain lets a server that a test starts run its workers, which are this program once more.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "serve-requests") {
		os.Exit(cli.Main(func() (*functions.Executor, error) {
			return functions.NewStandardExecutor(), nil
		}))
	}
	os.Exit(m.Run())
}

// serve starts a server and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	streams, _, _, _ := iostreams.Test()
	said := &lines{first: make(chan string, 1)}
	streams.ErrOut = said
	a := &command.App{Streams: streams, Executor: func() (*functions.Executor, error) {
		return functions.NewStandardExecutor(), nil
	}}
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, a, []string{"serve", "--address", "127.0.0.1:0"})
	}()
	t.Cleanup(func() {
		end()
		<-ended
	})
	select {
	case line := <-said.first:
		if url := regexp.MustCompile("http://[0-9.:]+").FindString(line); url != "" {
			return url
		}
		t.Fatalf("it says %s", line)
	case <-time.After(20 * time.Second):
		t.Fatal("it does not listen")
	}
	return ""
}

// lines keeps the first line that is written to it.
type lines struct {
	first chan string
	text  []byte
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	had := bytes.Contains(l.text, []byte("\n"))
	if l.text = append(l.text, p...); !had && bytes.Contains(l.text, []byte("\n")) {
		l.first <- string(l.text)
	}
	return len(p), nil
}

// TestGoldenThroughAServer runs the cases of all commands that know --server with the functions of a
// server. What they print must not depend on it.
func TestGoldenThroughAServer(t *testing.T) {
	cases, dir := load(t)
	url := serve(t)
	ran := 0
	for _, c := range cases {
		words := throughServer(c.Words, url)
		if words == nil {
			continue
		}
		ran++
		t.Run(strings.TrimSuffix(c.File, ".out"), func(t *testing.T) {
			t.Parallel()
			checkWords(t, c, words, dir)
		})
	}
	if ran < 1_000 {
		t.Errorf("only %d cases", ran)
	}
}

// throughServer returns words with --server, nil if their command does not know it.
func throughServer(words []string, url string) []string {
	for i, word := range words {
		if i > 0 && slices.Contains(globalFlags(), words[i-1]) || strings.HasPrefix(word, "-") {
			continue
		}
		if slices.Contains([]string{"do", "doseq", "vet", "list", "listpaths", "explain"}, word) {
			return slices.Insert(slices.Clone(words), i+1, "--server", url)
		}
		break
	}
	return nil
}
