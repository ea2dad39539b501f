package gaby

type tag uint8

// The short tags a scalar can resolve to.
const (
	strTag tag = iota
	nullTag
	boolTag
	intTag
	floatTag
	timestampTag
	mergeTag
	binaryTag
	otherTag // an explicit tag that is none of these
)

var tagNames = [...]string{"!!str", "!!null", "!!bool", "!!int", "!!float", "!!timestamp", "!!merge", "!!binary", ""}

// explicitTag returns the tag for one written in the document.
func explicitTag(written string) tag {
	for i, name := range tagNames {
		if name != "" && written == name {
			return tag(i)
		}
	}
	return otherTag
}

type style uint8

const (
	noStyle     style = iota // list item: no key; scalar: no text at all, which means null
	plainStyle               // also block maps and lists
	singleStyle              // 'quoted'
	doubleStyle              // "quoted"
	literalStyle
	foldedStyle
	flowStyle // {a: b} and [a, b]
)
