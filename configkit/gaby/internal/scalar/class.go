package scalar

// The classes of bytes that scanning loops look at.
const (
	StopsFlow   = 1 << iota // bytes a plain scalar in flow context must look at
	NotPlain                // cannot begin a plain scalar
	ControlByte             // never allowed
	ReturnByte              // \r
	HighByte                // not ASCII
	EndsContent             // at the beginning of a line: no content, or none of the usual kind
	EndsKey                 // after the colon of a key of the usual kind
)

// Class has the classes of each byte as bits.
var Class = classes()

func classes() (class [256]uint8) {
	for b := range class {
		switch {
		case b < ' ' || b == 0x7f:
			class[b] = ControlByte
		case b >= 0x80:
			class[b] = HighByte
		}
	}
	for _, b := range "?:,[]{}#\n" {
		class[b] |= StopsFlow
	}
	for _, b := range "\x00\n\r\t #,[]{}&*!|>'\"%@`" {
		class[b] |= NotPlain
	}
	for _, b := range "\n\r\t#" {
		class[b] |= EndsContent
	}
	for _, b := range "\n " {
		class[b] |= EndsKey
	}
	for _, b := range "\n\t" {
		class[b] &^= ControlByte
	}
	class['\r'] = class['\r']&^ControlByte | ReturnByte
	return class
}

// IsBlank reports whether b is a space or a tab.
func IsBlank(b byte) bool { return b == ' ' || b == '\t' }

// IsNameByte reports whether b is a letter, a digit, - or _.
func IsNameByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-'
}

// TrimBlanks returns the end of src[from:to] without the blanks and carriage return at its end.
func TrimBlanks(src []byte, from, to int) int {
	for to > from {
		switch src[to-1] {
		case ' ', '\t', '\r':
			to--
			continue
		}
		break
	}
	return to
}
