package scalar

import "unsafe"

// View returns b as a string without a copy. It is only for source text, which nobody modifies, and for bytes made by decoding.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
