package gaby

import "unsafe"

// view returns b as a string without a copy. It is only for source text, which nobody modifies, and for bytes made by decoding.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
