package entity

import (
	"encoding/base64"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/strict"
)

// Given returns the names of the fields that a definition has, null ones included. It returns none
// of a text that is not a definition.
func Given(text Text) map[string]bool {
	names := map[string]bool{}
	docs, err := gaby.ParseAll(text.Bytes)
	if err != nil {
		return names
	}
	for _, doc := range docs {
		v := doc.Value()
		if v.Kind() != gaby.Map {
			continue
		}
		for entry := v.First(); entry.Exists(); entry = entry.Next() {
			names[entry.Key()] = true
		}
	}
	return names
}

// DecodeUnitBody reads a unit that a user gives. Unlike a definition it may have the data, in
// base64; has reports whether it does.
func DecodeUnitBody(text Text) (u *Unit, data []byte, has bool, err error) {
	u = &Unit{}
	r := newReader(text)
	err = r.read("a unit", append(r.unit(u), strict.Field{Name: "Data", Read: func(v strict.Value) {
		var wrong error
		if data, wrong = base64.StdEncoding.DecodeString(v.Text()); wrong != nil {
			v.Fail("leave it out, and name a file with the data", "Data is not base64")
		}
		has = wrong == nil
	}})...)
	return u, data, has, err
}
