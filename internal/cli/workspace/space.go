package workspace

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func spaces() *noun[*workspace.Space] {
	return &noun[*workspace.Space]{
		kind: entity.KindSpace, word: "SPACE",
		head: []string{"NAME", "UNITS", "LINKS", "+LABELS", "+ID"},
		cells: func(s *session.Session, p *workspace.Space) []string {
			return []string{
				p.Slug, count(s.Units, p), count(s.Links, p), session.Pairs(p.Labels), p.SpaceID,
			}
		},
		rows: func(p *workspace.Space) [][]string {
			return [][]string{
				{"ID", p.SpaceID},
				{"Name", p.Slug},
				{"Display Name", p.DisplayName},
				{"Labels", session.Pairs(p.Labels)},
				{"Annotations", session.Pairs(p.Annotations)},
				{"Delete Gates", session.Gates(p.DeleteGates)},
			}
		},
	}
}

// count counts the entities in a space.
func count[T workspace.Entity](list []T, p *workspace.Space) string {
	n := 0
	for _, e := range list {
		if e.Base().SpaceSlug == p.Slug {
			n++
		}
	}
	return strconv.Itoa(n)
}

func newSpace(a *command.App) *cobra.Command {
	n := spaces()
	return session.Group(a, "space", "Make, list, change and delete spaces",
		"A space is a folder of units, links, invocations and filters.",
		newSpaceCreate(a), n.list(a, "List the spaces"), n.get(a, "Show a space"),
		newSpaceUpdate(a), newSpaceRename(a), newSpaceDelete(a))
}

func newSpaceCreate(a *command.App) *cobra.Command {
	o := &creation{}
	cmd := &cobra.Command{
		Use: "create [flags] [SPACE]", Short: "Make a space",
		Long: `Make a space. With --filename or --from-stdin, its fields are those of a text, and
SPACE may be left out.`,
	}
	o.add(a, cmd, entity.KindSpace)
	cmd.Args = o.words(1, 1)
	return o.Writes(cmd, func(s *session.Session, words []string) error {
		return spaces().create(o, s, words, func(*workspace.Space) error { return nil })
	})
}

func newSpaceUpdate(a *command.App) *cobra.Command {
	o := &creation{Common: session.Common{App: a}, Body: session.Body{Of: entity.KindSpace}}
	cmd := &cobra.Command{
		Use: "update [flags] SPACE", Short: "Change the labels and names of a space",
		Long: `Change a space. Fields of a text (--filename, --from-stdin) replace those of the
space; with --patch, labels and annotations that the text does not have stay.`,
		Args: command.Words(1, 1),
	}
	flags := session.Flags(cmd, o.AddDryRun, o.Metadata.Add, o.Body.Add, o.PrintFlags.Add)
	patch := flags.Bool("patch", false, "merge labels and annotations of a text")
	version := flags.Int64("version", 0, "fail if the space has another version than `N`")
	return o.Writes(cmd, func(s *session.Session, words []string) error {
		p, err := s.Space(words[0])
		if err != nil {
			return err
		}
		if err := workspace.CheckVersion(&p.Common, *version); err != nil {
			return err
		}
		text, given, err := o.Text(s)
		if err == nil && given {
			err = updateSpace(p, text, *patch)
		}
		if err != nil {
			return err
		}
		if err := o.Metadata.Apply(&p.Common); err != nil {
			return err
		}
		s.Tx.Updated(&p.Common)
		s.Tx.Write(p)
		return s.PrintDone(&o.PrintFlags, p, "updated")
	})
}

// updateSpace gives a space the fields of a text.
func updateSpace(p *workspace.Space, text entity.Text, patch bool) error {
	body := &entity.Space{}
	if err := entity.Decode(text, body); err != nil {
		return err
	}
	given := entity.Given(text)
	if given["TargetFacts"] {
		p.TargetFacts = body.TargetFacts
	}
	return session.Update(p, body, given, patch)
}

func newSpaceRename(a *command.App) *cobra.Command {
	c, out := &session.Common{App: a}, &session.PrintFlags{}
	cmd := &cobra.Command{
		Use: "rename [flags] SPACE NAME", Short: "Give a space another name",
		Long: `Give a space another name. Everything in it moves; links from other spaces stay as
they are, and are not stale afterwards.`,
		Args: command.Words(2, 2),
	}
	session.Flags(cmd, c.AddDryRun, out.Add)
	return c.Writes(cmd, func(s *session.Session, words []string) error {
		p, err := s.Space(words[0])
		if err != nil {
			return err
		}
		was := p.Slug
		if err := s.Tx.RenameSpace(s.Workspace, p, words[1]); err != nil {
			return err
		}
		s.After(func() error {
			if !s.DryRun {
				s.ProblemsMoved(was, p.Slug)
			}
			return nil
		})
		return s.PrintOne(out, p, p.Space, "renamed space "+was+" to "+p.Slug)
	})
}

func newSpaceDelete(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: "delete [flags] SPACE", Short: "Delete a space with everything in it",
		Args: command.Words(1, 1),
	}
	force := session.Flags(cmd, c.AddDryRun).
		Bool("force", false, "delete links from other spaces, too")
	return c.Writes(cmd, func(s *session.Session, words []string) error {
		p, err := s.Space(words[0])
		if err != nil {
			return err
		}
		s.NoteAfter("deleted space %s", p.Slug)
		return s.Tx.DeleteSpace(s.Workspace, p, *force)
	})
}
