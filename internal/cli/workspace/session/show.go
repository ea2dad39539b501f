package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/sensitive"
	"github.com/fctl-dev/fctl/internal/link"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
	"github.com/fctl-dev/fctl/internal/workspace/wave"
)

// ShowResults prints what was resolved: as JSON or as text, and what followed.
func (s *Session) ShowResults() error {
	results, propagated := s.Results, s.Propagated
	s.Results, s.Propagated = nil, nil
	switch s.Form {
	case "json":
		return s.showJSON(results, propagated)
	case "mutations":
		var all api.ResourceMutationList
		for _, r := range results {
			all = append(all, r.Output.Result.FunctionMutationSummary...)
		}
		return s.App.WriteJSON(all)
	}
	var b strings.Builder
	var sum totals
	for _, r := range results {
		if r.Output != nil {
			if err := s.describe(&b, r, &sum); err != nil {
				return err
			}
		}
	}
	for _, r := range propagated {
		if r.Err != nil {
			s.Note("%s: %v", r.Unit.Name(), r.Err)
			continue
		}
		if err := s.describe(&b, r, &sum); err != nil {
			return err
		}
	}
	if b.Len() > 0 {
		b.WriteString(sum.text(s.DryRun))
	} else if s.Asked {
		s.Note("no link has anything to do")
	}
	if s.Settings.Quiet {
		return nil
	}
	return s.App.Write([]byte(b.String()))
}

// showJSON prints one result, or a list of several.
func (s *Session) showJSON(results, propagated []wave.UnitResult) error {
	all := []entity.ResolveResult{}
	for _, r := range results {
		if r.Output != nil {
			all = append(all, r.Output.Result)
		}
	}
	for _, r := range propagated {
		if r.Output != nil && len(all) > 0 {
			last := &all[len(all)-1]
			last.Propagated = append(last.Propagated, r.Output.Result)
		}
	}
	if len(all) == 1 {
		return s.App.WriteJSON(all[0])
	}
	return s.App.WriteJSON(all)
}

// totals counts what is shown.
type totals struct{ links, resources, changes, conflicts int }

func (t *totals) text(dryRun bool) string {
	text := fmt.Sprintf("%s, %s, %s, %s", Count(t.links, "link"), Count(t.resources, "resource"),
		Count(t.changes, "change"), Count(t.conflicts, "conflict"))
	if dryRun {
		text += " (dry run, nothing written)"
	}
	return text + "\n"
}

// describe prints what a resolve did to one unit.
func (s *Session) describe(b *strings.Builder, r wave.UnitResult, sum *totals) error {
	before, err := s.Store.Data(r.Unit, r.Output.Result.BaseRevisionNum)
	if err != nil {
		return err
	}
	secrets, err := s.Secrets(r.Unit, before, r.Output.Data)
	if err != nil {
		return err
	}
	changed := slices.ContainsFunc(r.Output.Result.Links, func(l entity.LinkResult) bool {
		return l.Status == entity.StatusChanged
	})
	for _, l := range r.Output.Result.Links {
		// Beside links that changed something, those that did not are not worth a line.
		if l.Status == entity.StatusSkipped || changed && l.Status == entity.StatusUnchanged {
			continue
		}
		s.describeLink(b, r.Unit, r.Output, l, secrets, sum)
	}
	s.Warn(r.Output.Result.Warnings)
	return nil
}

func (s *Session) describeLink(
	b *strings.Builder, u *workspace.Unit, out *link.Output, result entity.LinkResult,
	secrets *sensitive.Values, sum *totals,
) {
	sum.links++
	l, err := s.Link(u.SpaceSlug, result.Link)
	if err != nil {
		return
	}
	revision := fmt.Sprint(out.Result.BaseRevisionNum)
	if out.Result.NewRevisionNum != out.Result.BaseRevisionNum && !s.DryRun {
		revision += ".." + fmt.Sprint(out.Result.NewRevisionNum)
	}
	fmt.Fprintf(b, "link %s (%s)  %s/%s %d..%d -> %s %s", l.Slug, l.Type(), l.ToSpace, l.ToUnit,
		result.UpstreamFrom, result.UpstreamTo, u.Name(), revision)
	if result.Status != entity.StatusChanged {
		b.WriteString("  " + strings.ToLower(string(result.Status)))
	}
	b.WriteString("\n")
	if result.Status == entity.StatusFailed {
		b.WriteString("  ! " + string(result.Code) + ": " + result.Message + "\n")
	}
	conflicts := map[string][]api.MutationConflict{}
	for _, c := range out.Result.Conflicts {
		if c.LinkID == l.LinkID {
			key := unscoped(c.Resource)
			conflicts[key] = append(conflicts[key], c)
			sum.conflicts++
		}
	}
	for _, m := range out.Patches[l.LinkID] {
		describeResource(b, m, conflicts, secrets, sum)
	}
	for _, key := range slices.Sorted(maps.Keys(conflicts)) {
		b.WriteString("  ~ " + ResourceText(conflicts[key][0].Resource) + "\n")
		describeConflicts(b, conflicts[key], secrets)
	}
}

// ResourceText returns the type and the name of a resource as texts for people have them.
func ResourceText(r api.ResourceInfo) string {
	return string(r.ResourceType) + " " + strings.TrimPrefix(string(r.ResourceName), "/")
}

// unscoped returns the type and the name of a resource without its scope, which may differ between
// the units of a merge.
func unscoped(r api.ResourceInfo) string {
	return string(r.ResourceType) + " " + string(r.ResourceNameWithoutScope)
}

// describeResource prints what changed in a resource, and the conflicts there.
func describeResource(
	b *strings.Builder, m api.ResourceMutation, conflicts map[string][]api.MutationConflict,
	secrets *sensitive.Values, sum *totals,
) {
	mark := "~"
	switch m.ResourceMutationInfo.MutationType {
	case api.MutationTypeNone:
		return
	case api.MutationTypeAdd, api.MutationTypeReplace:
		mark = "+"
		sum.changes++
	case api.MutationTypeDelete:
		mark = "-"
		sum.changes++
	}
	sum.resources++
	b.WriteString("  " + mark + " " + ResourceText(m.Resource) + "\n")
	for _, path := range slices.Sorted(maps.Keys(m.PathMutationMap)) {
		info := m.PathMutationMap[path]
		if info.MutationType == api.MutationTypeNone {
			continue
		}
		sum.changes++
		info.Value = secrets.Value(m.Resource, path, info.Value)
		info.Previous = secrets.Value(m.Resource, path, info.Previous)
		b.WriteString("      " + changeText(path, info) + "\n")
	}
	key := unscoped(m.Resource)
	describeConflicts(b, conflicts[key], secrets)
	delete(conflicts, key)
}

func changeText(path api.ResolvedPath, info api.MutationInfo) string {
	text := PlainPath(path)
	value := oneLine(info.Value)
	switch info.MutationType {
	case api.MutationTypeAdd:
		if value == "" {
			return "+ " + text
		}
		return "+ " + text + ": " + value
	case api.MutationTypeDelete:
		return "- " + text
	}
	if previous := oneLine(info.Previous); previous != "" {
		return "~ " + text + ": " + previous + " -> " + value
	}
	return "~ " + text + ": " + value
}

// PlainPath returns a path without the positions and digests of list elements.
func PlainPath(path api.ResolvedPath) string {
	segments := strings.Split(string(path), ".")
	for i, s := range segments {
		key, at, ok := strings.Cut(s, ";@")
		if ok && strings.HasPrefix(key, "?~") {
			key = at
		}
		segments[i] = key
	}
	return strings.Join(segments, ".")
}

// oneLine returns a value if it fits on the line, "" otherwise.
func oneLine(value string) string {
	value = strings.TrimRight(value, "\n")
	if strings.Contains(value, "\n") || len(value) > 80 {
		return ""
	}
	return value
}

func describeConflicts(
	b *strings.Builder, conflicts []api.MutationConflict, secrets *sensitive.Values,
) {
	for _, c := range conflicts {
		c.Source.Value = secrets.Value(c.Resource, c.Path, c.Source.Value)
		if c.Target != nil {
			target := *c.Target
			target.Value = secrets.Value(c.Resource, c.Path, target.Value)
			c.Target = &target
		}
		where := PlainPath(c.Path)
		if where != "" {
			where += ": "
		}
		message := secrets.About(c.Resource.ResourceType, c.Path, c.Message())
		b.WriteString("      ! " + where + message + " (" + string(c.Reason) + ")\n")
	}
}
