// Package scalar converts between YAML scalars and their values: it resolves tags, decodes the text
// of a spelling, and chooses a spelling for a text.
//
// Invariants: these are pure functions of bytes and strings; no function knows a document. Reading
// follows go.yaml.in/yaml/v3: the core schema of YAML 1.2 with the integers and timestamps of YAML
// 1.1. A string is written so that readers of either version read a string.
//
// Layer: document.
package scalar

// Tag is the type a scalar resolves to.
type Tag uint8

// The short tags a scalar can resolve to.
const (
	StrTag Tag = iota
	NullTag
	BoolTag
	IntTag
	FloatTag
	TimestampTag
	MergeTag
	BinaryTag
	OtherTag // an explicit tag other than these
)

// TagNames maps each Tag to its short name, OtherTag to "".
var TagNames = [...]string{
	"!!str", "!!null", "!!bool", "!!int", "!!float", "!!timestamp",
	"!!merge", "!!binary", "",
}

// ParseTag returns the Tag for a tag as written in a document, such as "!!int".
func ParseTag(written string) Tag {
	for i, name := range TagNames {
		if name != "" && written == name {
			return Tag(i)
		}
	}
	return OtherTag
}

// Style is the way a value is written.
type Style uint8

// The styles.
const (
	NoStyle     Style = iota // list item: it has no key; scalar: no text, which means null
	PlainStyle               // block maps and lists as well
	SingleStyle              // 'quoted'
	DoubleStyle              // "quoted"
	LiteralStyle
	FoldedStyle
	FlowStyle // {a: b} and [a, b]
)
