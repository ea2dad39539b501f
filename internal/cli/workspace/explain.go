package workspace

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/link"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

func newLinkExplain(a *app.App) *cobra.Command {
	c, form := &common{app: a, dryRun: true}, ""
	cmd := &cobra.Command{
		Use:   "explain [flags] UNIT TYPE:NAME:PATH",
		Short: "Show where a value came from and which links may change it",
		Long: `Show what set a value of a unit: an edit, a function, or a link, with the upstream
value that it was made of, and so on upstream. Then follow the merges that could
overwrite the value, and what links would write now. Everything comes from
records and dry runs; what is not recorded is called unknown.`,
		Example: "  fctl link explain web apps/v1/Deployment:shop/web:spec.replicas",
		Args:    words(2, 2),
	}
	c.addSpace(cmd.Flags())
	cmd.Flags().StringVarP(&form, "output", "o", "", "output `FORMAT`: text or json")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if form != "" && form != "text" && form != "json" {
			return diag.Usage("output format %q is not one of text, json", form)
		}
		ref, path, err := parseReference(words[1])
		if err == nil && path == "" {
			err = diag.UsageHint(
				"for example apps/v1/Deployment:shop/web:spec.replicas", "a path is missing in %q",
				words[1],
			)
		}
		if err != nil {
			return err
		}
		return c.write(cmd, "", func(s *session) error {
			u, err := s.unit(words[0])
			if err != nil {
				return err
			}
			g, err := s.linkGraph()
			if err != nil {
				return err
			}
			explanation, err := g.Explain(s.ctx, u.UnitID, ref, path)
			if err != nil {
				return err
			}
			if form == "json" {
				return s.app.WriteJSON(explanation)
			}
			return s.app.Write([]byte(explanation.String()))
		})
	}
	return cmd
}

// linkGraph returns the workspace as package link sees it. Edits of working copies count.
func (s *session) linkGraph() (*link.Graph, error) {
	runner, err := s.engine()
	if err != nil {
		return nil, err
	}
	if _, err := s.tx.Edits(runner, s.Units, s.strictWorktree); err != nil {
		return nil, err
	}
	read := map[string]*link.Upstream{}
	g := &link.Graph{
		Executor: runner.Executor, Names: s.UnitName,
		Read: func(id string) (*link.Upstream, error) {
			if read[id] != nil {
				return read[id], nil
			}
			u, err := s.Unit("", id)
			if err == nil {
				read[id], err = runner.Upstream(u)
			}
			return read[id], err
		},
		Revision: func(id string, num int64) *entity.Revision {
			u, err := s.Unit("", id)
			if err != nil {
				return nil
			}
			r, err := s.Store.Revision(u, num)
			if err != nil {
				return nil
			}
			return r
		},
		Input: func(
			id string, links []*entity.Link, options link.Options,
		) (*link.Input, error) {
			u, err := s.Unit("", id)
			if err != nil {
				return nil, err
			}
			var selected []*workspace.Link
			for _, l := range links {
				for _, known := range s.Links {
					if known.Link == l {
						selected = append(selected, known)
					}
				}
			}
			return runner.Input(u, selected, options)
		},
	}
	for _, u := range s.Units {
		g.Units = append(g.Units, u.Unit)
	}
	for _, l := range s.Links {
		g.Links = append(g.Links, l.Link)
	}
	return g, nil
}
