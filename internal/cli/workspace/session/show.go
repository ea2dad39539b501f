package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/severity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/out/diff"
)

// ShowResults prints what was resolved: as JSON or as text, and what followed.
func (s *Session) ShowResults() error {
	results, propagated := s.Results, s.Propagated
	s.Results, s.Propagated = nil, nil
	all := slices.Concat(results, propagated)
	if s.Settings.Quiet {
		s.failures(all, propagated)
	}
	switch s.Form {
	case "json":
		return s.showJSON(results, propagated)
	case "mutations":
		var list api.ResourceMutationList
		for _, r := range all {
			result, err := s.shownResult(r)
			if err != nil {
				return err
			}
			list = append(list, result.FunctionMutationSummary...)
		}
		s.NoteConflicts(all)
		return s.App.WriteValuesJSON(list)
	}
	t := &story{Session: s}
	failed := false
	for _, r := range results {
		failed = failed || r.Err != nil
		if r.Err == nil {
			if err := t.unit(r); err != nil {
				return err
			}
		}
	}
	for _, r := range propagated {
		if r.Err != nil {
			s.HideIn(r.Err)
			s.Note("%s: %v", r.Unit.Name(), r.Err)
		} else if err := t.unit(r); err != nil {
			return err
		}
	}
	if t.text.Len() > 0 {
		t.total()
	} else if s.Asked && !failed {
		s.Note("no link has anything to do%s", s.Left)
	}
	if s.Settings.Quiet {
		return nil
	}
	if err := s.App.WriteText(t.text.String()); err != nil || t.conflictCount == 0 {
		return err
	}
	if s.DryRun {
		s.App.Note(s.Settings, "conflicts: --theirs would take the values of the upstream, --ours "+
			"would keep those of the unit and settle them")
	} else {
		s.Note("conflicts: fctl ws conflicts UNIT --apply takes the values of the upstream, " +
			"--dismiss keeps those of the unit")
	}
	return nil
}

// failures writes why units and links that follow a change failed. They do not fail the command;
// without -q the text tells of them.
func (s *Session) failures(all, propagated []propagate.UnitResult) {
	var failed []error
	for _, r := range all {
		if r.Output != nil {
			failed = append(failed, FailedLinks(r, true)...)
		}
	}
	for _, r := range propagated {
		if r.Err != nil {
			failed = append(failed, r.Err)
		} else if r.Output != nil {
			failed = append(failed, FailedLinks(r, false)...)
		}
	}
	s.HideIn(failed...)
	s.App.Console().Problems(Once{}.Fresh(errors.Join(failed...)))
}

// NoteConflicts names the units with conflicts, where the results themselves are not printed.
func (s *Session) NoteConflicts(results []propagate.UnitResult) {
	for _, r := range results {
		if r.Output == nil {
			continue
		}
		if n := len(s.conflicts(r.Output)); n > 0 {
			s.Note("%s: %s of merging", r.Unit.Name(), diag.Count(n, "conflict"))
		}
	}
}

// conflicts returns the conflicts of a resolve that are worth a line.
func (s *Session) conflicts(out *resolve.Outcome) api.MutationConflictList {
	return severity.Select(s.rules(), out.Result.Conflicts, entity.SeverityNote)
}

// rules returns what the workspace says about the severity of conflicts.
func (s *Session) rules() []entity.ConflictRule { return s.Store.Config.ConflictSeverity }

// showJSON prints the list of the results.
func (s *Session) showJSON(results, propagated []propagate.UnitResult) error {
	all := []entity.ResolveResult{}
	for i, r := range slices.Concat(results, propagated) {
		if r.Output == nil {
			continue
		}
		result, err := s.shownResult(r)
		if err != nil {
			return err
		}
		if i < len(results) {
			all = append(all, result)
		} else if len(all) > 0 {
			last := &all[len(all)-1]
			last.Propagated = append(last.Propagated, result)
		}
	}
	return s.App.WriteValuesJSON(all)
}

// shownResult returns what resolving did as JSON has it: on a terminal without secret values.
func (s *Session) shownResult(r propagate.UnitResult) (result entity.ResolveResult, err error) {
	if r.Output == nil {
		return result, nil
	}
	result = r.Output.Result
	if !s.App.Streams.OutIsTerminal() {
		return result, nil
	}
	secrets, err := s.changeSecrets(r)
	if err != nil {
		return result, err
	}
	result.FunctionMutationSummary = secrets.Mutations(result.FunctionMutationSummary)
	result.Conflicts = slices.Clone(result.Conflicts)
	for i, c := range result.Conflicts {
		result.Conflicts[i] = secrets.Conflict(c)
	}
	return result, nil
}

// changeSecrets returns the secret values in what a unit was and became.
func (s *Session) changeSecrets(r propagate.UnitResult) (*sensitive.Values, error) {
	before, err := s.Store.Data(r.Unit, r.Output.Result.BaseRevisionNum)
	if err != nil {
		return nil, err
	}
	return s.Secrets(r.Unit, before, r.Output.Data)
}

// story is the text about what was resolved. It counts what it names.
type story struct {
	*Session
	text                                     strings.Builder
	links, resources, changes, conflictCount int
}

// unitStory is the part of a story about a link of a unit, or about the unit itself.
type unitStory struct {
	*story
	propagate.UnitResult
	strings.Builder
	secrets *sensitive.Values
}

func (p *unitStory) printf(format string, args ...any) {
	p.WriteString(fmt.Sprintf(format, args...))
}

// total writes the last line.
func (t *story) total() {
	end := "\n"
	if t.DryRun {
		end = " (dry run, nothing written)\n"
	}
	fmt.Fprintf(&t.text, "%s, %s, %s, %s%s", diag.Count(t.links, "link"),
		diag.Count(t.resources, "resource"), diag.Count(t.changes, "change"),
		diag.Count(t.conflictCount, "conflict"), end)
}

// unit writes what a resolve did to one unit.
func (t *story) unit(r propagate.UnitResult) error {
	secrets, err := t.changeSecrets(r)
	if err != nil {
		return err
	}
	p := &unitStory{story: t, UnitResult: r, secrets: secrets}
	changed := slices.ContainsFunc(r.Output.Result.Links, func(l entity.LinkResult) bool {
		return l.Status == entity.StatusChanged
	})
	for _, result := range r.Output.Result.Links {
		l, err := t.Link(r.Unit.SpaceSlug, result.Link)
		// Beside links that changed something, those that did not are not worth a line, unless
		// conflicts are the reason.
		if result.Status == entity.StatusSkipped || err != nil ||
			changed && result.Status == entity.StatusUnchanged &&
				(result.UpstreamFrom == result.UpstreamTo || !p.hasConflict(l)) {
			continue
		}
		p.link(l, &result)
	}
	p.self()
	t.text.WriteString(p.String())
	t.Warn(r.Output.Result.Warnings...)
	return nil
}

// hasConflict reports whether a link of the unit has a conflict that is worth a line.
func (p *unitStory) hasConflict(l *workspace.Link) bool {
	return slices.ContainsFunc(p.conflicts(p.Output), func(c api.MutationConflict) bool {
		return c.LinkID == l.LinkID
	})
}

// revisions returns the revision of the unit and, if it was written, the next.
func (p *unitStory) revisions() string {
	base, next := p.Output.Result.BaseRevisionNum, p.Output.Result.NewRevisionNum
	if next != base && !p.DryRun {
		return fmt.Sprintf("%d..%d", base, next)
	}
	return fmt.Sprint(base)
}

// link writes what a link did.
func (p *unitStory) link(l *workspace.Link, result *entity.LinkResult) {
	p.links++
	p.printf("link %s (%s)  %s/%s %d..%d -> %s %s", l.Slug, l.Type(), l.ToSpace, l.ToUnit,
		result.UpstreamFrom, result.UpstreamTo, p.Unit.Name(), p.revisions())
	if result.Status != entity.StatusChanged {
		p.WriteString("  " + strings.ToLower(string(result.Status)))
	}
	p.WriteString("\n")
	if result.Status == entity.StatusFailed {
		p.printf("  ! %s\n", result.Message)
	}
	if p.DryRun {
		p.expressions(result)
	}
	if result.Status == entity.StatusChanged {
		p.produced(result.Produced)
		if len(result.Produced)+len(p.Output.Patches[l.LinkID]) == 0 {
			p.WriteString("  ~ comments and layout\n")
		}
	}
	p.patch(l.LinkID, result.Bindings)
}

// self writes what a unit filled in itself, or what a merge without a link did.
func (p *unitStory) self() {
	patch := p.Output.Patches[""]
	switch {
	case p.Output.MergeOf != "":
		p.printf("merge of %s -> %s %s", p.Output.MergeOf, p.Unit.Name(), p.revisions())
		switch {
		case !p.Output.Changed:
			p.WriteString("  unchanged")
		case len(patch) == 0:
			p.WriteString("\n  ~ comments and layout")
		}
		p.WriteString("\n")
	case len(patch) == 0:
		return
	default:
		p.printf("unit %s itself  %s\n", p.Unit.Name(), p.revisions())
	}
	p.patch("", p.Output.Result.SelfBindings)
}

// patch writes what a link, or a merge without one, changed and what it withheld.
func (p *unitStory) patch(linkID string, bindings []entity.Binding) {
	conflicts := map[string][]api.MutationConflict{} // by unscoped resource
	for _, c := range p.conflicts(p.Output) {
		if c.LinkID == linkID {
			conflicts[unscoped(c.Resource)] = append(conflicts[unscoped(c.Resource)], c)
			p.conflictCount++
		}
	}
	provided := p.provided(bindings)
	for _, m := range p.Output.Patches[linkID] {
		if m.ResourceMutationInfo.MutationType == api.MutationTypeNone {
			continue
		}
		p.resource(m, provided)
		p.withheld(conflicts[unscoped(m.Resource)])
		delete(conflicts, unscoped(m.Resource))
	}
	for _, key := range slices.Sorted(maps.Keys(conflicts)) {
		p.printf("  ~ %s\n", ResourceText(conflicts[key][0].Resource))
		p.withheld(conflicts[key])
	}
}

// ResourceText returns the type and the name of a resource as texts for people have them.
func ResourceText(r api.ResourceInfo) string {
	return string(r.ResourceType) + " " + strings.TrimPrefix(string(r.ResourceName), "/")
}

// ConflictText returns the sentence about a conflict, without secret values.
func ConflictText(c *api.MutationConflict, secrets *sensitive.Values) string {
	source := "the upstream"
	if c.UnitID == "" {
		source = "the file"
	}
	shown := secrets.Conflict(*c)
	return secrets.About(c.Resource.ResourceType, c.Path, shown.Describe("the unit", source, false))
}

// produced writes the resources that an Upsert produced.
func (p *unitStory) produced(resources []string) {
	for _, text := range resources {
		if executor, err := p.Functions(); err == nil && !p.ShowSecrets {
			if secrets := executor.Sensitive(api.ToolchainKubernetesYAML,
				[][]byte{[]byte(text)}); secrets != nil {
				text = string(secrets.Text(0))
			}
		}
		p.WriteString("  produce\n")
		for line := range strings.Lines(text) {
			p.printf("    %s\n", strings.TrimRight(line, "\r\n"))
		}
	}
}

// ConflictPosition returns the resource and the path of a conflict.
func ConflictPosition(c *api.MutationConflict) string {
	if c.Path == "" {
		return ResourceText(c.Resource)
	}
	return mutation.PlainPath(c.Path) + " of " + ResourceText(c.Resource)
}

// unscoped returns the type and the name of a resource without its scope, which may differ between
// the units of a merge.
func unscoped(r api.ResourceInfo) string {
	return string(r.ResourceType) + " " + string(r.ResourceNameWithoutScope)
}

// resource writes what changed in a resource. provided says where values come from, by unscoped
// resource and path.
func (p *unitStory) resource(m api.ResourceMutation, provided map[string]string) {
	mark := "~"
	switch m.ResourceMutationInfo.MutationType {
	case api.MutationTypeAdd, api.MutationTypeReplace:
		mark = "+"
		p.changes++
	case api.MutationTypeDelete:
		mark = "-"
		p.changes++
	}
	p.resources++
	p.printf("  %s %s\n", mark, ResourceText(m.Resource))
	for _, path := range slices.Sorted(maps.Keys(m.PathMutationMap)) {
		info := m.PathMutationMap[path]
		if info.MutationType == api.MutationTypeNone {
			continue
		}
		p.changes++
		info.Value = p.secrets.Value(m.Resource, path, info.Value)
		info.Previous = p.secrets.Value(m.Resource, path, info.Previous)
		p.printf("      %s%s\n", changeText(path, info),
			provided[unscoped(m.Resource)+" "+mutation.PlainPath(path)])
	}
}

func changeText(path api.ResolvedPath, info api.MutationInfo) string {
	text := mutation.PlainPath(path)
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
	previous := oneLine(info.Previous)
	if value == "" || previous == "" && info.Previous != "" {
		return "~ " + text + ":" + linesText(info.Previous, info.Value)
	}
	if previous != "" {
		return "~ " + text + ": " + previous + " -> " + value
	}
	return "~ " + text + ": " + value
}

// linesText returns the lines that change in a value, each on a line of its own.
func linesText(before, after string) string {
	var b strings.Builder
	f := diff.FileDiff{Before: plainLines(before), After: plainLines(after)}
	for line := range strings.Lines(string(diff.Unified(f))) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") ||
			strings.HasPrefix(line, "@@") || strings.HasPrefix(line, `\`) {
			continue
		}
		b.WriteString("\n        " + line)
	}
	return b.String()
}

// plainLines returns the text of a scalar in YAML, with a newline at its end; anything else as it
// is.
func plainLines(value string) []byte {
	if doc, err := gaby.ParseYAML([]byte(value)); err == nil && doc.Check() == nil &&
		doc.Value().Kind() == gaby.Scalar {
		value = doc.Value().Text()
	}
	if value != "" && !strings.HasSuffix(value, "\n") {
		value += "\n"
	}
	return []byte(value)
}

// provided says in a dry run where the values of bindings come from, by unscoped resource and path.
func (p *unitStory) provided(bindings []entity.Binding) map[string]string {
	if !p.DryRun {
		return nil
	}
	from := map[string]string{}
	for _, b := range bindings {
		if b.NeededResource != nil && b.ProvidedResource != nil {
			from[unscoped(*b.NeededResource)+" "+b.NeededPath] = "  <- " + b.ProvidedPath + " of " +
				ResourceText(*b.ProvidedResource)
		}
	}
	return from
}

// expressions writes what TransformPaths read and computed.
func (p *unitStory) expressions(result *entity.LinkResult) {
	for _, name := range slices.Sorted(maps.Keys(result.Values)) {
		p.printf("  read %s = %v\n", name, result.Values[name])
	}
	for _, x := range result.Results {
		if x.Function != "" {
			p.printf("  run %s\n", x.Function)
			continue
		}
		p.printf("  compute %s of %s = %s %s = %v\n", x.Path, x.Resource, x.Evaluator, x.Expression,
			x.Value)
	}
}

// withheld writes conflicts.
func (p *unitStory) withheld(conflicts []api.MutationConflict) {
	for _, c := range conflicts {
		level := ""
		if of := severity.Of(p.rules(), &c); of != entity.SeverityWarning {
			level = " (" + string(of) + ")"
		}
		where := mutation.PlainPath(c.Path)
		if where != "" {
			where += ": "
		}
		p.printf("      ! %s%s%s\n", where, ConflictText(&c, p.secrets), level)
	}
}

// oneLine returns a value if it fits on the line, "" otherwise.
func oneLine(value string) string {
	value = strings.TrimRight(value, "\n")
	if strings.Contains(value, "\n") || len(value) > 80 {
		return ""
	}
	return value
}
