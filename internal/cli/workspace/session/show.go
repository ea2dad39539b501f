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
	if s.Settings.Quiet {
		s.failures(results, propagated)
	}
	switch s.Form {
	case "json":
		return s.showJSON(results, propagated)
	case "mutations":
		var all api.ResourceMutationList
		for _, r := range slices.Concat(results, propagated) {
			if r.Output != nil {
				result, err := s.shownResult(r)
				if err != nil {
					return err
				}
				all = append(all, result.FunctionMutationSummary...)
			}
		}
		s.NoteConflicts(slices.Concat(results, propagated))
		return s.App.WriteValuesJSON(all)
	}
	var b strings.Builder
	var sum totals
	for _, r := range results {
		if r.Err == nil {
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
	} else if s.Asked && !slices.ContainsFunc(results, func(r propagate.UnitResult) bool {
		return r.Err != nil
	}) {
		s.Note("no link has anything to do")
	}
	if s.Settings.Quiet {
		return nil
	}
	return s.App.WriteText(b.String())
}

// failures writes why units and links that follow a change failed. They do not fail the command;
// without -q the text tells of them.
func (s *Session) failures(results, propagated []propagate.UnitResult) {
	var failed []error
	for _, r := range slices.Concat(results, propagated) {
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
	if err := errors.Join(failed...); err != nil {
		s.App.Console().Problems(diag.Failures(err, api.FailureFunction))
	}
}

// NoteConflicts names the units with conflicts, where the results themselves are not printed.
func (s *Session) NoteConflicts(results []propagate.UnitResult) {
	for _, r := range results {
		if r.Output == nil {
			continue
		}
		n := len(severity.Select(s.rules(), r.Output.Result.Conflicts, entity.SeverityNote))
		if n > 0 {
			s.Note("%s: %s of merging", r.Unit.Name(), diag.Count(n, "conflict"))
		}
	}
}

// showJSON prints one result, or a list of several.
func (s *Session) showJSON(results, propagated []propagate.UnitResult) error {
	all := []entity.ResolveResult{}
	for _, r := range results {
		if r.Output != nil {
			result, err := s.shownResult(r)
			if err != nil {
				return err
			}
			all = append(all, result)
		}
	}
	for _, r := range propagated {
		if r.Output != nil && len(all) > 0 {
			result, err := s.shownResult(r)
			if err != nil {
				return err
			}
			last := &all[len(all)-1]
			last.Propagated = append(last.Propagated, result)
		}
	}
	if len(all) == 1 {
		return s.App.WriteValuesJSON(all[0])
	}
	return s.App.WriteValuesJSON(all)
}

// shownResult returns what resolving did as JSON has it: on a terminal without secret values.
func (s *Session) shownResult(r propagate.UnitResult) (entity.ResolveResult, error) {
	result := r.Output.Result
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

// totals counts what is shown.
type totals struct{ links, resources, changes, conflicts int }

func (t *totals) text(dryRun bool) string {
	text := fmt.Sprintf("%s, %s, %s, %s", diag.Count(t.links, "link"),
		diag.Count(t.resources, "resource"),
		diag.Count(t.changes, "change"), diag.Count(t.conflicts, "conflict"))
	if dryRun {
		text += " (dry run, nothing written)"
	}
	return text + "\n"
}

// describe prints what a resolve did to one unit.
func (s *Session) describe(b *strings.Builder, r propagate.UnitResult, sum *totals) error {
	secrets, err := s.changeSecrets(r)
	if err != nil {
		return err
	}
	changed := slices.ContainsFunc(r.Output.Result.Links, func(l entity.LinkResult) bool {
		return l.Status == entity.StatusChanged
	})
	for _, l := range r.Output.Result.Links {
		// Beside links that changed something, those that did not are not worth a line, unless
		// conflicts are the reason.
		if l.Status == entity.StatusSkipped || changed && l.Status == entity.StatusUnchanged &&
			(l.UpstreamFrom == l.UpstreamTo || !s.hasConflict(r, l.Link)) {
			continue
		}
		var text strings.Builder
		s.describeLink(&text, r.Unit, r.Output, l, secrets, sum)
		b.WriteString(s.upstreamSecrets(r.Unit, l).Message(text.String()))
	}
	s.describeSelf(b, r.Unit, r.Output, secrets, sum)
	s.Warn(r.Output.Result.Warnings)
	return nil
}

// hasConflict reports whether a link of a unit has a conflict that is worth a line.
func (s *Session) hasConflict(r propagate.UnitResult, slug string) bool {
	l, err := s.Link(r.Unit.SpaceSlug, slug)
	return err == nil && slices.ContainsFunc(
		severity.Select(s.rules(), r.Output.Result.Conflicts, entity.SeverityNote),
		func(c api.MutationConflict) bool { return c.LinkID == l.LinkID })
}

// upstreamSecrets returns the secret values that a link may have copied to where values are not
// known to be secret.
func (s *Session) upstreamSecrets(u *workspace.Unit, result entity.LinkResult) *sensitive.Values {
	l, err := s.Link(u.SpaceSlug, result.Link)
	if err != nil || l.UpdateType != entity.UpdateTransformPaths && l.UpdateType != entity.UpdateInsert {
		return nil
	}
	data, err := s.Store.Data(l.To, l.To.HeadRevisionNum)
	if err != nil {
		return nil
	}
	secrets, err := s.Secrets(l.To, data, nil)
	if err != nil {
		return nil
	}
	return secrets
}

// revisionText returns the revision of a unit and, if it was written, the next.
func (s *Session) revisionText(out *resolve.Output) string {
	text := fmt.Sprint(out.Result.BaseRevisionNum)
	if out.Result.NewRevisionNum != out.Result.BaseRevisionNum && !s.DryRun {
		text += ".." + fmt.Sprint(out.Result.NewRevisionNum)
	}
	return text
}

func (s *Session) describeLink(
	b *strings.Builder, u *workspace.Unit, out *resolve.Output, result entity.LinkResult,
	secrets *sensitive.Values, sum *totals,
) {
	sum.links++
	l, err := s.Link(u.SpaceSlug, result.Link)
	if err != nil {
		return
	}
	revision := s.revisionText(out)
	fmt.Fprintf(b, "link %s (%s)  %s/%s %d..%d -> %s %s", l.Slug, l.Type(), l.ToSpace, l.ToUnit,
		result.UpstreamFrom, result.UpstreamTo, u.Name(), revision)
	if result.Status != entity.StatusChanged {
		b.WriteString("  " + strings.ToLower(string(result.Status)))
	}
	b.WriteString("\n")
	if result.Status == entity.StatusFailed {
		b.WriteString("  ! " + string(result.Code) + ": " + result.Message + "\n")
	}
	if s.DryRun {
		b.WriteString(expressionText(&result))
	}
	if result.Status == entity.StatusChanged {
		s.describeProduced(b, result.Produced)
	}
	conflicts := s.conflictsOf(out, l.LinkID, sum)
	for _, m := range out.Patches[l.LinkID] {
		s.describeResource(b, m, conflicts, s.provided(result.Bindings), secrets, sum)
	}
	s.describeWithheld(b, conflicts, secrets)
}

// ResourceText returns the type and the name of a resource as texts for people have them.
func ResourceText(r api.ResourceInfo) string {
	return string(r.ResourceType) + " " + strings.TrimPrefix(string(r.ResourceName), "/")
}

// ConflictText returns the sentence about a conflict, without secret values.
func ConflictText(c *api.MutationConflict, secrets *sensitive.Values) string {
	shown := secrets.Conflict(*c)
	return secrets.About(c.Resource.ResourceType, c.Path, shown.Message())
}

// describeProduced prints the resources that an Upsert produced.
func (s *Session) describeProduced(b *strings.Builder, produced []string) {
	for _, text := range produced {
		if executor, err := s.Functions(); err == nil && !s.ShowSecrets {
			if secrets := executor.Sensitive(api.ToolchainKubernetesYAML,
				[][]byte{[]byte(text)}); secrets != nil {
				text = string(secrets.Text(0))
			}
		}
		b.WriteString("  produce\n")
		for line := range strings.Lines(text) {
			b.WriteString("    " + strings.TrimRight(line, "\r\n") + "\n")
		}
	}
}

// rules returns what the workspace says about the severity of conflicts.
func (s *Session) rules() []entity.ConflictRule { return s.Store.Config.ConflictSeverity }

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

// describeResource prints what changed in a resource, and the conflicts there.
// provided says where values come from, by unscoped resource and path.
func (s *Session) describeResource(
	b *strings.Builder, m api.ResourceMutation, conflicts map[string][]api.MutationConflict,
	provided map[string]string, secrets *sensitive.Values, sum *totals,
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
		b.WriteString("      " + changeText(path, info) +
			provided[unscoped(m.Resource)+" "+mutation.PlainPath(path)] + "\n")
	}
	key := unscoped(m.Resource)
	s.describeConflicts(b, conflicts[key], secrets)
	delete(conflicts, key)
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
	f := diff.File{Before: plainLines(before), After: plainLines(after)}
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
func (s *Session) provided(bindings []entity.Binding) map[string]string {
	if !s.DryRun {
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

// describeSelf prints what a unit filled in itself, or what a merge without a link did.
func (s *Session) describeSelf(
	b *strings.Builder, u *workspace.Unit, out *resolve.Output, secrets *sensitive.Values, sum *totals,
) {
	patch := out.Patches[""]
	switch {
	case out.MergeOf != "":
		fmt.Fprintf(b, "merge of %s -> %s %s", out.MergeOf, u.Name(), s.revisionText(out))
		if len(patch) == 0 {
			b.WriteString("  unchanged")
		}
		b.WriteString("\n")
	case len(patch) == 0:
		return
	default:
		fmt.Fprintf(b, "unit %s itself  %s\n", u.Name(), s.revisionText(out))
	}
	conflicts := s.conflictsOf(out, "", sum)
	for _, m := range patch {
		s.describeResource(b, m, conflicts, s.provided(out.Result.SelfBindings), secrets, sum)
	}
	s.describeWithheld(b, conflicts, secrets)
}

// conflictsOf returns the conflicts of a link, or of a merge without one, by unscoped resource.
func (s *Session) conflictsOf(
	out *resolve.Output, linkID string, sum *totals,
) map[string][]api.MutationConflict {
	of := map[string][]api.MutationConflict{}
	for _, c := range severity.Select(s.rules(), out.Result.Conflicts, entity.SeverityNote) {
		if c.LinkID == linkID {
			key := unscoped(c.Resource)
			of[key] = append(of[key], c)
			sum.conflicts++
		}
	}
	return of
}

// describeWithheld prints the conflicts about resources in which nothing changed.
func (s *Session) describeWithheld(
	b *strings.Builder, conflicts map[string][]api.MutationConflict, secrets *sensitive.Values,
) {
	for _, key := range slices.Sorted(maps.Keys(conflicts)) {
		b.WriteString("  ~ " + ResourceText(conflicts[key][0].Resource) + "\n")
		s.describeConflicts(b, conflicts[key], secrets)
	}
}

// expressionText returns what TransformPaths read and computed.
func expressionText(result *entity.LinkResult) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(result.Values)) {
		fmt.Fprintf(&b, "  read %s = %v\n", name, result.Values[name])
	}
	for _, x := range result.Results {
		if x.Function != "" {
			fmt.Fprintf(&b, "  run %s\n", x.Function)
			continue
		}
		fmt.Fprintf(&b, "  compute %s of %s = %s %s = %v\n", x.Path, x.Resource, x.Evaluator,
			x.Expression, x.Value)
	}
	return b.String()
}

// oneLine returns a value if it fits on the line, "" otherwise.
func oneLine(value string) string {
	value = strings.TrimRight(value, "\n")
	if strings.Contains(value, "\n") || len(value) > 80 {
		return ""
	}
	return value
}

func (s *Session) describeConflicts(
	b *strings.Builder, conflicts []api.MutationConflict, secrets *sensitive.Values,
) {
	for _, c := range conflicts {
		level := ""
		if of := severity.Of(s.rules(), &c); of != entity.SeverityWarning {
			level = ", " + string(of)
		}
		where := mutation.PlainPath(c.Path)
		if where != "" {
			where += ": "
		}
		b.WriteString("      ! " + where + ConflictText(&c, secrets) + " (" + string(c.Reason) +
			level + ")\n")
	}
}
