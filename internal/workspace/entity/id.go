package entity

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"
)

// Kind is a kind of entity, as its IDs and messages name it.
type Kind string

// The kinds of entities.
const (
	KindWorkspace  Kind = "workspace"
	KindSpace      Kind = "space"
	KindUnit       Kind = "unit"
	KindLink       Kind = "link"
	KindInvocation Kind = "invocation"
	KindFilter     Kind = "filter"
)

// ID derives the ID of an entity from its names, so that fctl do, which has no files, derives the
// same: the UUID of version 5 of the URL https://fctl.dev/KIND/SPACE/SLUG. try is 0, or counts on
// if another entity, renamed since, has the ID already.
func ID(kind Kind, space, slug string, try int) string {
	if kind == KindUnit {
		slug = strings.ToLower(slug) // as fctl do names units
	}
	url := "https://fctl.dev/" + string(kind) + "/" + space + "/" + slug
	if try > 0 {
		url += "#" + strconv.Itoa(try)
	}
	return urlID(url)
}

// RecordID derives the ID of the n-th revision or mutation of a unit.
func RecordID(unitID, record string, n int64) string {
	return urlID("https://fctl.dev/" + record + "/" + unitID + "/" + strconv.FormatInt(n, 10))
}

// urlID returns the UUID of version 5 (RFC 9562, section 5.5) of a URL.
func urlID(url string) string {
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

// IsID reports whether s has the form of an ID, a UUID in lower case.
func IsID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case (c < '0' || c > '9') && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}
