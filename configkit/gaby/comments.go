package gaby

import (
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// Comments are the comments that belong to an entry of a map or list, without "#" and the space
// after it, with lines joined by newlines.
type Comments struct {
	Head string // the lines directly above it, at its indentation
	Line string // after it on its line; for a map or list after its key
	// Foot is the lines directly below it at its indentation, unless they belong to the next entry.
	Foot string
}

// GetComments returns the comments of the entry at path, none if it is missing.
func (d *YamlDoc) GetComments(path string) Comments {
	return d.Path(path).Value().Comments()
}

// Comments returns the comments of an entry of a map or list, including edited line comments.
func (v Value) Comments() Comments {
	if v.d == nil || v.owner < 0 || v.d.readOnly != nil {
		return Comments{}
	}
	d, i := v.d, v.slot
	var c Comments
	if d.native != nil && d.source(i) && d.native.at[i].remark >= 0 {
		c = d.native.remarks[d.native.at[i].remark]
	}
	if text, edited := d.pendingComment(i); edited {
		c.Line = text
	}
	if d.native != nil || !d.source(i) {
		return c
	}
	if _, edited := d.pendingComment(i); !edited {
		if from, to := d.lineComment(i); to > from {
			c.Line = stream.CommentText(scalar.View(d.src[from:to]))
		}
	}
	if d.n[i].Flags&scan.InFlow != 0 {
		return c
	}
	start := d.entryStart(i)
	bol := d.lineStart(start)
	if strings.TrimLeft(scalar.View(d.src[bol:start]), " ") == "" {
		c.Head = stream.CommentText(scalar.View(d.src[d.headStart(i):bol]))
		c.Foot = d.foot(i, start-bol)
	}
	return c
}

// foot returns the text of the comment lines below entry i in column col.
func (d *document) foot(i int32, col int) string {
	p := d.entryEnd(i)
	from := p
	for p < d.bodyEnd {
		eol := d.lineEnd(p)
		line := scalar.View(d.src[p:eol])
		if len(line) <= col || strings.TrimLeft(line[:col], " ") != "" || line[col] != '#' {
			trimmed := strings.TrimLeft(line, " ")
			if len(line)-len(trimmed) == col && trimmed != "" && trimmed != "\r" {
				return "" // they belong to the next entry
			}
			break
		}
		p = min(eol+1, len(d.src))
	}
	return stream.CommentText(scalar.View(d.src[from:p]))
}

// pendingComment returns the line comment that an edit gave entry i.
func (d *document) pendingComment(i int32) (string, bool) {
	if d.edits == nil {
		return "", false
	}
	c, ok := d.edits.comments[i]
	return c, ok
}

// lineComment returns the span of the line comment of source entry i. Without a comment the span is
// empty, at the offset where one would be written.
func (d *document) lineComment(i int32) (from, to int) {
	n := &d.n[i]
	p := int(max(n.ValEnd, n.KeyEnd))
	switch {
	case d.isBlockScalar(i):
		p = scalar.ReadBlockHeader(d.src, int(n.Val)).End
	case n.Kind != scan.ScalarNode && n.Kind != scan.AliasNode && n.Style == scalar.PlainStyle:
		p = d.valueSpan(i).head
		if n.Flags&scan.HasProps != 0 {
			p = d.propsEnd(i)
		}
		if d.lineStart(p) == d.lineStart(int(n.Val)) {
			return p, p // a map on the line of its dash: a comment there belongs to its first entry
		}
	case n.Style == scalar.NoStyle && n.Kind == scan.ScalarNode && n.KeyStyle != scalar.NoStyle:
		p = max(p, d.colonEnd(i))
	}
	q := p
	for q < d.bodyEnd && (scalar.IsBlank(d.src[q]) || d.src[q] == ',' && n.Flags&scan.InFlow != 0) {
		q++
	}
	if q < d.bodyEnd && d.src[q] == '#' {
		return q, scalar.TrimBlanks(d.src, q, d.lineEnd(q))
	}
	return p, p
}

// propsEnd returns the offset after the anchor and tag of node i.
func (d *document) propsEnd(i int32) int {
	return scan.PropsEnd(d.src, int(d.props[i].Start), d.bodyEnd)
}

// commentOf returns the line comment, with its "#", of an entry whose value is replaced together
// with the comment.
func (d *document) commentOf(s valueSpan) (string, bool) {
	if text, ok := d.pendingComment(s.slot); ok {
		return "# " + text, text != ""
	}
	from, to := d.lineComment(s.slot)
	return string(d.src[from:to]), to > from
}

// SetComment makes text the line comment of the entry at path; an empty text removes the comment.
//
// Errors: *[NotFoundError] for a missing path, *[EditError] if the entry or YAML cannot have the
// comment.
func (d *YamlDoc) SetComment(text string, path string) error {
	segments := DotPathToSlice(path)
	e, err := d.newEditor(segments)
	if err != nil {
		return err
	}
	v := d.Search(segments...).Value()
	switch {
	case !v.Exists():
		return &NotFoundError{Path: path}
	case v.Comments().Line == text:
		return nil // even if there could be no comment
	case v.owner < 0:
		return e.fail(v, "a document has no line comment", "")
	case strings.ContainsAny(text, "\r\n\u0085\u2028\u2029"):
		return e.fail(v, "a line comment cannot have more than one line", "")
	case e.d.native == nil && !scalar.CanComment(text):
		return e.fail(v, "the comment has a character that YAML does not allow", "")
	case e.d.native != nil:
		if err := e.d.native.language.CheckComment(d.v, segments, text); err != nil {
			return e.refused(v, err)
		}
	case v.Kind() != Scalar && v.Len() > 0 && e.onIndicatorLine(v):
		return e.fail(v, "the value begins on the line of its dash, where a comment would hide it",
			"comment one of its entries")
	case e.d.n[0].Style == scalar.FlowStyle,
		e.d.n[v.owner].Style == scalar.FlowStyle && !e.d.source(v.slot):
		return e.fail(v, "no comment is written inside JSON, or after a new value in { } or [ ]", "")
	case v.through != 0:
		return e.failAlias(v)
	}
	size := len(text)
	if e.d.source(v.slot) && e.d.n[v.slot].Flags&scan.InFlow != 0 {
		size += len(e.d.lineIndent(e.d.flowEnd(v.slot)))
	}
	if err := e.d.grow(size); err != nil {
		return err
	}
	e.d.setComment(v.slot, text)
	return nil
}

// onIndicatorLine reports whether the collection at v is a block collection that begins on the line
// of its dash or colon.
func (e *editContext) onIndicatorLine(v Value) bool {
	d := e.d
	if i := d.at(v.slot); i != v.slot || !d.source(v.slot) {
		return d.n[v.owner].Kind == scan.ListNode
	}
	return d.n[v.slot].Style != scalar.FlowStyle &&
		d.lineStart(int(d.n[v.slot].Val)) == d.lineStart(d.valueSpan(v.slot).head)
}

// comment makes the patch for the line comment of source entry i.
func (p *printer) comment(i int32, text string) {
	from, to := p.d.lineComment(i)
	switch {
	case text == "" && from == to:
	case text == "":
		for from > 0 && scalar.IsBlank(p.d.src[from-1]) {
			from--
		}
		p.add(i, from, to, "")
	case from == to:
		gap := ""
		if p.d.n[i].Flags&scan.InFlow != 0 {
			gap = p.e.lineEnd + p.d.lineIndent(from) + "    "
			onlyComments := !p.d.edits.kids.has(p.d.ownerOf(i))
			from, to, gap = stream.CommentInFlow(p.d.src[:p.d.bodyEnd], from, onlyComments, gap)
		}
		p.patches = append(p.patches, patch{
			from: from, to: to, text: " # " + text + gap, depth: i, order: atComment,
		})
	default:
		p.add(i, from, to, "# "+text)
	}
}
