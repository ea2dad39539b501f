//go:build unix

package process

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// TestPatience ends the context of a tool, which says what it does then.
func TestPatience(t *testing.T) {
	for patience, want := range map[time.Duration]string{0: "ready", time.Minute: "ready tidied"} {
		ctx, cancel := context.WithCancel(t.Context())
		said, out := io.Pipe()
		text := make(chan string, 1)
		go func() {
			first := make([]byte, len("ready"))
			_, _ = io.ReadFull(said, first)
			cancel()
			rest, _ := io.ReadAll(said)
			text <- string(first) + string(rest)
		}()
		script := `trap "printf ' tidied'; exit" TERM; printf ready; while :; do :; done`
		tool := Tool{Words: []string{"sh", "-c", script}, Stdout: out, Patience: patience}
		err := tool.Run(ctx)
		_ = out.Close() // never fails
		if got := <-text; err == nil || strings.TrimSpace(got) != want {
			t.Errorf("%v: %q, %v", patience, got, err)
		}
	}
}
