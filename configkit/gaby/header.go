package gaby

import (
	"cmp"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// Header identifies the resource of a document. Fields that are missing or not plain strings are
// empty.
type Header struct {
	APIVersion   string
	Kind         string
	Namespace    string
	Name         string
	GenerateName string
}

// Header returns the fields that identify a resource. It does not scan a document that was not
// visited yet: it reads only the lines of the outermost map and of its metadata, which is far
// cheaper. If that is not certain (flow style, anchors, text over several lines) it scans the
// document; the error is then a *[SyntaxError], returned with the fields found before it. An item
// of a DeploymentList without apiVersion and kind gets the apiVersion of the list and the kind
// Deployment.
func (d *YamlDoc) Header() (Header, error) {
	if d == nil {
		return Header{}, nil
	}
	doc := d.v.d
	if d.v.owner >= 0 || d.v.slot != 0 || doc.scanned || doc.implied.Kind != "" ||
		!doc.hasHeader && (doc.suspicious || !doc.scanHeader()) {
		return d.scannedHeader()
	}
	return doc.header, nil
}

// Imply sets the apiVersion and kind of a document without them, whose file name implies its kind.
func (d *YamlDoc) Imply(apiVersion, kind string) {
	d.v.d.implied = Header{APIVersion: apiVersion, Kind: kind}
}

// scanHeader reads the header without scanning the document, and reports whether that is certain.
func (d *document) scanHeader() bool {
	h, certain := stream.ScanHeader(d.src[:d.bodyEnd], d.bodyStart)
	d.header, d.hasHeader = Header(h), certain
	return certain
}

// SecondHeader returns the first key that identifies a resource and occurs a second time in the
// outermost block map, and its position. Usually the separator between two documents is missing.
// The key is "" if no such key is repeated.
func (d *YamlDoc) SecondHeader() (key string, at Position) {
	doc := d.v.d
	if !doc.suspicious || !d.whole() || !doc.ready() || doc.readOnly != nil ||
		doc.n[0].Kind != scan.MapNode || doc.n[0].Style == scalar.FlowStyle {
		return "", Position{}
	}
	seen := map[string]bool{}
	for e := int32(1); e < int32(doc.n[0].Next); e = int32(doc.n[e].Next) {
		key := string(scan.KeyBytes(doc.src, &doc.n[e]))
		if seen[key] && (key == "apiVersion" || key == "kind" || key == "metadata") {
			return key, doc.position(int(doc.n[e].Key))
		}
		seen[key] = true
	}
	return "", Position{}
}

// scannedHeader returns the header of a document that has been scanned, with its edits.
func (d *YamlDoc) scannedHeader() (Header, error) {
	if err := d.Check(); err != nil {
		// with the fields before the error the caller may be able to skip the document
		if doc := d.v.d; !doc.hasHeader {
			doc.scanHeader()
			doc.hasHeader = true
		}
		return d.v.d.header, err
	}
	doc := d.v.d
	if doc.hasHeader && d.whole() { // valid since the last edit, which clears it
		return doc.header, nil
	}
	meta := d.v.Get("metadata")
	h := Header{
		APIVersion:   cmp.Or(stringText(d.v.Get("apiVersion")), doc.implied.APIVersion),
		Kind:         cmp.Or(stringText(d.v.Get("kind")), doc.implied.Kind),
		Namespace:    stringText(meta.Get("namespace")),
		Name:         stringText(meta.Get("name")),
		GenerateName: stringText(meta.Get("generateName")),
	}
	if d.whole() {
		doc.header, doc.hasHeader = h, true
	} else if h.Kind == "" || h.APIVersion == "" {
		d.completeHeader(&h)
	}
	return h, nil
}

// stringText returns the text of a string, "" for any other value and for a missing one.
func stringText(v Value) string {
	if v.Kind() == Scalar {
		if t := v.d.scalarTag(v.node()); t == scalar.StrTag || t == scalar.OtherTag {
			return v.Text()
		}
	}
	return ""
}
