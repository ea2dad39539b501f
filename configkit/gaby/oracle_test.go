package gaby_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// This is the differential proof of design.md, section 4: text that gaby and yaml.v3 both accept
// must mean the same. gaby may refuse text with a located *SyntaxError, but must not panic, and
// reading changes no byte.

// A verdict records how far a comparison went.
type verdict struct {
	Docs    int   // documents that both accept, compared completely
	Refused error // the first refusal of gaby, nil if there is none
	Library error // why the first document was left to yaml.v3, nil if none was
	Oracle  error // the first refusal of yaml.v3, nil if there is none
}

// checkUnit compares all that gaby returns for a text with yaml.v3. The error is a finding, never a
// refusal.
func checkUnit(text []byte) (v verdict, err error) {
	roots, oracleErr := oracle(text)
	v.Oracle = oracleErr
	source := bytes.Clone(text)

	c, err := gaby.ParseAll(text)
	if err != nil {
		v.Refused = err
		return v, wellFormedRefusal(err, text)
	}
	if !bytes.Equal(c.Bytes(), source) {
		return v, fmt.Errorf("ParseAll and Bytes change the text:\n%q\n%q", source, c.Bytes())
	}
	if len(text) == 0 && len(c) != 0 {
		return v, fmt.Errorf("zero bytes give %d documents, want none", len(c))
	}

	want := elements(roots, c)
	if loneTag.Match(text) || bytes.HasPrefix(text, []byte("\xef\xbb\xbf\xef\xbb\xbf")) ||
		oddBreaks(text) && (len(c) > 1 || bytes.ContainsAny(text, "#")) {
		// not comparable: yaml.v3 breaks lines at these characters, so all later positions differ
		want, oracleErr = nil, errNoValue
	}
	if oddBreaks(text) {
		for _, r := range want {
			forgetPlaces(r) // yaml.v3 counts lines at these characters, editors do not
		}
	}
	exact := oracleErr == nil
	for i, d := range c {
		d.Header() //nolint:errcheck // must not panic, whatever it finds
		checkErr := d.Check()
		if checkErr != nil {
			if err := wellFormedRefusal(checkErr, text); err != nil {
				return v, err
			}
			if v.Refused == nil {
				v.Refused = checkErr
			}
			exact = false // the items of a refused List cannot be distinguished
		}
		readEverything(d)
		if why := gaby.Unsupported(d); why != nil {
			if err := wellFormedRefusal(why, text); err != nil {
				return v, err
			}
			v.Library = why
		}
		if v.Refused != nil || i >= len(want) {
			continue
		}
		if err := compareDocument(want[i], d); err != nil {
			return v, fmt.Errorf("document %d: %w", i+1, err)
		}
		v.Docs++
	}
	if exact && len(want) != len(c) && !(len(want) == 0 && len(c) == 1) {
		return v, fmt.Errorf("yaml.v3 has %d documents, gaby %d", len(want), len(c))
	}
	if exact && len(want) == 0 && len(c) == 1 && !c[0].IsNull() {
		return v, fmt.Errorf("an empty stream's document is not null but %#v", c[0].Data())
	}
	if c.Changed() || !bytes.Equal(c.Bytes(), source) {
		return v, fmt.Errorf("reading changed the text:\n%q\n%q", source, c.Bytes())
	}
	if !bytes.Equal(text, source) {
		return v, errors.New("the caller's bytes were modified")
	}
	return v, nil
}

// oddBreaks reports whether a text has characters at which yaml.v3, as YAML 1.1, breaks lines.
func oddBreaks(text []byte) bool { return bytes.ContainsAny(text, "\u0085\u2028\u2029") }

// forgetPlaces clears the positions of a node and of all nodes in it.
func forgetPlaces(n *yaml.Node) {
	n.Line = 0
	for _, c := range n.Content {
		forgetPlaces(c)
	}
}

// forgetEmpty clears the positions of empty values: yaml.v3 reports others in a stream than in a
// single document.
func forgetEmpty(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Value == "" {
		n.Line = 0
	}
	for _, c := range n.Content {
		forgetEmpty(c)
	}
}

// samePlace compares a position with that of a node, if it is known.
func samePlace(n *yaml.Node, p gaby.Position) bool {
	return n.Line == 0 || n.Line == p.Line && n.Column == p.Column
}

// loneTag matches a document that consists of the tag "!", whose nodes in yaml.v3 are those of an
// empty one.
var loneTag = regexp.MustCompile(`(?m)^(---)?[ \t]*!\s*$`)

// elements returns the roots, with Lists replaced by their items where gaby split them as well.
// gaby may leave a List whole if it is written in an unusual way; TestListItems says when it must
// not.
func elements(roots []*yaml.Node, c gaby.Container) []*yaml.Node {
	var all []*yaml.Node
	for _, r := range roots {
		items := listItems(r)
		if at := len(all); items != nil && at < len(c) && c[at].Check() == nil {
			p := c[at].Value().Position()
			if p.Line != r.Line || p.Column != r.Column {
				all = append(all, items...)
				continue
			}
		}
		all = append(all, r)
	}
	return all
}

// listItems returns the items of a list of resources, nil if root is not one or has items that are
// not maps.
func listItems(root *yaml.Node) []*yaml.Node {
	if root.Kind != yaml.MappingNode {
		return nil
	}
	found := map[string]*yaml.Node{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		found[root.Content[i].Value] = root.Content[i+1]
	}
	api, kind, items := found["apiVersion"], found["kind"], found["items"]
	if api == nil || kind == nil || !strings.HasSuffix(kind.Value, "List") || items == nil ||
		items.Kind != yaml.SequenceNode {
		return nil
	}
	if kind.Value == "List" && api.Value != "v1" {
		return nil
	}
	for _, item := range items.Content {
		if item.Kind == yaml.AliasNode {
			item = item.Alias
		}
		if item.Kind != yaml.MappingNode {
			return nil
		}
	}
	return items.Content
}

// TestListItems checks that the items of a v1/List are elements however the list is written.
func TestListItems(t *testing.T) {
	for text, want := range map[string]int{
		"apiVersion: v1\nkind: List\nitems:\n- kind: A\n- kind: B\n":                    2,
		"kind: List\napiVersion: v1\nmetadata: {}\nitems:\n  - kind: A\n":               1,
		"items:\n- kind: A\n- kind: B\n- {kind: C}\nkind: \"List\"\napiVersion: 'v1'\n": 3,
		`{"apiVersion":"v1","kind":"List","items":[{"kind":"A"},{"kind":"B"}]}`:         2,
		"{\n  \"kind\": \"List\",\n  \"apiVersion\": \"v1\",\n  \"items\": [\n" +
			"    {\"kind\": \"A\"}\n  ]\n}\n": 1,
		"\"apiVersion\": \"v1\"\n\"kind\": \"List\"\n\"items\":\n- {}\n- {}\n":               2,
		"# c\n---\n# d\nkind:   List # e\napiVersion: v1\nitems:\n- kind: A\n---\nkind: B\n": 2,
		"apiVersion: v1\r\nkind: List\r\nitems:\r\n- kind: A\r\n- kind: B\r\n":               2,
		"\ufeffapiVersion: v1\nkind: List\nitems:\n- kind: A\n- kind: B\n":                   2,
		"--- {apiVersion: v1, kind: List, items: [{kind: A}, {kind: B}]}\n":                  2,
		// itself: its bytes must belong to an element
		"apiVersion: v1\nkind: List\nitems: []\n":                          1,
		"apiVersion: v1\nkind: Listing\nitems:\n- a: b\n- a: b\n":          1,
		"apiVersion: example.com/v1\nkind: List\nitems:\n- a: b\n- a: b\n": 1,
		"apiVersion: apps/v1\nkind: DeploymentList\nitems:\n- metadata: {name: a}\n" +
			"- metadata: {name: b}\n": 2,
		"items:\n- {apiVersion: v1, kind: A}\n- {apiVersion: v1, kind: B}\n" +
			"kind: 'PartsList' # mixed\napiVersion: example.com/v1\n": 2,
		"apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}\nitems:\n" +
			"- metadata: {name: a}\n- metadata: {name: b}\n": 1,
		"apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}\nitems:\n" +
			"- {kind: A, apiVersion: v1}\n- {kind: B, apiVersion: v1}\n": 2,
		"apiVersion: example.com/v1\nkind: AllowList\nitems:\n- host: a\n- host: b\n":          1,
		"apiVersion: example.com/v1\nkind: AllowList\nitems:\n- metadata: {name: a}\n- text\n": 1,
		"apiVersion: example.com/v1\nkind: AllowList\nitems: {a: {}, b: {}}\n":                 1,
		"apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}\nspec:\n  items:\n" +
			"  - {kind: A, apiVersion: v1}\n  - {kind: B, apiVersion: v1}\n": 1,
	} {
		t.Run(text, func(t *testing.T) {
			c, err := gaby.ParseAll([]byte(text))
			if err != nil || len(c) != want {
				t.Errorf("%d elements (%v), want %d: %q", len(c), err, want, text)
			}
		})
	}
}

// wellFormedRefusal checks that a refusal is a *SyntaxError with a position in the text.
func wellFormedRefusal(err error, text []byte) error {
	var syntax *gaby.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("refusal is a %T, not a *SyntaxError: %w", err, err)
	}
	if errors.Is(err, gaby.ErrUnsupported) != syntax.Unsupported {
		return fmt.Errorf("errors.Is(ErrUnsupported) disagrees with Unsupported=%v: %w",
			syntax.Unsupported, err)
	}
	if syntax.Msg == "" {
		return errors.New("refusal without a message")
	}
	lines := bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("\r")) +
		strings.Count(string(text), "\u2028") +
		strings.Count(string(text), "\u2029") + strings.Count(string(text), "\u0085") + 2
	if syntax.Pos.Line < 1 || syntax.Pos.Line > lines || syntax.Pos.Column < 1 ||
		syntax.Pos.Column > len(text)+2 {
		return fmt.Errorf("refusal at %d:%d lies outside of the text: %w", syntax.Pos.Line,
			syntax.Pos.Column, err)
	}
	return nil
}

// hasValue reports whether a node can be represented as data.
func hasValue(n *yaml.Node) bool {
	_, err := dataOf(n)
	return err == nil
}

// readEverything calls all readers; none may panic, whether the document is valid or not.
func readEverything(d *gaby.YamlDoc) {
	d.Data()
	d.Children()
	d.ChildrenMap()
	d.IsArray()
	d.IsMap()
	d.IsNull()
	d.Len()
	d.Position()
	d.Changed()
	_ = d.Bytes()
	_ = d.GetComments("metadata.name")
	d.Search("metadata", "name", "0").Data()
	d.ExistsP("spec.template.0")
	v := d.Value()
	for e, n := v.First(), 0; e.Exists() && n < 50; e, n = e.Next(), n+1 {
		e.Key()
		e.Text()
		e.Tag()
		e.YAML()
		e.Comments()
		e.Position()
		e.KeyPosition()
		_ = e.Doc().String()
	}
}

// compareDocument compares one document, raw and as values.
func compareDocument(want *yaml.Node, d *gaby.YamlDoc) error {
	if gaby.Unsupported(d) == nil {
		raw, err := gaby.RawTree(d)
		if err != nil {
			return fmt.Errorf("raw tree: %w", err)
		}
		if err := compareRaw(want, raw, "", false); err != nil {
			return err
		}
	} else {
		if !hasValue(want) {
			return nil
		}
		forgetEmpty(want)
	}
	budget := 20_000
	if err := compareValue(want, d.Value(), "", &budget, false); err != nil {
		return err
	}
	data, err := dataOf(want)
	if err != nil {
		return nil
	}
	if diff := diffData(data, d.Data(), ""); diff != "" {
		return fmt.Errorf("Data: %s (yaml.v3, gaby)", diff)
	}
	return nil
}

// compareRaw compares the trees as written: kinds, styles, tags, texts, anchors, lines and columns.
func compareRaw(want *yaml.Node, have gaby.RawNode, path string, isKey bool) error {
	bad := func(what string, w, h any) error {
		key := ""
		if isKey {
			key = " (key)"
		}
		return fmt.Errorf("%s%s: %s is %#v in yaml.v3, %#v in gaby (line %d)", path, key, what, w,
			h, want.Line)
	}
	if want.Kind != have.Kind {
		return bad("kind", want.Kind, have.Kind)
	}
	if want.Value != have.Value {
		return bad("value", want.Value, have.Value)
	}
	if want.Kind != yaml.AliasNode {
		if w := want.ShortTag(); w != have.Tag {
			return bad("tag", w, have.Tag)
		}
		if want.Style != have.Style {
			return bad("style", want.Style, have.Style)
		}
		if want.Anchor != have.Anchor {
			return bad("anchor", want.Anchor, have.Anchor)
		}
	}
	if !samePlace(want, have.Pos) {
		return bad("position", gaby.Position{Line: want.Line, Column: want.Column}, have.Pos)
	}
	if len(want.Content) != len(have.Content) {
		return bad("length", len(want.Content), len(have.Content))
	}
	for i, w := range want.Content {
		sub := fmt.Sprintf("%s/%d", path, i)
		if want.Kind == yaml.MappingNode {
			sub = path + "/" + want.Content[i&^1].Value
		}
		if err := compareRaw(w, have.Content[i], sub, want.Kind == yaml.MappingNode &&
			i%2 == 0); err != nil {
			return err
		}
	}
	return nil
}

// compareValue compares what functions see: with aliases and merge keys followed.
func compareValue(want *yaml.Node, have gaby.Value, path string, budget *int, aliased bool) error {
	if *budget--; *budget < 0 {
		return nil
	}
	for depth := 0; want.Kind == yaml.AliasNode && want.Alias != nil; depth++ {
		want, aliased = want.Alias, true
		if depth > 100 {
			return nil
		}
	}
	kinds := map[yaml.Kind]gaby.Kind{
		yaml.ScalarNode: gaby.Scalar, yaml.MappingNode: gaby.Map,
		yaml.SequenceNode: gaby.List,
	}
	if kinds[want.Kind] != have.Kind() {
		return fmt.Errorf("%s: Kind is %v, yaml.v3 %v (line %d)", path, have.Kind(), want.Kind,
			want.Line)
	}
	if p := have.Position(); !aliased && !samePlace(want, p) {
		return fmt.Errorf("%s: Position is %v, yaml.v3 %d:%d", path, p, want.Line, want.Column)
	}
	switch want.Kind {
	case yaml.ScalarNode:
		if have.Text() != want.Value {
			return fmt.Errorf("%s: Text is %q, yaml.v3 %q", path, have.Text(), want.Value)
		}
		if have.Tag() != want.ShortTag() {
			return fmt.Errorf("%s: Tag is %q, yaml.v3 %q (%q)", path, have.Tag(), want.ShortTag(),
				want.Value)
		}
		if data, err := Data(want); err == nil && !sameData(data, have.Data()) {
			return fmt.Errorf("%s: Data is %#v, yaml.v3 %#v", path, have.Data(), data)
		}
	case yaml.SequenceNode:
		if have.Len() != len(want.Content) {
			return fmt.Errorf("%s: Len is %d, yaml.v3 %d", path, have.Len(), len(want.Content))
		}
		e := have.First()
		for i, w := range want.Content {
			sub := fmt.Sprintf("%s/%d", path, i)
			if err := compareValue(w, e, sub, budget, aliased); err != nil {
				return err
			}
			if err := compareValue(w, have.Index(i), sub, budget, aliased); err != nil {
				return fmt.Errorf("by index: %w", err)
			}
			e = e.Next()
		}
		if e.Exists() {
			return fmt.Errorf("%s: more items than %d", path, len(want.Content))
		}
	case yaml.MappingNode:
		return compareMap(want, have, path, budget, aliased)
	}
	return nil
}

func compareMap(want *yaml.Node, have gaby.Value, path string, budget *int, aliased bool) error {
	last := map[string]int{}
	duplicates, merges := false, 0
	for i := 0; i+1 < len(want.Content); i += 2 {
		if isMergeKey(want.Content[i]) {
			merges++
			continue
		}
		key, ok := keyText(want.Content[i])
		if !ok {
			return fmt.Errorf("%s: accepted a collection as key", path)
		}
		_, again := last[key]
		duplicates = duplicates || again
		last[key] = i
	}
	e := have.First()
	for i := 0; i+1 < len(want.Content); i += 2 {
		k, v := want.Content[i], want.Content[i+1]
		if isMergeKey(k) {
			continue
		}
		key, _ := keyText(k)
		sub := path + "/" + key
		if last[key] == i {
			if err := compareValue(v, have.Get(key), sub, budget, aliased); err != nil {
				return fmt.Errorf("by key: %w", err)
			}
		}
		if duplicates {
			continue // which of them an iteration shows is unspecified
		}
		if !e.Exists() || e.Key() != key {
			return fmt.Errorf("%s: Key is %q, yaml.v3 %q", sub, e.Key(), key)
		}
		if tag := e.KeyTag(); tag != k.ShortTag() {
			return fmt.Errorf("%s: KeyTag is %q, yaml.v3 %q", sub, tag, k.ShortTag())
		}
		if p := e.KeyPosition(); !aliased && !samePlace(k, p) {
			return fmt.Errorf("%s: KeyPosition is %v, yaml.v3 %d:%d", sub, p, k.Line, k.Column)
		}
		if err := compareValue(v, e, sub, budget, aliased); err != nil {
			return err
		}
		e = e.Next()
	}
	data, err := dataOf(want)
	if err != nil || duplicates {
		return nil
	}
	if n := len(data.(map[string]any)); have.Len() != n {
		return fmt.Errorf("%s: Len is %d, yaml.v3 %d", path, have.Len(), n)
	}
	if merges == 0 && e.Exists() {
		return fmt.Errorf("%s: more entries than yaml.v3's %d", path, len(last))
	}
	for ; e.Exists(); e = e.Next() { // inherited entries
		k := e.Key()
		if _, own := last[k]; own {
			return fmt.Errorf("%s/%s: own key comes again from <<", path, k)
		}
		if !sameData(e.Data(), data.(map[string]any)[k]) {
			return fmt.Errorf("%s/%s: merged value is %#v, yaml.v3 %#v", path, k, e.Data(),
				data.(map[string]any)[k])
		}
	}
	return nil
}

func clip(text []byte) string {
	const most = 1500
	if len(text) <= most {
		return string(text)
	}
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end]) + "..."
}
