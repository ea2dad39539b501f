package link

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/out/report"
)

func newLinkDoctor(a *command.App) *cobra.Command {
	c := &session.Common{App: a, DryRun: true}
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Find what is probably wrong with units and links",
		Long: `Find what is probably a mistake: keys with dots that were written as nested maps,
units with resources in several namespaces, bindings with a side that does not
exist, two links that write one value, links that never changed anything,
automatic links whose values differ in every revision, filters that select
nothing or name an unknown unit, missing merge bases, and placeholders that no
link can fill. The status is 1 if something is found.`,
		Example: "  fctl link doctor --report sarif",
		Args:    command.NoArguments,
	}
	flags := session.Flags(cmd, c.AddSpace)
	flags.Lookup("space").Usage = "look only at `SPACE`"
	kind := command.AddReport(flags)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var results []report.Result
		found := false
		err := c.Write(cmd, "", func(s *session.Session) error {
			g, err := s.LinkGraph()
			if err != nil {
				return err
			}
			units, err := onlySpace(s, g)
			if err != nil {
				return err
			}
			if s.SpaceFlag == "" { // it is about all of the workspace
				s.Unread(s.Problems.Err())
			}
			whole := len(s.Problems) == 0 && kind.Value == string(report.Text)
			symptoms, err := g.Doctor(s.Ctx, units)
			found = len(symptoms) > 0
			if kind.Value == string(report.Text) {
				err = errors.Join(s.App.WriteText(symptomText(s, symptoms)), err)
			} else {
				results = symptomResults(s, symptoms)
			}
			if err == nil && !found && whole {
				s.App.Note(s.Settings, diag.Count(len(s.Units), "unit")+" and "+
					diag.Count(len(s.Links), "link")+": no problem")
			}
			return err
		})
		err = a.Report(cmd, kind, "link-doctor", nil, err, results...)
		if err == nil && found {
			return diag.ExitError(diag.ExitNo)
		}
		return err
	}
	return cmd
}

// Check finds the symptoms that link doctor finds and, if the workspace has a lock file, runs link
// verify. It prints the symptoms, or returns them as results if kind is another than text, and
// reports whether there are any. The error joins the problems of units that cannot be read.
func Check(s *session.Session, kind report.Kind) (all []report.Result, found bool, err error) {
	g, err := s.LinkGraph()
	if err != nil {
		return nil, false, err
	}
	symptoms, err := g.Doctor(s.Ctx, g.Units)
	if kind == report.Text {
		err = errors.Join(s.App.WriteText(symptomText(s, symptoms)), err)
	} else {
		all = symptomResults(s, symptoms)
	}
	if err == nil && s.Store.Config.Lock {
		err = verify(s, false)
	}
	return all, len(symptoms) > 0, err
}

func symptomText(s *session.Session, symptoms []resolve.Symptom) string {
	var b strings.Builder
	for i := range symptoms {
		m := &symptoms[i]
		where := m.Unit
		if u, err := s.Unit("", m.UnitID); err == nil && m.Position.Line > 0 {
			at := m.Position
			at.File = u.DataFile()
			where = at.String()
		}
		fmt.Fprintf(&b, "%s: %s: ", where, m.ID)
		if m.Link != "" {
			fmt.Fprintf(&b, "link %s: ", m.Link)
		}
		if m.Resource != "" {
			fmt.Fprintf(&b, "%s: ", m.Resource)
		}
		b.WriteString(m.Message + "\n")
		if m.Command != "" {
			fmt.Fprintf(&b, "  %s\n", m.Command)
		}
	}
	return b.String()
}

// symptomResults returns symptoms as the results of a validation of each unit.
func symptomResults(s *session.Session, symptoms []resolve.Symptom) []report.Result {
	var results []report.Result
	for _, u := range s.Units {
		var found api.AttributeValueList
		for i := range symptoms {
			m := &symptoms[i]
			if m.UnitID != u.UnitID {
				continue
			}
			row := api.AttributeValue{Score: "High"}
			t, of, _ := strings.Cut(m.Resource, " ")
			row.ResourceType, row.ResourceName = api.ResourceType(t), api.ResourceName(of)
			row.Path = api.ResolvedPath(m.Path)
			message := m.Message
			if m.Link != "" {
				message = "link " + m.Link + ": " + message
			}
			row.Issues = []api.Issue{{Identifier: m.ID, Message: message}}
			at := m.Position
			at.File = u.DataFile()
			row.Position = &at
			found = append(found, row)
		}
		if s.SpaceFlag != "" && s.SpaceFlag != "*" && u.SpaceSlug != s.SpaceSlug() {
			continue
		}
		r := report.Checked("link-doctor", "Find what is probably wrong with units and links",
			u.DataFile(), found)
		r.Unit, r.Toolchain = u.Name(), u.ToolchainType
		results = append(results, r)
	}
	return results
}
