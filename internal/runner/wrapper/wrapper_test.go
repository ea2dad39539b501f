package wrapper_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
	"github.com/fctl-dev/fctl/internal/runner/wrapper"
)

const emptyList = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"

// leaving is a function that leaves a child, and a child of that in a session of its own, which
// write their process IDs, and files in a directory of calls.
const leaving = `#!/bin/sh
ls -A "$0.tmp" >> "$0.found"
sh -c 'sleep 300 & echo $! >> "$0"; exec sleep 300' "$0.pids" >/dev/null 2>&1 &
echo $! >> "$0.pids"
setsid sh -c 'echo $$ >> "$0"; exec sleep 300' "$0.pids" >/dev/null 2>&1 &
until [ "$(wc -l < "$0.pids")" -ge 3 ]; do sleep 0.01; done
mkdir "$0.tmp/private"
cat > "$0.tmp/private/list"
chmod 0 "$0.tmp/private"
cat <<'end'
` + emptyList + `end
`

// TestNothingIsLeft checks that a call leaves neither processes, also in sessions of their own, nor
// files to the next one.
func TestNothingIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has processes that get the children of others")
	}
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid")
	}
	if err := process.BecomeReaper(); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "leaving")
	if err := os.WriteFile(program, []byte(leaving), 0o755); err != nil {
		t.Fatal(err)
	}
	tmp := program + ".tmp"
	if err := os.Mkdir(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := wrapper.New(wrapper.Options{
		Command: []string{program}, Dir: "/", Alone: true,
		Empty:  []string{tmp},
		Broken: func(err error) { t.Errorf("something is left: %v", err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_ = os.Remove(program + ".pids")
		response, err := w.EvaluateFunction(t.Context(), &evaluator.Request{ResourceList: []byte(emptyList)})
		if err != nil || string(response.ResourceList) != emptyList {
			t.Fatalf("%v: %+v", err, response)
		}
		pids, err := os.ReadFile(program + ".pids")
		if err != nil || len(strings.Fields(string(pids))) != 3 {
			t.Fatalf("the function did not start three processes: %q, %v", pids, err)
		}
		for text := range strings.FieldsSeq(string(pids)) {
			pid, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d is left: %v", pid, err)
			}
		}
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("files are left: %v, %v", left, err)
		}
	}
	if found, err := os.ReadFile(program + ".found"); err != nil || len(found) > 0 {
		t.Errorf("the second call finds %q, %v", found, err)
	}
}

// TestLeftoversCloseWrapper checks that nothing is run after a call of which something is left.
func TestLeftoversCloseWrapper(t *testing.T) {
	program := filepath.Join(t.TempDir(), "function")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec cat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var problem error
	w, err := wrapper.New(wrapper.Options{
		Command: []string{program}, Dir: "/",
		Empty:  []string{program}, // not a directory
		Broken: func(err error) { problem = err },
	})
	if err != nil {
		t.Fatal(err)
	}
	request := &evaluator.Request{ResourceList: []byte(emptyList)}
	if _, err := w.EvaluateFunction(t.Context(), request); err != nil || problem == nil {
		t.Fatalf("error %v, problem %v", err, problem)
	}
	if _, err := w.EvaluateFunction(t.Context(), request); err == nil ||
		!strings.Contains(err.Error(), "something of an earlier request is left") {
		t.Errorf("the second call: %v", err)
	}
	if _, err := wrapper.New(wrapper.Options{
		Command: []string{program}, Parallel: 2, Alone: true,
	}); err == nil {
		t.Error("calls at once are alone")
	}
}
