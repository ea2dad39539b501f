// Package scalar knows scalars as YAML writes them: the value of a text, the text of a spelling, and the spelling of a text.
//
// Invariants: functions of bytes and strings only; nothing here knows a document. Reading follows go.yaml.in/yaml/v3: the core
// schema of YAML 1.2 with the integers and timestamps of YAML 1.1. A string is written so that readers of both see a string.
package scalar

// Tag is what a scalar resolves to.
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
	OtherTag // an explicit tag that is none of these
)

// TagNames are the short names of the tags.
var TagNames = [...]string{"!!str", "!!null", "!!bool", "!!int", "!!float", "!!timestamp", "!!merge", "!!binary", ""}

// ParseTag returns the tag for one written in the document.
func ParseTag(written string) Tag {
	for i, name := range TagNames {
		if name != "" && written == name {
			return Tag(i)
		}
	}
	return OtherTag
}

// Style is how a value is written.
type Style uint8

// The styles.
const (
	NoStyle     Style = iota // list item: no key; scalar: no text at all, which means null
	PlainStyle               // also block maps and lists
	SingleStyle              // 'quoted'
	DoubleStyle              // "quoted"
	LiteralStyle
	FoldedStyle
	FlowStyle // {a: b} and [a, b]
)
