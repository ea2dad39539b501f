package scalar

// The classes of bytes, as bits, that the scanning loops test for.
const (
	StopsFlow   = 1 << iota // may end a plain scalar in flow context
	NotPlain                // cannot begin a plain scalar
	ControlByte             // never allowed
	ReturnByte              // carriage return
	HighByte                // not ASCII
	// EndsContent, at the beginning of a line's text: not content, or for the general scanner.
	EndsContent
	EndsKey // follows the colon of an ordinary key
)

// Class maps each byte to its classes.
var Class = classes()

// classes returns the table. It is computed because init is not allowed and a literal of 256
// entries hides which bytes belong to which class.
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
	// Line feeds and tabs are the control bytes that a document may have; carriage returns need a
	// look at what follows them.
	for _, b := range "\n\t" {
		class[b] &^= ControlByte
	}
	class['\r'] = class['\r']&^ControlByte | ReturnByte
	return class
}

// IsBlank reports whether b is a space or a tab.
func IsBlank(b byte) bool { return b == ' ' || b == '\t' }

// IsNameByte reports whether b is an ASCII letter, a digit, '-' or '_'.
func IsNameByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' ||
		b == '-'
}

// TrimBlanks returns the offset at which src[from:to] ends without its trailing spaces, tabs and
// carriage returns.
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
