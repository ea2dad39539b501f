package yq

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/mikefarah/yq/v4/pkg/yqlib"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Set evaluates the expression on a resource and returns what replaces it:
//   - nothing, if there are no results;
//   - the resource itself, if edits can express what yq did;
//   - a document with yq's text otherwise;
//   - several documents, if there are several results.
//
// An item of a list keeps its position in the list's text, and a resource in a format other than
// YAML keeps its format. For those, complete is false if the expression changed comments, styles or
// the order of keys and only the values could be written. The error is an *[expression.Error], or
// an error of the edit.
func (r *Run) Set(
	ctx context.Context, resource *gaby.YamlDoc,
) (made gaby.Container, complete bool, err error) {
	r.watch = limit.Start(ctx, nil)
	defer r.watch.End()
	node, err := r.decode(resource.Bytes())
	if err != nil {
		return nil, false, r.program.problem(err)
	}
	before := node.Copy()
	results, err := r.evaluate(node)
	if err != nil {
		return nil, false, r.program.problem(err)
	}
	for _, result := range results {
		if result.Kind != yqlib.MappingNode {
			problem := r.program.problem(fmt.Errorf("the result is not a map but %s",
				describe(result)))
			problem.Hint = "an assignment such as .spec.replicas = 3 returns the changed " +
				"resource; get-yq prints values"
			return nil, false, problem
		}
	}
	if len(results) == 1 && r.same(before, results[0], true) {
		return gaby.Container{resource}, true, nil
	}
	crlf := bytes.Contains(resource.Bytes(), []byte("\r\n"))
	made = gaby.Container{}
	for _, result := range results {
		text, err := r.print(result)
		if err != nil {
			return nil, false, r.program.problem(err)
		}
		if crlf {
			text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")),
				[]byte("\n"), []byte("\r\n"))
		}
		doc, err := gaby.ParseYAML(text)
		if err != nil {
			return nil, false, r.program.problem(err)
		}
		made = append(made, doc)
	}
	if len(made) != 1 {
		return made, true, r.readable(resource, made)
	}
	if resource.Native() != nil {
		return editNative(resource, made[0], results[0])
	}
	return r.edit(resource, made[0], before, results[0])
}

// editNative edits a resource that is written in a format other than YAML. yq's document would be a
// poor copy of its text, so only values are taken from it, and the comments that the expression
// added: the text yq saw had none.
func editNative(
	resource, made *gaby.YamlDoc, result *yqlib.CandidateNode,
) (_ gaby.Container, complete bool, err error) {
	if err := resource.SetDocP(made, ""); err != nil {
		return nil, false, err
	}
	if err := addComments(resource, nil, result); err != nil {
		return nil, false, err
	}
	return gaby.Container{resource}, inOrder(resource.Value(), result) &&
		len(comments(result)) == 0, nil
}

// entries iterates over the entries of a map or list of yq: their keys or indexes, and their nodes,
// of which the last one is the value.
func entries(n *yqlib.CandidateNode) iter.Seq2[string, []*yqlib.CandidateNode] {
	return func(yield func(string, []*yqlib.CandidateNode) bool) {
		step := 1
		if n.Kind == yqlib.MappingNode {
			step = 2
		}
		for i := 0; i+step <= len(n.Content) && n.Kind != yqlib.ScalarNode; i += step {
			name := strconv.Itoa(i)
			if step == 2 {
				name = n.Content[i].Value
			}
			if !yield(name, n.Content[i:i+step]) {
				return
			}
		}
	}
}

// entryOf returns the entry of a value by its key or index.
func entryOf(v gaby.Value, name string) gaby.Value { return v.Doc().Search(name).Value() }

// addComments writes the line comments of a result at and below a path. Other comments are ignored.
func addComments(resource *gaby.YamlDoc, segments []string, result *yqlib.CandidateNode) error {
	for name, entry := range entries(result) {
		path := append(slices.Clip(segments), name)
		if comment := lineComment(entry); comment != "" {
			if err := resource.SetComment(comment, string(yamlpath.Join(path))); err != nil {
				return err
			}
		}
		if err := addComments(resource, path, entry[len(entry)-1]); err != nil {
			return err
		}
	}
	return nil
}

// inOrder reports whether the keys of a value have the same order as in a result.
func inOrder(v gaby.Value, result *yqlib.CandidateNode) bool {
	next := v.First()
	for name, entry := range entries(result) {
		c := entryOf(v, name)
		switch {
		case result.Kind != yqlib.MappingNode:
		case !c.Exists():
			continue // it is empty, which not every format can express
		case !next.Exists() || next.Key() != name:
			return false
		default:
			next = next.Next()
		}
		if !inOrder(c, entry[len(entry)-1]) {
			return false
		}
	}
	return true
}

// describe returns how messages describe a result that is not a map.
func describe(n *yqlib.CandidateNode) string {
	if n.Kind == yqlib.SequenceNode {
		return "a list"
	}
	return strings.TrimPrefix(n.Tag, "!!") + " " + n.Value
}

// edit makes resource equal to what yq made of it. It edits the resource if the edits have exactly
// that result, and otherwise returns yq's document.
func (r *Run) edit(
	resource, made *gaby.YamlDoc, before, result *yqlib.CandidateNode,
) (_ gaby.Container, complete bool, err error) {
	mark := resource.Checkpoint()
	restore := gaby.Container{resource}.AppendKeys()
	err = resource.SetDocP(made, "")
	restore()
	if err != nil && (!resource.IsDocument() || errors.Is(err, gaby.ErrUnsupported)) {
		return nil, false, err
	}
	if err == nil {
		reorder(resource, nil, resource.Value(), result)
		// The text of an edited list item has no comments, so comments are compared separately.
		document := resource.IsDocument()
		if complete = r.is(resource, result, document); complete != document {
			setComments(resource, nil, resource.Value(), result)
			complete = r.is(resource, result, document) &&
				(document || within(comments(result), comments(before)))
		}
		if complete || !document {
			return gaby.Container{resource}, complete, nil
		}
	}
	resource.Rollback(mark)
	return gaby.Container{made}, true, r.readable(resource, gaby.Container{made})
}

// readable returns an error if yq turned a readable resource into a text that readers may refuse,
// such as one with a very long key.
func (r *Run) readable(resource *gaby.YamlDoc, made gaby.Container) error {
	for _, doc := range made {
		if problem := doc.ReadOnly(); problem != nil && resource.ReadOnly() == nil {
			return r.program.problem(fmt.Errorf("the result cannot be written: %s", problem.Msg))
		}
	}
	return nil
}

// is reports whether a resource, in its current state, is equal to a result.
func (r *Run) is(resource *gaby.YamlDoc, result *yqlib.CandidateNode, comments bool) bool {
	node, err := r.decode(resource.Bytes())
	if err != nil {
		return false
	}
	return r.same(node, result, comments) ||
		comments && !r.program.commented && r.same(node, result, false) &&
			within(commentLines(result), commentLines(node))
}

// commentLines returns the lines of all comments of a node and its descendants, sorted.
func commentLines(n *yqlib.CandidateNode) []string {
	var lines []string
	for _, comment := range append(ownComments(n), commentText(n.LineComment)) {
		if comment != "" {
			lines = append(lines, strings.Split(comment, "\n")...)
		}
	}
	for _, child := range n.Content {
		lines = append(lines, commentLines(child)...)
	}
	slices.Sort(lines)
	return lines
}

// same reports whether two nodes are equal: in values, order of keys, anchors and tags, in comments
// if comments is set, and in styles if the expression is about styles.
func (r *Run) same(a, b *yqlib.CandidateNode, comments bool) bool {
	// yq leaves the old text in a collection that it made of null
	collection := a.Kind == yqlib.MappingNode || a.Kind == yqlib.SequenceNode
	return a.Kind == b.Kind && tagOf(a) == tagOf(b) && (a.Value == b.Value || collection) &&
		a.Anchor == b.Anchor &&
		(!comments || commentText(a.LineComment) == commentText(b.LineComment) &&
			slices.Equal(ownComments(a), ownComments(b))) &&
		(!r.program.styled || a.Style == b.Style) &&
		slices.EqualFunc(a.Content, b.Content, func(a, b *yqlib.CandidateNode) bool {
			return r.same(a, b, comments)
		})
}

// ownComments returns the comments of a node that are on lines of their own.
func ownComments(n *yqlib.CandidateNode) []string {
	return []string{
		commentText(n.LeadingContent), commentText(n.HeadComment), commentText(n.FootComment),
	}
}

// comments returns the comments of a node and its descendants that are on lines of their own, in
// order.
func comments(n *yqlib.CandidateNode) []string {
	all := slices.DeleteFunc(ownComments(n), func(comment string) bool { return comment == "" })
	for _, child := range n.Content {
		all = append(all, comments(child)...)
	}
	return all
}

// within reports whether list is a subsequence of other.
func within(list, other []string) bool {
	for _, element := range list {
		i := slices.Index(other, element)
		if i < 0 {
			return false
		}
		other = other[i+1:]
	}
	return true
}

// tagOf returns the tag of a node. A new collection without a tag gets the default one. A timestamp
// counts as the text that it is to functions.
func tagOf(n *yqlib.CandidateNode) string {
	switch {
	case n.Tag == "" && n.Kind == yqlib.MappingNode:
		return "!!map"
	case n.Tag == "" && n.Kind == yqlib.SequenceNode:
		return "!!seq"
	case n.Tag == "!!timestamp":
		return "!!str"
	}
	return n.Tag
}

// reorder puts the keys of a value in the order that they have in the result, as far as lines can
// be moved. The caller compares the outcome with the result.
func reorder(
	resource *gaby.YamlDoc, segments []string, v gaby.Value, result *yqlib.CandidateNode,
) {
	var keys []string
	for name, entry := range entries(result) {
		if result.Kind == yqlib.MappingNode {
			keys = append(keys, name)
		}
		reorder(resource, append(slices.Clip(segments), name), entryOf(v, name),
			entry[len(entry)-1])
	}
	if len(keys) > 0 && !inOrder(v, result) {
		resource.ReorderKeys(keys, segments...)
	}
}

// setComments gives the entries of a resource the line comments they have in the result. Errors are
// ignored, because the caller compares the outcome with the result.
func setComments(
	resource *gaby.YamlDoc, segments []string, at gaby.Value, result *yqlib.CandidateNode,
) {
	c := at.First()
	for name, want := range entries(result) {
		if !c.Exists() || result.Kind == yqlib.MappingNode && c.Key() != name {
			return
		}
		path := append(slices.Clip(segments), name)
		if comment := lineComment(want); comment != c.Comments().Line {
			_ = resource.SetComment(comment, string(yamlpath.Join(path)))
		}
		setComments(resource, path, c, want[len(want)-1])
		c = c.Next()
	}
}

// lineComment returns the line comment of an entry. The library may have it at the key or at the
// value.
func lineComment(entry []*yqlib.CandidateNode) string {
	for _, n := range entry {
		if n.LineComment != "" {
			return commentText(n.LineComment)
		}
	}
	return ""
}

// commentText returns a comment without its # marks. yq adds the marks when it prints a comment
// without them.
func commentText(comment string) string {
	if comment == "" {
		return ""
	}
	lines := strings.Split(strings.TrimSuffix(comment, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#"))
	}
	return strings.Join(lines, "\n")
}
