package gaby

import (
	"bytes"
	"fmt"
	"math"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// Container is the list of documents of one unit, in order. The items of a list of resources, such
// as a v1/List or a DeploymentList, are documents of their own: views into the text of the list.
type Container []*YamlDoc

// ParseAll splits text into its documents. Each document is scanned when it is first visited, so
// errors inside documents appear only then (see [YamlDoc.Check]); the error returned here is a
// *[SyntaxError] about the text as a whole.
//
// Empty documents and documents of comments only are not elements: their bytes belong to the
// document that follows, or at the end to the last one. Text with nothing else is one null
// document; empty text has no documents.
func ParseAll(text []byte, opts ...Option) (Container, error) {
	limits := DefaultLimits()
	for _, o := range opts {
		o(&limits)
	}
	if len(text) == 0 {
		return nil, nil
	}
	if len(text) > math.MaxUint32/2 {
		return nil, &SyntaxError{
			Pos: Position{Line: 1, Column: 1},
			Msg: fmt.Sprintf("%d bytes are more than one unit may have", len(text)),
		}
	}
	return parse(&unit{text: text}, &limits), nil
}

// parse splits the text of u into documents and replaces lists of resources by their items.
func parse(u *unit, limits *Limits) Container {
	parts := u.arena.split(u.text)
	u.setStarts(parts)
	docs, views, c := u.arena.documents(len(parts))
	for i, p := range parts {
		docs[i] = document{
			src: u.text[p.Start:p.End:p.End], bodyStart: p.Body - p.Start,
			bodyEnd: p.BodyEnd - p.Start,
			unit:    u, index: i, limits: limits, suspicious: p.Odd,
		}
		views[i].v = docs[i].cursor(0)
		// Only documents whose kind may end in List are examined as lists.
		if p.List && bytes.Contains(docs[i].src, []byte(stream.ListSuffix)) {
			if items := listItems(&views[i]); items != nil {
				c = append(c, items...)
				continue
			}
		}
		c = append(c, &views[i])
	}
	return c
}

// ParseYAML parses and checks text that holds exactly one document. Errors are *[SyntaxError].
func ParseYAML(text []byte) (*YamlDoc, error) {
	limits := DefaultLimits()
	parts := stream.Split(text, nil)
	u := &unit{text: text}
	u.setStarts(parts[:1])
	d := &document{
		src: text, bodyStart: parts[0].Body, bodyEnd: parts[0].BodyEnd, unit: u,
		limits: &limits, suspicious: parts[0].Odd,
	}
	if len(parts) > 1 {
		return nil, &SyntaxError{
			Pos: d.position(parts[1].Body),
			Msg: "a second document where one was expected",
		}
	}
	doc := &YamlDoc{v: d.cursor(0)}
	return doc, doc.Check()
}

// DropPositions marks the text of the document, made by [ParseYAML], as not from a file: positions
// in it are the zero Position from now on.
func (d *YamlDoc) DropPositions() { d.v.d.unit.detached = true }
