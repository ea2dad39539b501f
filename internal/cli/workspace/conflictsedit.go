package workspace

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// edit lets the user decide conflicts in an editor, as kubectl edit does. The workspace is not
// locked meanwhile.
func (o *unitConflicts) edit(cmd *cobra.Command, name string) error {
	var shown api.MutationConflictList
	var text string
	err := o.Read(cmd, func(s *session.Session) error {
		u, err := s.UnitNamed(name)
		if err != nil {
			return err
		}
		all, err := s.Store.Conflicts(u)
		if err != nil {
			return err
		}
		for _, c := range all {
			if o.matches(s, c) {
				shown = append(shown, c)
			}
		}
		text, err = editText(s, u, shown)
		return err
	})
	if err != nil {
		return err
	}
	if len(shown) == 0 {
		return diag.Usage("%s has no conflict to edit", name)
	}
	edited, err := o.runEditor(cmd, text)
	if err != nil {
		return err
	}
	if string(edited) == text { // as with git commit
		return diag.Usage("no conflict was settled: the text was not changed")
	}
	values, err := editedValues(edited, shown)
	if err != nil {
		return err
	}
	return o.Write(cmd, session.Title(cmd, name), func(s *session.Session) error {
		return o.decide(s, name, shown, values)
	})
}

// editText returns the conflicts as the user edits them: the value that was merged last, that of
// the upstream, that of the unit, and the one that is to be.
func editText(
	s *session.Session, u *workspace.Unit, conflicts api.MutationConflictList,
) (string, error) {
	data, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return "", err
	}
	executor, err := s.Functions()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# The conflicts of " + u.Name() + ". result is the value that the unit gets;\n" +
		"# remove an entry to leave its conflict as it is.\n")
	for i, c := range conflicts {
		fmt.Fprintf(&b, "- conflict: %d # %s\n  resource: %s\n", i+1, c.Reason,
			session.ResourceText(c.Resource))
		if c.Path == "" {
			fmt.Fprintf(&b, "  result: local # or upstream, for the whole resource\n")
			continue
		}
		fmt.Fprintf(&b, "  path: %s\n", gabyText(mutation.PlainPath(c.Path)))
		local := resolve.ValueAt(executor, u.ToolchainType, data, &c.Resource, c.Path)
		if base, ok := baseOf(s, c); ok {
			writeField(&b, "base", resolve.ValueAt(executor, u.ToolchainType, base, &c.Resource,
				c.Path))
		}
		writeField(&b, "upstream", upstreamValue(c))
		writeField(&b, "local", local)
		writeField(&b, "result", local)
	}
	return b.String(), nil
}

// upstreamValue returns the value that a conflict withheld, "" if it is to be deleted.
func upstreamValue(c api.MutationConflict) string {
	if c.Source.MutationType == api.MutationTypeDelete {
		return ""
	}
	return c.Source.Value
}

// baseOf returns the data of the upstream that was the base of the last merge of a conflict's link.
// It is not what the link's last mutation says: a merge that only had conflicts made none.
func baseOf(s *session.Session, c api.MutationConflict) ([]byte, bool) {
	l, err := s.Link("", c.LinkID)
	if err != nil || l.To == nil {
		return nil, false
	}
	data, err := s.Store.Version(l.To, l.MergeBaseRevisionNum, l.UseLiveState)
	return data, err == nil
}

// writeField writes a value in YAML; nothing for a value that is missing.
func writeField(b *strings.Builder, name, value string) {
	value = strings.TrimRight(value, "\n")
	switch {
	case value == "":
		fmt.Fprintf(b, "  # %s: none\n", name)
	case strings.Contains(value, "\n"):
		first, rest, _ := strings.Cut(value, "\n")
		separator := "\n    "
		if first == "|" || first == ">" || len(first) < 4 && strings.HasPrefix(first, "|") {
			separator = " "
		}
		fmt.Fprintf(b, "  %s:%s%s\n", name, separator, first)
		for line := range strings.Lines(rest) {
			b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
		}
	default:
		fmt.Fprintf(b, "  %s: %s\n", name, value)
	}
}

// gabyText returns a text as a YAML scalar.
func gabyText(text string) string {
	out, err := entity.YAML(text)
	if err != nil {
		return text
	}
	return strings.TrimRight(string(out), "\n")
}

// runEditor opens the editor of the user with a text, and returns what the user saved.
func (o *unitConflicts) runEditor(cmd *cobra.Command, text string) ([]byte, error) {
	editor := ""
	for _, name := range []string{"EDITOR", "VISUAL"} {
		if value := o.App.Streams.Getenv(name); value != "" {
			editor = value
		}
	}
	words, err := shellwords.Split(editor)
	if err != nil || len(words) == 0 {
		return nil, diag.UsageHint("EDITOR=vi fctl unit conflicts UNIT --edit",
			"--edit needs the name of an editor in VISUAL or EDITOR")
	}
	dir, err := os.MkdirTemp("", "fctl-conflicts-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	file := dir + "/conflicts.yaml"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	program := &process.Tool{Words: append(words, file), Dir: o.App.Dir}
	o.App.Streams.Attach(program)
	if err := program.Run(cmd.Context()); err != nil {
		return nil, diag.Usage("the editor %s failed, nothing was changed: %v", words[0], err)
	}
	return os.ReadFile(file)
}

// editedValues returns what the user decided, by the index of the conflict: the value in YAML.
func editedValues(text []byte, shown api.MutationConflictList) (map[int]string, error) {
	doc, err := gaby.ParseYAML(text)
	if err == nil {
		err = doc.Check()
	}
	if err != nil {
		return nil, diag.Usage("the edited conflicts cannot be read: %v", err)
	}
	values := map[int]string{}
	for _, e := range doc.Value().All() {
		n, ok := e.Get("conflict").Data().(int)
		if !ok || n < 1 || n > len(shown) {
			return nil, diag.Usage("line %d of the edited conflicts: conflict is a number from 1 "+
				"to %d",
				e.Position().Line, len(shown))
		}
		value := ""
		if result := e.Get("result"); result.Exists() {
			out, err := entity.YAML(result.Data())
			if err != nil {
				return nil, err
			}
			value = string(out)
		}
		values[n-1] = value
	}
	return values, nil
}

// decide writes the results of the user and removes the conflicts.
func (o *unitConflicts) decide(
	s *session.Session, name string, shown api.MutationConflictList, values map[int]string,
) error {
	u, all, err := outstanding(s, name)
	if err != nil {
		return err
	}
	data, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return err
	}
	executor, err := s.Functions()
	if err != nil {
		return err
	}
	var changes, others api.MutationConflictList
	settled := 0
	for _, c := range all {
		i := indexOfConflict(shown, c)
		value, decided := values[i]
		if i < 0 || !decided {
			others = append(others, c)
			continue
		}
		settled++
		if c.Path == "" {
			if strings.TrimSpace(value) == "upstream" {
				changes = append(changes, c)
			}
			continue
		}
		local := resolve.ValueAt(executor, u.ToolchainType, data, &c.Resource, c.Path)
		switch {
		case sameValue(value, local):
			continue
		case sameValue(value, upstreamValue(c)): // content of the upstream, as --apply writes it
		case value == "":
			c.Source = api.MutationInfo{MutationType: api.MutationTypeDelete, Value: local}
			c.UnitID, c.LinkID = "", ""
		default: // a value of the user's own comes from no upstream
			c.Source = api.MutationInfo{MutationType: api.MutationTypeReplace, Value: value}
			c.UnitID, c.LinkID = "", ""
		}
		changes = append(changes, c)
	}
	if len(changes) > 0 {
		left, err := o.write(s, u, changes, "decided ")
		if err != nil {
			return err
		}
		if len(left) > 0 {
			return notApplied(u, left)
		}
	}
	s.Tx.WriteConflicts(u, others)
	s.NoteAfter("settled %s", diag.Count(settled, "conflict"))
	return s.Propagate()
}

// sameValue reports whether two texts are the same YAML value, however it is written.
func sameValue(a, b string) bool {
	if a == "" || b == "" {
		return a == b
	}
	was, err := gaby.ParseYAML([]byte(a))
	is, errIs := gaby.ParseYAML([]byte(b))
	if err != nil || errIs != nil {
		return a == b
	}
	return reflect.DeepEqual(was.Value().Data(), is.Value().Data())
}

// indexOfConflict returns the index of a conflict in a list, -1 if another merge has replaced it.
func indexOfConflict(list api.MutationConflictList, c api.MutationConflict) int {
	for i := range list {
		o := &list[i]
		if o.Reason == c.Reason && o.Resource.ResourceType == c.Resource.ResourceType &&
			o.Resource.ResourceName == c.Resource.ResourceName && o.Path == c.Path &&
			o.LinkID == c.LinkID && o.Source.Value == c.Source.Value {
			return i
		}
	}
	return -1
}
