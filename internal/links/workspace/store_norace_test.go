//go:build !race

package workspace_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// TestKilledAtEveryWrite kills a process at each of its writes. The next one that writes takes back
// what was written, without leaving a temporary file. A command that only reads writes nothing: it
// reads the state before the command, or says that a part of it is there.
func TestKilledAtEveryWrite(t *testing.T) {
	if at := os.Getenv("WORKSPACE_KILL"); at != "" {
		n, _ := strconv.Atoi(at)
		many, _ := strconv.Atoi(os.Getenv("WORKSPACE_MANY"))
		steps := 0
		s, w := open(t, os.Getenv("WORKSPACE_DIR"), workspace.OpenOptions{
			Write: true, Sequential: true, ManyFiles: many, Step: func(string) {
				if steps++; steps == n {
					p, err := os.FindProcess(os.Getpid())
					if err == nil {
						err = p.Kill()
					}
					t.Log(err)
					time.Sleep(time.Minute)
				}
			},
		})
		if err := killedCommands()[os.Getenv("WORKSPACE_COMMAND")].run(t.Context(), s,
			w); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name, many := range map[string]int{"one by one": 0, "in batches": 1} {
		for command := range killedCommands() {
			t.Run(command+" "+name, func(t *testing.T) { killAtEveryWrite(t, command, many) })
		}
	}
}

// killedCommand is a command and the workspace that it is run in.
type killedCommand struct {
	workspace func(testing.TB) string
	run       func(context.Context, *workspace.Store, *workspace.Workspace) error
}

func killedCommands() map[string]killedCommand {
	return map[string]killedCommand{
		"change": {shop, change},
		"undo": {changedShop, func(ctx context.Context, s *workspace.Store,
			_ *workspace.Workspace,
		) error {
			_, err := s.Undo(ctx, false)
			return err
		}},
	}
}

// changedShop is a workspace in which a second command has changed a unit.
func changedShop(t testing.TB) string {
	t.Helper()
	dir := shop(t)
	s, w := open(t, dir, workspace.OpenOptions{Write: true})
	if err := errors.Join(change(t.Context(), s, w), s.Close()); err != nil {
		t.Fatal(err)
	}
	s, w = open(t, dir, workspace.OpenOptions{Write: true})
	web, err := w.Unit("shop", "web")
	if err != nil {
		t.Fatal(err)
	}
	tx := s.Begin("again")
	if _, err := tx.Record(recorder{}, web, []byte("kind: D\n"), entity.SourceUpdate, "d",
		entity.Mutation{}, false); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tx.Commit(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// killAtEveryWrite kills processes that write files in batches from many changes on.
func killAtEveryWrite(t *testing.T, name string, many int) {
	t.Helper()
	command := killedCommands()[name]
	steps := 0
	whole := command.workspace(t)
	before := content(t, whole)
	s, w := open(t, whole, workspace.OpenOptions{
		Write: true, ManyFiles: many, Step: func(string) { steps++ },
	})
	if err := command.run(t.Context(), s, w); err != nil {
		t.Fatal(err)
	}
	after := content(t, whole)
	committed := 0
	for n := 1; n <= steps+1; n++ {
		dir := command.workspace(t)
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAtEveryWrite$")
		cmd.Env = append(os.Environ(), "WORKSPACE_KILL="+strconv.Itoa(n), "WORKSPACE_DIR="+dir,
			"WORKSPACE_MANY="+strconv.Itoa(many), "WORKSPACE_COMMAND="+name)
		out, err := cmd.CombinedOutput()
		if killed := err != nil; killed != (n <= steps) {
			t.Fatalf("step %d: %v\n%s", n, err, out)
		}
		checkReader(t, dir, before, after)
		s, w := open(t, dir, workspace.OpenOptions{Write: true})
		if errs := w.Validate(); len(errs) > 0 {
			t.Errorf("step %d: %v", n, errs)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		got := content(t, dir)
		for name := range got { // the next journal replaces what is left of one
			if strings.HasPrefix(name, ".fctl/.fctl-") {
				delete(got, name)
			}
		}
		want := after
		if cmp.Equal(before, got) {
			want = before
		} else {
			committed++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("killed at write %d: %s", n, diff)
		}
	}
	if committed != 1 {
		t.Errorf("%d commands that were killed are done, besides the one that was not", committed-1)
	}
}

// checkReader opens a workspace for reading after a process was killed.
func checkReader(t *testing.T, dir string, before, after map[string]string) {
	t.Helper()
	found := content(t, dir)
	s, err := workspace.Open(t.Context(), dir, workspace.OpenOptions{})
	if diff := cmp.Diff(found, content(t, dir)); diff != "" {
		t.Errorf("a reader writes: %s", diff)
	}
	if err != nil {
		if !strings.Contains(err.Error(), "was interrupted") {
			t.Error(err)
		}
		return
	}
	_ = s.Close()
	for name := range found {
		if name == ".fctl/journal" || strings.HasSuffix(name, ".tmp") {
			delete(found, name)
		}
	}
	if !cmp.Equal(found, before) && !cmp.Equal(found, after) {
		t.Errorf("a reader reads what is neither before nor after: %s", cmp.Diff(before, found))
	}
}
