// Package session is what the commands that work on a workspace have in common: their flags, the
// open workspace with its transaction, and how entities and results are printed.
//
// Layer: commands.
package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/links/attributes"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/out/diff"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/source"
)

// Common holds the flags that the commands share. It opens the workspace.
type Common struct {
	App *command.App

	SpaceFlag      string
	DryRun         bool
	NoPropagate    bool
	NoCrossSpace   bool
	StrictWorktree bool
	ChangeDesc     string
	ShowSecrets    bool
	// Repair takes back a command that was killed, and discards damaged records.
	Repair bool
}

// Flags adds flags to a command, and returns all of its flags.
func Flags(cmd *cobra.Command, add ...func(*pflag.FlagSet)) *pflag.FlagSet {
	for _, some := range add {
		some(cmd.Flags())
	}
	return cmd.Flags()
}

// AddSpace adds the flag --space.
func (c *Common) AddSpace(flags *pflag.FlagSet) {
	flags.StringVar(&c.SpaceFlag, "space", "", "`SPACE` to work in (default: from "+
		"fctl-workspace.yaml)")
}

// AddDryRun adds the flag --dry-run.
func (c *Common) AddDryRun(flags *pflag.FlagSet) {
	flags.BoolVar(&c.DryRun, "dry-run", false, "write nothing, and show what would be done")
}

// AddNoCrossSpace adds the flag --no-cross-space.
func (c *Common) AddNoCrossSpace(flags *pflag.FlagSet) {
	flags.BoolVar(&c.NoCrossSpace, "no-cross-space", false,
		"ignore automatic links to other spaces when links are resolved afterwards")
}

// AddShowSecrets adds the flag --show-secrets.
func (c *Common) AddShowSecrets(flags *pflag.FlagSet) {
	command.AddShowSecrets(flags, &c.ShowSecrets)
}

// AddWrite adds the flags of commands that make revisions.
func (c *Common) AddWrite(flags *pflag.FlagSet) {
	c.AddSpace(flags)
	c.AddDryRun(flags)
	c.AddNoCrossSpace(flags)
	c.AddShowSecrets(flags)
	flags.BoolVar(&c.NoPropagate, "no-propagate", false,
		"do not resolve automatic links afterwards")
	flags.BoolVar(&c.StrictWorktree, "strict-worktree", false,
		"fail if a working copy was edited, instead of recording the edit")
	flags.StringVar(&c.ChangeDesc, "change-desc", "", "describe the revision with `TEXT`")
}

// serverFlags are flags that only make sense with a server. Scripts may have them.
func serverFlags() []string { return []string{"wait", "organization"} }

// AddServerFlags adds flags that have no effect to a command and those below it.
func AddServerFlags(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.Bool("wait", false, "")
	flags.String("organization", "", "")
	for _, name := range serverFlags() {
		flags.Lookup(name).Hidden = true
	}
}

// noteServerFlags says which of the given flags have no effect, with --debug.
func (s *Session) noteServerFlags() {
	if !s.Settings.Debug {
		return
	}
	for _, name := range serverFlags() {
		if s.Flags.Changed(name) {
			s.App.Note(s.Settings, "--"+name+" has no effect: it is for a server")
		}
	}
}

// Session is an open workspace.
type Session struct {
	*workspace.Workspace
	*Common
	Ctx      context.Context
	Settings *settings.Settings
	Flags    *pflag.FlagSet
	// Tx and Propagator are nil in commands that only read.
	Tx         *workspace.Tx
	Propagator *propagate.Propagator

	Results    []propagate.UnitResult // what was resolved because the user asked for it
	Propagated []propagate.UnitResult // what followed
	Form       string                 // of the results
	Asked      bool                   // the command is about resolving links
	Left       string                 // what it did not resolve, for the note that there was nothing to do

	reading  *workspace.Tx // from git, for a command that reads; never committed
	executor *functions.Executor
	done     []func() error           // what follows the commit
	hidden   map[*workspace.Unit]bool // whose copies of secret values are masked
	// merged are the units that the command merges into a unit without a link.
	merged map[*workspace.Unit][]*workspace.Unit
	unread []error // why parts of what the command is about cannot be read
}

// Reads makes a command read the workspace. do gets the words after the flags.
func (c *Common) Reads(cmd *cobra.Command, do func(*Session, []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Read(cmd, func(s *Session) error { return do(s, words) })
	}
	return cmd
}

// Writes makes a command change the workspace.
func (c *Common) Writes(cmd *cobra.Command, do func(*Session, []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Write(cmd, Title(cmd, words...), func(s *Session) error { return do(s, words) })
	}
	return cmd
}

// Title returns the name of a command for undo: its words and switches. The values of flags are
// left out, as they may be secret.
func Title(cmd *cobra.Command, words ...string) string {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	title := append([]string{name}, words...)
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Value.Type() == "bool" && f.Name != "dry-run" && f.Name != "show-secrets" {
			title = append(title, "--"+f.Name)
		}
	})
	return strings.Join(title, " ")
}

// Read opens the workspace for reading.
func (c *Common) Read(cmd *cobra.Command, do func(*Session) error) error {
	return c.with(cmd, false, func(s *Session) error { return errors.Join(do(s), s.finish()) })
}

// Write opens the workspace for writing, and commits what do did. title is for undo.
func (c *Common) Write(cmd *cobra.Command, title string, do func(*Session) error) error {
	return c.with(cmd, true, func(s *Session) error {
		s.Tx = s.Store.Begin(title)
		s.Propagator = &propagate.Propagator{
			Workspace: s.Workspace, Tx: s.Tx, Functions: s.Functions, Mask: s.maskError,
			StrictWorktree: s.StrictWorktree,
		}
		if err := do(s); err != nil {
			return err
		}
		if s.Store.Config.Lock && len(s.Tx.Resolved) > 0 {
			if err := s.Tx.WriteLock(s.Workspace); err != nil {
				return err
			}
		}
		if err := s.keepCopies(); err != nil {
			return err
		}
		if !c.DryRun {
			if err := s.Tx.WriteMerged(s.Workspace); err != nil {
				return err
			}
		}
		if err := s.Tx.WriteBases(s.Workspace); err != nil {
			return err
		}
		if err := s.Tx.Err(); err != nil {
			return err
		}
		if c.DryRun {
			defer s.Tx.Drop() // what is shown may read what would be written
		} else if err := s.commit(); err != nil {
			return err
		}
		return s.finish()
	})
}

// finish does what After got. What failed for one unit hides no other result.
func (s *Session) finish() error {
	var errs []error
	for _, done := range s.done {
		errs = append(errs, done())
	}
	return errors.Join(errs...)
}

// commit commits the transaction, and notes for undo if the command changed nothing.
func (s *Session) commit() error {
	idle := s.Tx.Empty() && s.Tx.Title != ""
	if err := s.Tx.Commit(s.Ctx); err != nil || !idle {
		return err
	}
	if err := s.Store.Idle(s.Tx.Title); err != nil { // no reason to fail: the command had nothing to do
		s.Note("undo will take back the command before this one: %v", err)
	}
	return nil
}

func (c *Common) with(cmd *cobra.Command, write bool, do func(*Session) error) (err error) {
	s := &Session{Common: c, Ctx: cmd.Context(), Flags: cmd.Flags()}
	if s.Settings, err = c.App.Settings(cmd.Flags()); err != nil {
		return err
	}
	c.App.SettingsNotes(s.Settings)
	s.noteServerFlags()
	dir, err := workspace.Find(c.App.Dir, c.App.Dir != "")
	if err != nil {
		return err
	}
	if write {
		c.App.Writes.Begin()
		defer c.App.Writes.End()
	}
	store, err := workspace.Open(s.Ctx, dir, workspace.OpenOptions{
		Write: write, DryRun: c.DryRun, Repair: c.Repair, Untrusted: s.Settings.Untrusted,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, note := range store.Repaired {
		c.App.Note(s.Settings, note)
	}
	store.Secret = s.secret
	if text := c.App.Streams.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
			store.Now = func() time.Time { return time.Unix(seconds, 0).UTC() }
		}
	}
	if s.Workspace, err = store.Load(s.Ctx); err != nil {
		return err
	}
	err = do(s)
	s.HideIn(append(s.unread, err, s.Problems.Err())...)
	if err := s.reported(err); err != nil {
		return err
	}
	if write && !c.DryRun {
		s.WriteIndex()
	}
	return nil
}

// Unread notes why a part of what the command is about cannot be read. The command goes on with the
// rest and fails at its end.
func (s *Session) Unread(err error) {
	if err != nil {
		s.unread = append(s.unread, err)
	}
}

// reported returns the error of a command: err and what Unread noted. Problems with other parts of
// the workspace are printed and do not make the command fail. Each problem is reported once.
func (s *Session) reported(err error) error {
	reported := Once{}
	_ = reported.Fresh(err)
	if unread := reported.Fresh(errors.Join(s.unread...)); len(unread) > 0 {
		err = errors.Join(err, unread)
	}
	s.App.Console().Problems(reported.Fresh(s.Problems.Err()))
	return err
}

// Once remembers the texts of problems that are reported only once.
type Once map[string]bool

// Fresh returns the problems in an error that it has not returned yet.
func (o Once) Fresh(err error) diag.List {
	var all diag.List
	if err == nil {
		return nil
	}
	for _, f := range diag.Failures(err, api.FailureFunction) {
		if text := f.Error(); !o[text] {
			o[text] = true
			all = append(all, f)
		}
	}
	return all
}

// SpaceSlug returns the slug of the space that the command works in.
func (s *Session) SpaceSlug() string {
	if s.SpaceFlag == "" {
		return s.Store.Config.DefaultSpace
	}
	return s.SpaceFlag
}

// InSpace returns the space that the command works in.
func (s *Session) InSpace() (*workspace.Space, error) { return s.Space(s.SpaceSlug()) }

// OneSpaceOrAll lets the command work in the space of --space, or in all without it.
func (s *Session) OneSpaceOrAll() error {
	if s.SpaceFlag == "" {
		s.SpaceFlag = "*"
	}
	if s.SpaceFlag == "*" {
		return nil
	}
	_, err := s.InSpace()
	return err
}

// UnitNamed returns the unit with a reference.
func (s *Session) UnitNamed(ref string) (*workspace.Unit, error) {
	u, err := s.Unit(s.nameSpace(), ref)
	if err == nil {
		s.FromGit(u)
	}
	return u, err
}

// FromGit lets a command that only reads know what git has brought about units and their links.
func (s *Session) FromGit(units ...*workspace.Unit) {
	if s.Tx != nil {
		return
	}
	var edited []*workspace.Unit
	news := false
	for _, u := range units {
		news = news || u.HeadRevisionNum == 0
		for _, l := range s.LinksFrom(u) {
			if l.Merged == "" || !l.Merges() {
				continue
			}
			if is, _, err := s.Store.Edited(u); is && err == nil {
				edited = append(edited, u)
				break
			}
		}
	}
	if !news && len(edited) == 0 {
		return
	}
	if s.reading == nil {
		s.reading = s.Store.Begin("")
	}
	p := &propagate.Propagator{Workspace: s.Workspace, Tx: s.reading, Functions: s.Functions}
	p.FromGit(units, edited)
}

// LinkNamed returns the link with a reference.
func (s *Session) LinkNamed(ref string) (*workspace.Link, error) {
	return s.Link(s.nameSpace(), ref)
}

// Edits records the edits of the working copies of units.
func (s *Session) Edits(units ...*workspace.Unit) error {
	_, err := s.Propagator.Edits(units...)
	return err
}

// nameSpace returns the space in which names without one are searched.
func (s *Session) nameSpace() string {
	if s.SpaceFlag == "*" {
		return s.Store.Config.DefaultSpace
	}
	return s.SpaceSlug()
}

// InFile gives an error about data that comes from a file the name of the file, instead of that of
// the working copy that it does not become.
func InFile(err error, file string) error {
	if e, ok := errors.AsType[*entity.Error](err); ok && e.Code == entity.CodeParse && file != "" {
		located := *e
		located.Pos.File = diag.FileName(file)
		return &located
	}
	return err
}

// Functions returns the executor. It is made when a command first needs it.
func (s *Session) Functions() (*functions.Executor, error) {
	if s.executor != nil {
		return s.executor, nil
	}
	executor, err := s.App.ExecutorFor(s.Ctx, s.Settings)
	if err != nil {
		return nil, err
	}
	files, err := s.Store.Attributes()
	if err != nil {
		return nil, err
	}
	if err := attributes.Register(executor, files); err != nil {
		return nil, err
	}
	s.executor = executor
	return executor, nil
}

// Shown is a diff of two states of a unit for people.
func (s *Session) Shown(u *workspace.Unit, before, after []byte) ([]byte, error) {
	secrets, err := s.Secrets(u, before, after)
	if err != nil {
		return nil, err
	}
	f := diff.FileDiff{
		Name: u.DataFile(), Before: before, After: after, Style: do.DiffStyle(s.App.Streams),
	}
	f.Shown = func(before, after []byte) ([]byte, []byte) {
		if secrets != nil {
			before, after = secrets.Text(sensitive.Before), secrets.Text(sensitive.After)
		}
		return []byte(s.App.Masked(string(before))), []byte(s.App.Masked(string(after)))
	}
	return diff.Unified(f), nil
}

// Note writes a note on the error stream.
func (s *Session) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.DryRun && s.Tx != nil {
		text += " (dry run, nothing written)"
	}
	s.App.Note(s.Settings, text)
}

// After runs do when the transaction was committed, or when a dry run or a command that reads ends.
func (s *Session) After(do func() error) { s.done = append(s.done, do) }

// NoteAfter writes a note when the transaction was committed, or when a dry run ends.
func (s *Session) NoteAfter(format string, args ...any) {
	s.After(func() error {
		s.Note(format, args...)
		return nil
	})
}

// Warn writes warnings on the error stream.
func (s *Session) Warn(warnings ...entity.Warning) {
	if s.Settings.Quiet {
		return
	}
	for _, w := range warnings {
		text := ""
		if w.Unit != "" {
			text += w.Space + "/" + w.Unit + ": "
		}
		s.App.Console().Notes("", api.Note{Message: text + w.Message})
	}
}

// Input reads a file or, with -, the standard input.
func (s *Session) Input(file string) ([]byte, error) {
	if file != "-" {
		file = source.InDirectory(s.App.Dir, file)
	}
	return do.Reader(s.Settings, s.App.Streams).Bytes(s.Ctx, file)
}

// Group makes a command that only has subcommands.
func Group(a *command.App, use, short, long string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: a.NoSuchCommand, RunE: command.ShowHelp,
	}
	cmd.AddCommand(commands...)
	return cmd
}

// WriteFile writes a file outside the workspace, or with - prints it. A new one with secrets can be
// read only by its owner.
func WriteFile(s *Session, name string, data []byte, secret bool) error {
	switch {
	case s.DryRun:
		return nil
	case name == "-" || name == "/dev/stdout":
		return s.App.Write(data)
	}
	perm := fs.FileMode(0o666)
	if secret {
		perm = 0o600
	}
	name = source.InDirectory(s.App.Dir, name)
	ctx := context.WithoutCancel(s.Ctx) // the reported change may be committed
	err := s.App.Writes.Write(func() error { return files.Write(ctx, name, perm, data) })
	if err != nil {
		return do.NotWritten(diag.FileName(name), err)
	}
	return nil
}
