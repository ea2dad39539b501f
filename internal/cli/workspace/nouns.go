package workspace

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// noun describes the spaces, invocations or filters for the commands that create, list, show and
// delete them.
type noun[T workspace.Entity] struct {
	kind  entity.Kind
	word  string // for a name in usage lines
	head  []string
	cells func(*session.Session, T) []string
	rows  func(T) [][]string // what get prints
}

// list makes the command that lists the selected ones.
func (n *noun[T]) list(a *command.App, short string) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.SelectFlags{}, &session.PrintFlags{}
	cmd := &cobra.Command{Use: "list [flags]", Short: short, Args: command.NoArguments}
	flags := session.Flags(cmd, out.Add)
	if n.kind == entity.KindSpace {
		sel.Add(flags)
	} else {
		c.AddSpace(flags)
		sel.AddWhere(flags, "name or labels")
	}
	return c.Reads(cmd, func(s *session.Session, _ []string) error {
		selected, _, err := session.Selected[T](s, sel, n.kind)
		if err != nil {
			return err
		}
		table := session.Listing[T]{
			Head: n.head, Name: T.Name, Object: func(e T) any { return e.Self() },
			Cells: func(e T) []string { return n.cells(s, e) },
		}
		return table.Print(s, out, selected)
	})
}

// common makes a command about one of them.
func (n *noun[T]) common(
	a *command.App, use, short string,
) (*session.Common, *session.PrintFlags, *cobra.Command) {
	c, out := &session.Common{App: a}, &session.PrintFlags{}
	cmd := &cobra.Command{Use: use + " [flags] " + n.word, Short: short, Args: command.Words(1, 1)}
	if n.kind != entity.KindSpace {
		session.Flags(cmd, c.AddSpace)
	}
	return c, out, cmd
}

// get makes the command that shows one.
func (n *noun[T]) get(a *command.App, short string) *cobra.Command {
	c, out, cmd := n.common(a, "get", short)
	session.Flags(cmd, out.Add)
	return c.Reads(cmd, func(s *session.Session, words []string) error {
		e, err := workspace.Lookup[T](s.Workspace, n.kind, s.SpaceSlug(), words[0])
		if err != nil {
			return err
		}
		return s.PrintGet(out, e.Name(), e.Self(), n.rows(e))
	})
}

// delete makes the command that deletes one.
func (n *noun[T]) delete(a *command.App, short string) *cobra.Command {
	c, _, cmd := n.common(a, "delete", short)
	session.Flags(cmd, c.AddDryRun)
	return c.Writes(cmd, func(s *session.Session, words []string) error {
		e, err := workspace.Lookup[T](s.Workspace, n.kind, s.SpaceSlug(), words[0])
		if err != nil {
			return err
		}
		s.NoteAfter("deleted %s %s", n.kind, e.Base().Slug)
		return s.Tx.Delete(s.Workspace, e)
	})
}

// creation holds the flags of commands that create an entity.
type creation struct {
	session.Common
	session.Metadata
	session.Body
	session.PrintFlags
}

// add adds the flags.
func (o *creation) add(a *command.App, cmd *cobra.Command, kind entity.Kind) {
	o.App, o.Of = a, kind
	flags := session.Flags(cmd, o.AddDryRun, o.Metadata.Add, o.AddAllowExists, o.Body.Add,
		o.PrintFlags.Add)
	if kind != entity.KindSpace {
		o.AddSpace(flags)
	}
}

// words checks the number of words. None is needed with a text.
func (o *creation) words(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, words []string) error {
		if o.Body.IsSet() {
			least = 0
		}
		return command.Words(least, most)(cmd, words)
	}
}

// create creates an entity that a text and the first word define. finish sets what flags and other
// words say.
func (n *noun[T]) create(o *creation, s *session.Session, words []string, finish func(T) error) error {
	e := workspace.Of(entity.New(n.kind)).(T)
	if n.kind != entity.KindSpace {
		space, err := s.InSpace()
		if err != nil {
			return err
		}
		e.Base().SpaceSlug = space.Slug
	}
	if _, err := o.Decode(s, e.Self()); err != nil {
		return err
	}
	c := e.Base()
	if len(words) > 0 {
		c.Slug = words[0]
	}
	if existing := s.Existing(n.kind, e.Name()); existing != nil && o.AllowExists {
		return s.PrintOne(&o.PrintFlags, existing, existing, "")
	}
	if err := finish(e); err != nil {
		return err
	}
	if err := o.Metadata.Apply(c); err != nil {
		return err
	}
	if err := s.Tx.Create(s.Workspace, e); err != nil {
		return err
	}
	return s.PrintDone(&o.PrintFlags, e, "created")
}
