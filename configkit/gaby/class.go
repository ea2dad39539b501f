package gaby

// Byte classes of the scanning loops.
const (
	stopsFlow   = 1 << iota // bytes a plain scalar in flow context must look at
	notPlain                // cannot begin a plain scalar
	controlByte             // never allowed
	returnByte              // \r
	highByte                // not ASCII
	endsContent             // at the beginning of a line: no content, or none of the usual kind
	endsKey                 // behind the colon of a key of the usual kind
)

var byteClass = [256]uint8{
	'\n': stopsFlow | notPlain | endsContent | endsKey,
	'\r': notPlain | returnByte | endsContent,
	':':  stopsFlow,
	'#':  stopsFlow | notPlain | endsContent,
	'\t': notPlain | endsContent, ' ': notPlain | endsKey,
	',': stopsFlow | notPlain, '[': stopsFlow | notPlain, ']': stopsFlow | notPlain, '{': stopsFlow | notPlain, '}': stopsFlow | notPlain,
	'?': stopsFlow,
	'&': notPlain, '*': notPlain, '!': notPlain, '|': notPlain, '>': notPlain, '\'': notPlain, '"': notPlain,
	'%': notPlain, '@': notPlain, '`': notPlain,
	0x00: controlByte | notPlain, 0x01: controlByte, 0x02: controlByte, 0x03: controlByte, 0x04: controlByte, 0x05: controlByte, 0x06: controlByte, 0x07: controlByte,
	0x08: controlByte, 0x0b: controlByte, 0x0c: controlByte, 0x0e: controlByte, 0x0f: controlByte, 0x10: controlByte, 0x11: controlByte, 0x12: controlByte,
	0x13: controlByte, 0x14: controlByte, 0x15: controlByte, 0x16: controlByte, 0x17: controlByte, 0x18: controlByte, 0x19: controlByte, 0x1a: controlByte,
	0x1b: controlByte, 0x1c: controlByte, 0x1d: controlByte, 0x1e: controlByte, 0x1f: controlByte, 0x7f: controlByte,
	0x80: highByte, 0x81: highByte, 0x82: highByte, 0x83: highByte, 0x84: highByte, 0x85: highByte, 0x86: highByte, 0x87: highByte,
	0x88: highByte, 0x89: highByte, 0x8a: highByte, 0x8b: highByte, 0x8c: highByte, 0x8d: highByte, 0x8e: highByte, 0x8f: highByte,
	0x90: highByte, 0x91: highByte, 0x92: highByte, 0x93: highByte, 0x94: highByte, 0x95: highByte, 0x96: highByte, 0x97: highByte,
	0x98: highByte, 0x99: highByte, 0x9a: highByte, 0x9b: highByte, 0x9c: highByte, 0x9d: highByte, 0x9e: highByte, 0x9f: highByte,
	0xa0: highByte, 0xa1: highByte, 0xa2: highByte, 0xa3: highByte, 0xa4: highByte, 0xa5: highByte, 0xa6: highByte, 0xa7: highByte,
	0xa8: highByte, 0xa9: highByte, 0xaa: highByte, 0xab: highByte, 0xac: highByte, 0xad: highByte, 0xae: highByte, 0xaf: highByte,
	0xb0: highByte, 0xb1: highByte, 0xb2: highByte, 0xb3: highByte, 0xb4: highByte, 0xb5: highByte, 0xb6: highByte, 0xb7: highByte,
	0xb8: highByte, 0xb9: highByte, 0xba: highByte, 0xbb: highByte, 0xbc: highByte, 0xbd: highByte, 0xbe: highByte, 0xbf: highByte,
	0xc0: highByte, 0xc1: highByte, 0xc2: highByte, 0xc3: highByte, 0xc4: highByte, 0xc5: highByte, 0xc6: highByte, 0xc7: highByte,
	0xc8: highByte, 0xc9: highByte, 0xca: highByte, 0xcb: highByte, 0xcc: highByte, 0xcd: highByte, 0xce: highByte, 0xcf: highByte,
	0xd0: highByte, 0xd1: highByte, 0xd2: highByte, 0xd3: highByte, 0xd4: highByte, 0xd5: highByte, 0xd6: highByte, 0xd7: highByte,
	0xd8: highByte, 0xd9: highByte, 0xda: highByte, 0xdb: highByte, 0xdc: highByte, 0xdd: highByte, 0xde: highByte, 0xdf: highByte,
	0xe0: highByte, 0xe1: highByte, 0xe2: highByte, 0xe3: highByte, 0xe4: highByte, 0xe5: highByte, 0xe6: highByte, 0xe7: highByte,
	0xe8: highByte, 0xe9: highByte, 0xea: highByte, 0xeb: highByte, 0xec: highByte, 0xed: highByte, 0xee: highByte, 0xef: highByte,
	0xf0: highByte, 0xf1: highByte, 0xf2: highByte, 0xf3: highByte, 0xf4: highByte, 0xf5: highByte, 0xf6: highByte, 0xf7: highByte,
	0xf8: highByte, 0xf9: highByte, 0xfa: highByte, 0xfb: highByte, 0xfc: highByte, 0xfd: highByte, 0xfe: highByte, 0xff: highByte,
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

func isNameByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-'
}
