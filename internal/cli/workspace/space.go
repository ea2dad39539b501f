package workspace

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
	"github.com/fctl-dev/fctl/internal/workspace/filter"
)

func newSpace(a *app.App) *cobra.Command {
	return group(a, "space", "Make, list, change and delete spaces",
		"A space is a folder of units, links, invocations and filters.",
		newSpaceCreate(a), newSpaceList(a), newSpaceGet(a), newSpaceUpdate(a), newSpaceDelete(a))
}

func newSpaceCreate(a *app.App) *cobra.Command {
	c, meta, out := &common{app: a}, &metadata{}, &output{}
	cmd := &cobra.Command{
		Use: "create [flags] SPACE", Short: "Make a space", Args: words(1, 1),
	}
	c.addDryRun(cmd.Flags())
	c.addIgnored(cmd.Flags())
	meta.add(cmd.Flags())
	meta.addAllowExists(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.write(cmd, "space create "+words[0], func(s *session) error {
			if existing, err := s.Space(words[0]); err == nil && meta.allowExists {
				return s.printSpace(out, existing, "")
			}
			space := &entity.Space{Common: entity.Common{Slug: words[0]}}
			if err := meta.apply(&space.Common); err != nil {
				return err
			}
			made, err := s.tx.CreateSpace(s.Workspace, space)
			if err != nil {
				return err
			}
			return s.printSpace(out, made, "Successfully created space "+made.Slug)
		})
	}
	return cmd
}

// printSpace prints a space after a command, or only a message without -o.
func (s *session) printSpace(out *output, space *workspace.Space, message string) error {
	return s.printOne(out, space.Slug, space.Space, message, space.SpaceID)
}

// printOne prints an entity after a command, or only a message without -o.
func (s *session) printOne(out *output, name string, object any, message, id string) error {
	if err := out.check(); err != nil {
		return err
	}
	s.after(func() error {
		switch out.form {
		case "":
			if message == "" || s.settings.Quiet {
				return nil
			}
			return s.app.Write([]byte(message + " (" + id + ")\n"))
		case "name":
			return s.app.Write([]byte(name + "\n"))
		}
		return s.printObject(out, object)
	})
	return nil
}

func spaceColumns(s *session) []column[*workspace.Space] {
	return []column[*workspace.Space]{
		{"NAME", false, func(p *workspace.Space) string { return p.Slug }},
		{"UNITS", false, func(p *workspace.Space) string {
			n := 0
			for _, u := range s.Units {
				if u.SpaceSlug == p.Slug {
					n++
				}
			}
			return strconv.Itoa(n)
		}},
		{"LINKS", false, func(p *workspace.Space) string {
			n := 0
			for _, l := range s.Links {
				if l.SpaceSlug == p.Slug {
					n++
				}
			}
			return strconv.Itoa(n)
		}},
		{"LABELS", true, func(p *workspace.Space) string { return pairs(p.Labels) }},
		{"ID", true, func(p *workspace.Space) string { return p.SpaceID }},
	}
}

func newSpaceList(a *app.App) *cobra.Command {
	c, sel, out := &common{app: a}, &selection{}, &output{}
	cmd := &cobra.Command{Use: "list [flags]", Short: "List the spaces", Args: app.NoArguments}
	sel.add(cmd.Flags())
	out.add(cmd.Flags())
	c.addIgnored(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.read(cmd, func(s *session) error {
			expr, _, err := sel.expr(s, entity.FilterSpace)
			if err != nil {
				return err
			}
			var all []*workspace.Space
			for _, p := range s.Spaces {
				if sel.has(&p.Common) && expr.Match(filter.OfSpace(p.Space)) {
					all = append(all, p)
				}
			}
			return printList(s, out, all, spaceColumns(s),
				func(p *workspace.Space) string { return p.Slug },
				func(p *workspace.Space) any { return p.Space })
		})
	}
	return cmd
}

func newSpaceGet(a *app.App) *cobra.Command {
	c, out := &common{app: a}, &output{}
	cmd := &cobra.Command{Use: "get [flags] SPACE", Short: "Show a space", Args: words(1, 1)}
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.read(cmd, func(s *session) error {
			p, err := s.Space(words[0])
			if err != nil {
				return err
			}
			return s.printGet(out, p.Slug, p.Space, [][]string{
				{"ID", p.SpaceID},
				{"Name", p.Slug},
				{"Display Name", p.DisplayName},
				{"Labels", pairs(p.Labels)},
				{"Annotations", pairs(p.Annotations)},
				{"Delete Gates", gates(p.DeleteGates)},
			})
		})
	}
	return cmd
}

func newSpaceUpdate(a *app.App) *cobra.Command {
	c, meta, out := &common{app: a}, &metadata{}, &output{}
	cmd := &cobra.Command{
		Use: "update [flags] SPACE", Short: "Change the labels and names of a space",
		Args: words(1, 1),
	}
	c.addDryRun(cmd.Flags())
	c.addIgnored(cmd.Flags())
	cmd.Flags().Bool("patch", false, "change only what is given, which is always so")
	meta.add(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.write(cmd, "space update "+words[0], func(s *session) error {
			p, err := s.Space(words[0])
			if err != nil {
				return err
			}
			if err := meta.apply(&p.Common); err != nil {
				return err
			}
			s.tx.Updated(&p.Common)
			if err := s.tx.WriteSpace(p); err != nil {
				return err
			}
			return s.printSpace(out, p, "Successfully updated space "+p.Slug)
		})
	}
	return cmd
}

func newSpaceDelete(a *app.App) *cobra.Command {
	c := &common{app: a}
	cmd := &cobra.Command{
		Use: "delete [flags] SPACE", Short: "Delete a space with everything in it",
		Args: words(1, 1),
	}
	c.addDryRun(cmd.Flags())
	c.addIgnored(cmd.Flags())
	force := cmd.Flags().Bool("force", false, "delete links from other spaces, too")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.write(cmd, "space delete "+words[0], func(s *session) error {
			p, err := s.Space(words[0])
			if err != nil {
				return err
			}
			if err := s.tx.DeleteSpace(s.Workspace, p, *force); err != nil {
				return err
			}
			s.after(func() error {
				s.note("deleted space %s", p.Slug)
				return nil
			})
			return nil
		})
	}
	return cmd
}
