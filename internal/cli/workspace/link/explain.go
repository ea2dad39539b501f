package link

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

func newLinkExplain(a *command.App) *cobra.Command {
	c, form := &session.Common{App: a, DryRun: true}, ""
	cmd := &cobra.Command{
		Use:   "explain [flags] UNIT RESOURCE PATH",
		Short: "Show where a value came from and which links may change it",
		Long: `Show what set a value of a unit: an edit, a function, or a link, with the upstream
value that it was made of, and so on upstream. Then follow the merges that could
overwrite the value, and what links would write now. Everything comes from
records and dry runs; what is not recorded is called unknown.

RESOURCE is KIND/NAME, TYPE:NAME or, as tables print it, TYPE NAME.
TYPE:NAME:PATH is one word for both.`,
		Example: "  fctl link explain web deploy/web spec.replicas\n" +
			"  fctl link explain web apps/v1/Deployment:shop/web:spec.replicas",
		Args: command.Words(2, 4),
	}
	session.Flags(cmd, c.AddSpace).StringVarP(&form, "output", "o", "",
		"output `FORMAT`: text or json")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if form != "" && form != "text" && form != "json" {
			return diag.Usage("output format %q is not one of text, json", form)
		}
		return c.Write(cmd, "", func(s *session.Session) error {
			explanation, err := explain(s, words[0], words[1:])
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

// explain explains the value at a place of a unit, which words name.
func explain(s *session.Session, name string, words []string) (*resolve.Explanation, error) {
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
	place, err := s.Place(u, words)
	if err != nil {
		return nil, err
	}
	if len(place.Paths) != 1 {
		return nil, diag.UsageHint(
			shellwords.Quote("fctl", "link", "explain", name, words[0], "spec.replicas"),
			"one path is expected after the resource, not %d", len(place.Paths))
	}
	return g.Explain(s.Ctx, u.UnitID, entity.ResourceReference{
		ResourceType: place.Resource.Info.ResourceType,
		ResourceName: place.Resource.Info.ResourceName,
	}, place.Paths[0])
}
