package scalar

import "unsafe"

// View returns b as a string without copying it. Use it only for source text, which is never
// modified, and for freshly decoded bytes.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
