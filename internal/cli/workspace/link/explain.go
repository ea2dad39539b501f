package link

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

func newLinkExplain(a *command.App) *cobra.Command {
	c, form := &session.Common{App: a, DryRun: true}, ""
	cmd := &cobra.Command{
		Use:   "explain [flags] UNIT TYPE:NAME:PATH",
		Short: "Show where a value came from and which links may change it",
		Long: `Show what set a value of a unit: an edit, a function, or a link, with the upstream
value that it was made of, and so on upstream. Then follow the merges that could
overwrite the value, and what links would write now. Everything comes from
records and dry runs; what is not recorded is called unknown.`,
		Example: "  fctl link explain web apps/v1/Deployment:shop/web:spec.replicas",
		Args:    command.Words(2, 2),
	}
	session.Flags(cmd, c.AddSpace).StringVarP(&form, "output", "o", "",
		"output `FORMAT`: text or json")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if form != "" && form != "text" && form != "json" {
			return diag.Usage("output format %q is not one of text, json", form)
		}
		ref, path, err := session.ParseReference(words[1])
		if err == nil && path == "" {
			err = diag.UsageHint(
				"for example apps/v1/Deployment:shop/web:spec.replicas", "a path is missing in %q",
				words[1],
			)
		}
		if err != nil {
			return err
		}
		return c.Write(cmd, "", func(s *session.Session) error {
			explanation, err := explain(s, words[0], ref, path)
			if err != nil {
				return err
			}
			if form == "json" {
				return s.App.WriteValuesJSON(explanation)
			}
			return s.App.WriteText(explanationText(explanation))
		})
	}
	return cmd
}

func explain(
	s *session.Session, name string, ref entity.ResourceReference, path string,
) (*resolve.Explanation, error) {
	// It takes edits up as revisions, whose secrets are to be hidden, too.
	g, err := s.LinkGraph()
	if err != nil {
		return nil, err
	}
	u, err := s.UnitNamed(name)
	if err != nil {
		return nil, err
	}
	data, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return nil, err
	}
	secrets, err := s.Secrets(u, data, nil)
	if err != nil {
		return nil, err
	}
	s.App.Hide(secrets, true)
	return g.Explain(s.Ctx, u.UnitID, ref, path)
}
