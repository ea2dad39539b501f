package entity

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/internal/urlid"
)

// Kind is a kind of entity, as its IDs and messages name it.
type Kind string

// The kinds of entities.
const (
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
	return urlid.Of(url)
}

// RecordID derives the ID of the n-th revision or mutation of a unit.
func RecordID(unitID, record string, n int64) string {
	return urlid.Of("https://fctl.dev/" + record + "/" + unitID + "/" + strconv.FormatInt(n, 10))
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
