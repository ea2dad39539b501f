// Package urlid makes IDs that are the same on every machine and in every run.
//
// Layer: base.
package urlid

import (
	"crypto/sha1" //nolint:gosec // RFC 9562 says SHA-1
	"encoding/hex"
)

// Of returns the UUID of version 5 (RFC 9562, section 5.5) of a URL.
func Of(url string) string {
	nameSpaceURL := [...]byte{
		0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00,
		0xc0, 0x4f, 0xd4, 0x30, 0xc8,
	}
	sum := sha1.Sum(append(nameSpaceURL[:], url...)) //nolint:gosec // RFC 9562 says SHA-1
	sum[6] = sum[6]&0x0f | 0x50
	sum[8] = sum[8]&0x3f | 0x80
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
