package workspace

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/sensitive"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/diff"
	"github.com/fctl-dev/fctl/internal/run"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
	"github.com/fctl-dev/fctl/internal/workspace/wave"
)

// common is what the commands have in common: flags, and how they open the workspace.
type common struct {
	app *app.App

	space          string
	dryRun         bool
	noPropagate    bool
	strictWorktree bool
	changeDesc     string
	showSecrets    bool
}

func (c *common) addSpace(flags *pflag.FlagSet) {
	flags.StringVar(&c.space, "space", "", "the `SPACE`; the default one is in the marker")
	c.addIgnored(flags)
}

// addIgnored adds flags that only make sense with a server. Scripts may have them.
func (c *common) addIgnored(flags *pflag.FlagSet) {
	flags.Bool("wait", false, "")
	flags.String("timeout", "", "")
	flags.String("organization", "", "")
	for _, name := range []string{"wait", "timeout", "organization"} {
		if f := flags.Lookup(name); f != nil {
			f.Hidden = true
		}
	}
}

func (c *common) addDryRun(flags *pflag.FlagSet) {
	flags.BoolVar(&c.dryRun, "dry-run", false, "write nothing, and show what would be done")
}

// addWrite adds the flags of commands that make revisions.
func (c *common) addWrite(flags *pflag.FlagSet) {
	c.addSpace(flags)
	c.addDryRun(flags)
	flags.BoolVar(&c.noPropagate, "no-propagate", false,
		"do not resolve automatic links afterwards")
	flags.BoolVar(&c.strictWorktree, "strict-worktree", false,
		"fail if a working copy was edited, instead of recording the edit")
	app.AddShowSecrets(flags, &c.showSecrets)
	flags.StringVar(&c.changeDesc, "change-desc", "", "describe the revision with `TEXT`")
}

// session is an open workspace.
type session struct {
	*workspace.Workspace
	*common
	ctx      context.Context
	settings *settings.Settings
	tx       *workspace.Tx // of commands that write

	executor *functions.Executor
	runner   *wave.Runner
	flags    *pflag.FlagSet
	done     []func() error // what follows the commit

	results    []wave.UnitResult // what was resolved because the user asked for it
	propagated []wave.UnitResult // what followed
	form       string            // of the results
	asked      bool              // the command is about resolving links
}

// read opens the workspace for reading. What is wrong with definitions is an error at the end.
func (c *common) read(cmd *cobra.Command, do func(*session) error) error {
	return c.with(cmd, false, func(s *session) error {
		err := do(s)
		if problems := s.Problems; len(problems) > 0 {
			err = errors.Join(err, problems)
		}
		return err
	})
}

// write opens the workspace for writing, and commits what do did. title is for undo.
func (c *common) write(cmd *cobra.Command, title string, do func(*session) error) error {
	return c.with(cmd, true, func(s *session) error {
		if len(s.Problems) > 0 {
			return s.Problems
		}
		s.tx = s.Store.Begin(title)
		if err := do(s); err != nil {
			return err
		}
		if s.Store.Config.Lock && len(s.tx.Resolved) > 0 {
			if err := s.tx.WriteLock(s.Workspace); err != nil {
				return err
			}
		}
		if c.dryRun {
			defer s.tx.Drop() // what is shown may read what would be written
		} else if err := s.tx.Commit(s.ctx); err != nil {
			return err
		}
		for _, done := range s.done {
			if err := done(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *common) with(cmd *cobra.Command, write bool, do func(*session) error) (err error) {
	s := &session{common: c, ctx: cmd.Context(), flags: cmd.Flags()}
	if s.settings, err = c.app.Settings(cmd.Flags()); err != nil {
		return err
	}
	dir, err := workspace.Find(c.app.Dir)
	if err != nil {
		return err
	}
	if write {
		c.app.Writes.Begin()
		defer c.app.Writes.End()
	}
	store, err := workspace.Open(s.ctx, dir, workspace.OpenOptions{Write: write, DryRun: c.dryRun})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if text := c.app.Streams.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
			store.Now = func() time.Time { return time.Unix(seconds, 0).UTC() }
		}
	}
	if s.Workspace, err = store.Load(s.ctx); err != nil {
		return err
	}
	if err := do(s); err != nil {
		return err
	}
	if write && !c.dryRun {
		s.WriteIndex()
	}
	return nil
}

// spaceSlug returns the slug of the space that the command works in.
func (s *session) spaceSlug() string {
	if s.space == "" {
		return s.Store.Config.DefaultSpace
	}
	return s.space
}

// inSpace returns the space that the command works in.
func (s *session) inSpace() (*workspace.Space, error) { return s.Space(s.spaceSlug()) }

// unit returns the unit with a reference.
func (s *session) unit(ref string) (*workspace.Unit, error) { return s.Unit(s.spaceSlug(), ref) }

// link returns the link with a reference.
func (s *session) linkNamed(ref string) (*workspace.Link, error) {
	return s.Link(s.spaceSlug(), ref)
}

// functions returns the executor. It is made when a command first needs it.
func (s *session) functions() (*functions.Executor, error) {
	if s.executor != nil {
		return s.executor, nil
	}
	executor, err := s.app.ExecutorFor(s.ctx, s.settings)
	s.executor = executor
	return executor, err
}

// secrets returns the secret values of two states of a unit, nil if they may be shown.
func (s *session) secrets(u *workspace.Unit, before, after []byte) (*sensitive.Values, error) {
	executor, err := s.functions()
	if err != nil || s.showSecrets {
		return nil, err
	}
	return executor.Sensitive(u.ToolchainType, [][]byte{before, after}), nil
}

// shown is a diff of two states of a unit for people.
func (s *session) shown(u *workspace.Unit, before, after []byte) ([]byte, error) {
	secrets, err := s.secrets(u, before, after)
	if err != nil {
		return nil, err
	}
	f := diff.File{
		Name: u.DataFile(), Before: before, After: after, Style: run.DiffStyle(s.app.Streams),
	}
	if secrets != nil {
		f.Shown = func(_, _ []byte) ([]byte, []byte) { return secrets.Text(0), secrets.Text(1) }
	}
	return diff.Unified(f), nil
}

// note writes a note on the error stream.
func (s *session) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.dryRun && s.tx != nil {
		text += " (dry run, nothing written)"
	}
	s.app.Note(s.settings, text)
}

// after runs do when the transaction was committed, or when a dry run ends.
func (s *session) after(do func() error) { s.done = append(s.done, do) }

// warn writes warnings on the error stream.
func (s *session) warn(warnings []entity.Warning) {
	if s.settings.Quiet {
		return
	}
	for _, w := range warnings {
		text := string(w.Code) + ": "
		if w.Unit != "" {
			text += w.Space + "/" + w.Unit + ": "
		}
		s.app.Console().Notes("", api.Note{Message: text + w.Message})
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// words checks the number of words of a command; most -1 is any.
func words(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, words []string) error {
		switch n := len(words); {
		case n < least:
			return diag.UsageHint(cmd.UseLine(), "%s is expected, got %d", count(least, "word"), n)
		case most >= 0 && n > most:
			return diag.UsageHint(cmd.UseLine(), "at most %s, got %d: %q", count(most, "word"), n,
				words[most])
		}
		return nil
	}
}
