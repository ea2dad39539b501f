package entity

import "github.com/fctl-dev/fctl/configkit/gaby"

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
		for _, entry := range v.All() {
			names[entry.Key()] = true
		}
	}
	return names
}
