package workspace

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newSpace(a *command.App) *cobra.Command {
	return session.Group(a, "space", "Make, list, change and delete spaces",
		"A space is a folder of units, links, invocations and filters.",
		newSpaceCreate(a), newSpaceList(a), newSpaceGet(a), newSpaceUpdate(a), newSpaceRename(a),
		newSpaceDelete(a))
}

func newSpaceCreate(a *command.App) *cobra.Command {
	c, meta, out := &session.Common{App: a}, &session.Metadata{}, &session.Output{}
	body := &session.Body{}
	cmd := &cobra.Command{
		Use: "create [flags] [SPACE]", Short: "Make a space", Args: session.Words(0, 1),
		Long: `Make a space. With --filename or --from-stdin, its fields are those of a text, and
SPACE may be left out.`,
	}
	c.AddDryRun(cmd.Flags())
	meta.Add(cmd.Flags())
	meta.AddAllowExists(cmd.Flags())
	body.Add(cmd.Flags(), "space")
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if len(words) == 0 && !body.IsSet() {
			return diag.UsageHint(cmd.UseLine(), "a space is expected")
		}
		title := strings.Join(append([]string{"space create"}, words...), " ")
		return c.Write(cmd, title, func(s *session.Session) error {
			space := &entity.Space{}
			text, given, err := body.Text(s)
			if err == nil && given {
				err = entity.Decode(text, space)
			}
			if err != nil {
				return err
			}
			if len(words) == 1 {
				space.Slug = words[0]
			}
			if existing, err := s.Space(space.Slug); err == nil && meta.AllowExists {
				return printSpace(s, out, existing, "")
			}
			if err := meta.Apply(&space.Common); err != nil {
				return err
			}
			made := &workspace.Space{Space: space}
			if err := s.Tx.Create(s.Workspace, made); err != nil {
				return err
			}
			return printSpace(s, out, made, "Successfully created space "+made.Slug)
		})
	}
	return cmd
}

// printSpace prints a space after a command, or only a message without -o.
func printSpace(
	s *session.Session, out *session.Output, space *workspace.Space, message string,
) error {
	return s.PrintOne(out, space.Slug, space.Space, message, space.SpaceID)
}

func spaceColumns(s *session.Session) []session.Column[*workspace.Space] {
	return []session.Column[*workspace.Space]{
		session.Col("NAME", func(p *workspace.Space) string { return p.Slug }),
		session.Col("UNITS", func(p *workspace.Space) string {
			n := 0
			for _, u := range s.Units {
				if u.SpaceSlug == p.Slug {
					n++
				}
			}
			return strconv.Itoa(n)
		}),
		session.Col("LINKS", func(p *workspace.Space) string {
			n := 0
			for _, l := range s.Links {
				if l.SpaceSlug == p.Slug {
					n++
				}
			}
			return strconv.Itoa(n)
		}),
		session.WideCol("LABELS", func(p *workspace.Space) string {
			return session.Pairs(p.Labels)
		}),
		session.WideCol("ID", func(p *workspace.Space) string { return p.SpaceID }),
	}
}

func newSpaceList(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.Selection{}, &session.Output{}
	cmd := &cobra.Command{Use: "list [flags]", Short: "List the spaces", Args: command.NoArguments}
	sel.Add(cmd.Flags())
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			all, err := sel.Spaces(s)
			if err != nil {
				return err
			}
			return session.PrintList(s, out, all, spaceColumns(s),
				func(p *workspace.Space) string { return p.Slug },
				func(p *workspace.Space) any { return p.Space })
		})
	}
	return cmd
}

func newSpaceGet(a *command.App) *cobra.Command {
	c, out := &session.Common{App: a}, &session.Output{}
	cmd := &cobra.Command{
		Use: "get [flags] SPACE", Short: "Show a space",
		Args: session.Words(1, 1),
	}
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			p, err := s.Space(words[0])
			if err != nil {
				return err
			}
			return s.PrintGet(out, p.Slug, p.Space, [][]string{
				{"ID", p.SpaceID},
				{"Name", p.Slug},
				{"Display Name", p.DisplayName},
				{"Labels", session.Pairs(p.Labels)},
				{"Annotations", session.Pairs(p.Annotations)},
				{"Delete Gates", session.Gates(p.DeleteGates)},
			})
		})
	}
	return cmd
}

func newSpaceUpdate(a *command.App) *cobra.Command {
	c, meta, out := &session.Common{App: a}, &session.Metadata{}, &session.Output{}
	body := &session.Body{}
	cmd := &cobra.Command{
		Use: "update [flags] SPACE", Short: "Change the labels and names of a space",
		Long: `Change a space. Fields of a text (--filename, --from-stdin) replace those of the
space; with --patch, labels and annotations that the text does not have stay.`,
		Args: session.Words(1, 1),
	}
	c.AddDryRun(cmd.Flags())
	patch := cmd.Flags().Bool("patch", false, "merge labels and annotations of a text")
	version := cmd.Flags().Int64("version", 0, "fail if the space has another version than `N`")
	meta.Add(cmd.Flags())
	body.Add(cmd.Flags(), "space")
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Write(cmd, "space update "+words[0], func(s *session.Session) error {
			p, err := s.Space(words[0])
			if err != nil {
				return err
			}
			if err := workspace.CheckVersion(&p.Common, *version); err != nil {
				return err
			}
			text, given, err := body.Text(s)
			if err == nil && given {
				err = updateSpace(p, text, *patch)
			}
			if err != nil {
				return err
			}
			if err := meta.Apply(&p.Common); err != nil {
				return err
			}
			s.Tx.Updated(&p.Common)
			s.Tx.Write(p)
			return printSpace(s, out, p, "Successfully updated space "+p.Slug)
		})
	}
	return cmd
}

// updateSpace gives a space the fields of a text.
func updateSpace(p *workspace.Space, text entity.Text, patch bool) error {
	body := &entity.Space{}
	if err := entity.Decode(text, body); err != nil {
		return err
	}
	if err := session.SameID(p.SpaceID, body.SpaceID); err != nil {
		return err
	}
	given := entity.Given(text)
	if given["TargetFacts"] {
		p.TargetFacts = body.TargetFacts
	}
	return session.Update(&p.Common, &body.Common, given, patch)
}

func newSpaceDelete(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: "delete [flags] SPACE", Short: "Delete a space with everything in it",
		Args: session.Words(1, 1),
	}
	c.AddDryRun(cmd.Flags())
	force := cmd.Flags().Bool("force", false, "delete links from other spaces, too")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Write(cmd, "space delete "+words[0], func(s *session.Session) error {
			p, err := s.Space(words[0])
			if err != nil {
				return err
			}
			if err := s.Tx.DeleteSpace(s.Workspace, p, *force); err != nil {
				return err
			}
			s.After(func() error {
				s.Note("deleted space %s", p.Slug)
				return nil
			})
			return nil
		})
	}
	return cmd
}
