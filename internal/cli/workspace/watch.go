package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// quietPeriod is how long nothing must change before a round begins: editors write in steps.
const quietPeriod = 300 * time.Millisecond

func newWatch(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: "watch [flags]", Short: "Record edits and resolve automatic links as files change",
		Long: `Watch the workspace. When a unit or a link was edited and nothing has changed
for 300 ms, record the edit as a revision, resolve the links with AutoUpdate
downstream, and print a line for each unit that changed. A unit that cannot be
parsed is left alone until it is saved again. Links without AutoUpdate are never
resolved. Stop with Ctrl-C.`,
		Args: command.NoArguments,
	}
	once := cmd.Flags().Bool("once", false, "stop after one round")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *once {
			return round(c, cmd, true)
		}
		dir, err := workspace.Find(a.Dir, a.Dir != "")
		if err != nil {
			return err
		}
		return watch(c, cmd, dir)
	}
	return cmd
}

// round records edits and resolves automatic links. Problems of units are printed, or with fail
// returned.
func round(c *session.Common, cmd *cobra.Command, fail bool) error {
	return c.Write(cmd, "watch", func(s *session.Session) error {
		heads := map[*workspace.Unit]int64{}
		for _, u := range s.Units {
			heads[u] = u.HeadRevisionNum
		}
		var problems []error
		if err := s.Edits(s.Units...); err != nil {
			problems = append(problems, err)
		}
		results, err := s.Propagator.Run(s.Ctx, s.Revised(),
			propagate.Wave{Stale: true, Propagate: true})
		if err != nil {
			problems = append(problems, err)
		}
		var lines strings.Builder
		for _, u := range s.Tx.Revised {
			fmt.Fprintf(&lines, "%s: revision %d -> %d, %s\n", u.Name(), heads[u],
				u.HeadRevisionNum, u.LastChangeDescription)
		}
		for _, r := range results {
			if r.Err != nil {
				problems = append(problems, r.Err)
				continue
			}
			problems = append(problems, session.FailedLinks(r, false)...)
		}
		if s.Tx.Empty() {
			s.Tx.Title = "" // not a command that undo is about
		}
		s.After(func() error {
			s.NoteConflicts(results)
			err := s.App.WriteText(lines.String())
			all := session.Once{}.Fresh(errors.Join(problems...))
			if fail && len(all) > 0 {
				return errors.Join(err, all)
			}
			s.HideIn(problems...)
			s.App.Console().Problems(all)
			return err
		})
		return nil
	})
}

// watch does a round at the beginning and after each change.
func watch(c *session.Common, cmd *cobra.Command, dir string) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return watchProblem(dir, err)
	}
	defer w.Close() //nolint:errcheck // nothing was written
	quiet := time.NewTimer(0)
	for {
		select {
		case <-cmd.Context().Done():
			return context.Cause(cmd.Context())
		case err := <-w.Errors:
			return watchProblem(dir, err)
		case event := <-w.Events:
			if belongs(dir, event.Name) {
				quiet.Reset(quietPeriod)
			}
		case <-quiet.C:
			// Folders first: what changes during the round begins another one.
			if err := addFolders(w, dir); err != nil {
				return watchProblem(dir, err)
			}
			err := round(c, cmd, false)
			if definitions, ok := errors.AsType[entity.Errors](err); ok {
				c.App.Console().Problems(session.Once{}.Fresh(definitions)) // until they are edited
			} else if err != nil {
				return err
			}
		}
	}
}

// belongs reports whether a file is one that people edit. The root may hold other files, such as
// the output of this command.
func belongs(dir, file string) bool {
	name := filepath.Base(file)
	if filepath.Clean(filepath.Dir(file)) == filepath.Clean(dir) {
		return name == workspace.Marker || name == "spaces"
	}
	return !strings.HasPrefix(name, ".fctl-")
}

// addFolders watches the folders of the workspace. Those that are watched already stay.
func addFolders(w *fsnotify.Watcher, dir string) error {
	if err := w.Add(dir); err != nil {
		return err
	}
	return filepath.WalkDir(filepath.Join(dir, "spaces"),
		func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || !e.IsDir() {
				return err
			}
			return w.Add(path)
		})
}

func watchProblem(dir string, err error) error {
	hint := ""
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		hint = "the system limits how many folders can be watched; 'fctl watch --once' needs none"
	}
	return &api.Failure{
		Class: api.FailureFunction, Pos: api.Position{File: diag.FileName(dir)},
		Message: err.Error(), Hint: hint, Err: err,
	}
}
