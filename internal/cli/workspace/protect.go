package workspace

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/origin"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newUnitProtect(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	var protect, unprotect bool
	cmd := &cobra.Command{
		Use: "protect [flags] UNIT RESOURCE [PATH...]",
		// Names of the reference and of those who look for the opposite.
		Aliases: []string{"unprotect", "set-predicate"},
		Short:   "Keep values of a unit from being overwritten by merges",
		Long: `Keep merges from overwriting values, and everything below them. Without PATH the
whole resource is kept. A protected value is not in conflict with its upstream any
more: conflicts about it are settled, and later merges report none. Unprotect, or
protect --unprotect, lets merges overwrite the values again.

RESOURCE is KIND/NAME, such as Deployment/web, or TYPE:NAME.`,
		Example: `  fctl unit protect web Deployment/web spec.replicas
  fctl unit protect prod/web Service/shop/web
  fctl unit unprotect web Deployment/web spec.replicas`,
	}
	cmd.Args = func(cmd *cobra.Command, words []string) error {
		switch {
		case protect && unprotect:
			return diag.Usage("--protect and --unprotect exclude each other")
		case cmd.CalledAs() == "unprotect" && protect:
			return diag.Usage("unprotect --protect contradicts itself")
		case cmd.CalledAs() == "set-predicate" && protect == unprotect:
			return diag.Usage("either --protect or --unprotect is expected")
		}
		return command.Words(2, -1)(cmd, words)
	}
	flags := session.Flags(cmd, c.AddWrite)
	flags.BoolVar(&protect, "protect", false, "keep merges from overwriting it")
	flags.BoolVar(&unprotect, "unprotect", false, "let merges overwrite it")
	_ = flags.MarkHidden("protect") // it exists
	return c.Writes(cmd, func(s *session.Session, words []string) error {
		u, err := s.UnitNamed(words[0])
		if err == nil {
			err = s.Edits(u)
		}
		if err != nil {
			return err
		}
		return setProtection(s, u, words[1:], !unprotect && cmd.CalledAs() != "unprotect")
	})
}

// setProtection sets or clears the protection of values or a resource, and settles the conflicts
// about what it protects.
func setProtection(s *session.Session, u *workspace.Unit, words []string, protected bool) error {
	place, err := s.Place(u, words)
	if err != nil {
		return err
	}
	sources, err := s.Store.Sources(u, u.HeadRevisionNum)
	if err != nil {
		return err
	}
	rows := api.AttributeValueList{}
	add := func(path api.ResolvedPath) {
		rows = append(rows, api.AttributeValue{AttributeInfo: api.AttributeInfo{
			AttributeIdentifier: api.AttributeIdentifier{
				ResourceInfo: place.Resource.Info, Path: path,
			},
		}})
	}
	for _, path := range place.Paths {
		named, err := place.Named(path)
		if err != nil {
			// What the unit deleted, or lost since, can be protected or given up, too.
			origin, ok := origin.Nearest(sources, &place.Resource.Info, path, place.Provider)
			if !ok || mutation.PlainPath(origin.Path) != path {
				return err
			}
			named = origin.Path
		}
		add(named)
	}
	if len(rows) == 0 {
		add("")
	}
	sources, _ = mutation.Protect(sources, rows, protected, place.Provider)
	s.Tx.WriteSources(u, sources)
	what := place.Word()
	if len(place.Paths) > 0 {
		what = strings.Join(place.Paths, ", ") + " of " + what
	}
	verb := map[bool]string{true: "protected", false: "gave up the protection of"}[protected]
	settled := ""
	if protected {
		all, err := s.Store.Conflicts(u)
		if err != nil {
			return err
		}
		left, err := mutation.Undecided(all, sources, place.Provider)
		if err != nil {
			return err
		}
		if n := len(all) - len(left); n > 0 {
			s.Tx.WriteConflicts(u, left)
			settled = "; settled " + diag.Count(n, "conflict")
		}
	}
	s.NoteAfter("%s: %s %s%s", u.Name(), verb, what, settled)
	return nil
}
