package workspace

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/links/rules"
)

// checkLink checks a link, except for what needs functions or expressions.
func (w *Workspace) checkLink(c *rules.Findings, l *Link) {
	if !slices.Contains(entity.UpdateTypes(), l.Type()) {
		var names []string
		for _, t := range entity.UpdateTypes() {
			names = append(names, string(t))
		}
		hint := configkit.DidYouMean("", configkit.Suggest(string(l.UpdateType), names))
		if hint == "" {
			hint = "known are " + strings.Join(names, ", ")
		}
		c.Report("UpdateType", entity.Fail(entity.CodeUpdateType, "unknown UpdateType %s",
			quote(string(l.UpdateType))).WithHint(hint))
		return
	}
	c.Legal(l.Link)
	c.Bindings(l.Link)
	checkEnds(c, l)
	c.Transform(l.Link)
	c.Resources("WhereResource", l.WhereResource)
	c.Entities("WhereMutation", l.WhereMutation, filter.Mutation)
}

// checkEnds checks the units of a link.
func checkEnds(c *rules.Findings, l *Link) {
	if l.From == nil || l.To == nil {
		return
	}
	if l.From == l.To {
		c.Add(entity.CodeLinkSelf, "ToUnit", "a unit cannot be linked with itself")
	}
	from, to := l.From.ToolchainType, l.To.ToolchainType
	switch {
	case l.Merges() && from != to:
		c.Add(entity.CodeToolchain, "UpdateType",
			"a link of the type %s needs units of one toolchain; %s is %s, %s is %s", l.Type(),
			l.From.Name(), from, l.To.Name(), to)
	case l.UpdateType != entity.UpdateUpsert:
	case from != api.ToolchainKubernetesYAML:
		c.Add(entity.CodeToolchain, "FromUnit",
			"a link of the type Upsert writes Kubernetes/YAML; %s is %s", l.From.Name(), from)
	case l.TransformInvocationID == "" && to != api.ToolchainKubernetesYAML:
		c.Add(entity.CodeToolchain, "ToUnit",
			"without TransformInvocation the upstream must be Kubernetes/YAML; %s is %s",
			l.To.Name(), to)
	}
}
