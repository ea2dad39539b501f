package link

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/links/resolve"
)

// explanationText returns an explanation as people read it.
func explanationText(e *resolve.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s : %s\n", &e.Resource, valueAtPath(e))
	writeCause(&b, e, "  ")
	for _, m := range e.Merges {
		text := "overwritable by " + m.Link
		if !m.Overwritable {
			text = "not overwritable by " + m.Link + ": " + m.Reason
		}
		fmt.Fprintf(&b, "  merges   %s\n", text)
	}
	for _, n := range e.Next {
		switch {
		case n.Error != "":
			fmt.Fprintf(&b, "  next     %s: %s\n", n.Link, n.Error)
		case n.Changes && n.Value == nil:
			fmt.Fprintf(&b, "  next     %s would remove it\n", n.Link)
		case n.Changes:
			fmt.Fprintf(&b, "  next     %s would write %s\n", n.Link, valueOf(n.Value))
		default:
			fmt.Fprintf(&b, "  next     %s would write %s (no change)\n", n.Link, valueOf(n.Value))
		}
	}
	return b.String()
}

// valueAtPath returns the path with its value.
func valueAtPath(e *resolve.Explanation) string {
	if !e.Exists {
		return e.Path + " has no value"
	}
	return e.Path + " = " + valueOf(e.Value)
}

// valueOf returns a value as people read it: text without quotes, anything else as JSON.
func valueOf(value any) string {
	if text, ok := value.(string); ok && !strings.Contains(text, "\n") {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// writeCause writes what set the value, and where that came from.
func writeCause(b *strings.Builder, e *resolve.Explanation, indent string) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(b, "%s%-8s %s\n", indent, label, fmt.Sprintf(format, args...))
	}
	c, label := e.Cause, "set by"
	switch {
	case !e.Exists && c == nil:
		return
	case c == nil:
		line(label, "unknown: the record is missing")
		return
	case !e.Exists:
		label = "removed by"
	}
	text := fmt.Sprintf("mutation %d (revision %d", c.Mutation.MutationNum, c.Mutation.RevisionNum)
	if c.Description != "" {
		text += fmt.Sprintf(", %q", c.Description)
	}
	text += ")"
	switch {
	case c.Link != "":
		text += fmt.Sprintf(", link %s (%s)", c.Link, c.UpdateType)
	case c.Mutation.LinkID != "":
		text += ", a link that does not exist any more"
	case c.Mutation.FunctionInvocation != nil:
		text += ", function " + c.Mutation.FunctionInvocation.FunctionName
	case c.Source != "":
		text += ", " + string(c.Source)
	case c.Mutation.MergeSourceID != "":
		text += ", clone or merge"
	}
	line(label, "%s", text)
	if e.Entry != "" && e.Entry != e.Path {
		line("", "recorded at %s", e.Entry)
	}
	if c.Expression != "" {
		var text strings.Builder
		text.WriteString(c.Evaluator + " " + c.Expression)
		for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
			text.WriteString(fmt.Sprintf(", %s = %s", name, valueOf(c.Parameters[name])))
		}
		line("", "%s", text.String())
	}
	for _, from := range e.From {
		line("from", "%s rev %d, %s : %s", from.Unit, from.RevisionNum, &from.Resource,
			valueAtPath(from))
		writeCause(b, from, indent+"         ")
	}
}
