package gaby

import (
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// Header is what tells which resource a document is. Fields that are missing or no plain strings are empty.
type Header struct {
	APIVersion   string
	Kind         string
	Namespace    string
	Name         string
	GenerateName string
}

// Header returns the fields that identify a resource. A document that was not visited yet is not scanned for it: only the lines
// of its outermost map and of its metadata are looked at, which is far cheaper. What that look cannot be certain about (flow
// style, anchors, multi-line text) makes it scan; the error is then a *[SyntaxError], beside the fields found in front of it.
// An item of a DeploymentList that does not say what it is has the apiVersion of the list and the kind Deployment.
func (d *YamlDoc) Header() (Header, error) {
	if d == nil {
		return Header{}, nil
	}
	doc := d.v.d
	if d.v.owner >= 0 || d.v.slot != 0 || doc.scanned {
		return d.scannedHeader()
	}
	if !doc.hasHeader {
		h, certain := stream.ScanHeader(doc.src[:doc.bodyEnd], doc.body)
		if doc.odd || !certain {
			return d.scannedHeader()
		}
		doc.header, doc.hasHeader = Header(h), true
	}
	return doc.header, nil
}

// SecondHeader tells whether a key that identifies a resource is there twice in the outermost block map, and where: most of the
// time the separator between two documents is missing.
func (d *YamlDoc) SecondHeader() (key string, at Position) {
	doc := d.v.d
	if !doc.odd || !d.whole() || !doc.ready() || doc.readOnly != nil || doc.n[0].kind != mapNode || doc.n[0].style == scalar.FlowStyle {
		return "", Position{}
	}
	seen := map[string]bool{}
	for e := int32(1); e < int32(doc.n[0].next); e = int32(doc.n[e].next) {
		key := string(keyBytes(doc.src, &doc.n[e]))
		switch key {
		case "apiVersion", "kind", "metadata":
			if seen[key] {
				return key, doc.position(int(doc.n[e].key))
			}
			seen[key] = true
		}
	}
	return "", Position{}
}

func (d *YamlDoc) scannedHeader() (Header, error) {
	if err := d.Check(); err != nil {
		if doc := d.v.d; !doc.hasHeader { // what the lines in front of the error say may do to pass the document by
			h, _ := stream.ScanHeader(doc.src[:doc.bodyEnd], doc.body)
			doc.header, doc.hasHeader = Header(h), true
		}
		return d.v.d.header, err
	}
	doc := d.v.d
	if doc.hasHeader && d.whole() { // as it is since the last edit
		return doc.header, nil
	}
	var h Header
	var meta Value
	for c := d.v.First(); c.Exists(); c = c.Next() {
		switch c.Key() {
		case "apiVersion":
			h.APIVersion = stringText(c)
		case "kind":
			h.Kind = stringText(c)
		case "metadata":
			meta = c
		}
	}
	for c := meta.First(); c.Exists(); c = c.Next() {
		switch c.Key() {
		case "namespace":
			h.Namespace = stringText(c)
		case "name":
			h.Name = stringText(c)
		case "generateName":
			h.GenerateName = stringText(c)
		}
	}
	if d.whole() {
		doc.header, doc.hasHeader = h, true
	} else if h.Kind == "" || h.APIVersion == "" {
		d.completeHeader(&h)
	}
	return h, nil
}

// stringText returns the text of a string, "" for any other value and for none.
func stringText(v Value) string {
	if !v.Exists() {
		return ""
	}
	d, i := v.d, v.node()
	if d.n[i].kind != scalarNode {
		return ""
	}
	if t := d.scalarTag(i); t != scalar.StrTag && t != scalar.OtherTag {
		return ""
	}
	return d.text(i)
}
