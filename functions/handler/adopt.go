package handler

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Adopt replaces the functions by those with some signatures, as Signatures of another handler returns
// them. A function with the same signature stays. The others can be described, and their arguments
// checked, but they run only where they come from.
func (h *FunctionHandler) Adopt(signatures []api.FunctionSignature) {
	adopted := make(map[string]*function, len(signatures))
	registrations := map[string]*FunctionRegistration{}
	for _, s := range signatures {
		name := s.FunctionName
		if own, known := h.functions[name]; known && sameSignature(own.signature(), s) {
			adopted[name] = own
			continue
		}
		deprecated := s.Deprecated
		if s.AliasOf != "" {
			s.FunctionName, s.AliasOf, s.Deprecated = s.AliasOf, "", false
		}
		r := registrations[s.FunctionName]
		if r == nil {
			r = &FunctionRegistration{FunctionSignature: s, Function: elsewhere}
			registrations[s.FunctionName] = r
		}
		switch {
		case name == s.FunctionName:
			r.FunctionSignature = s
		case deprecated:
			r.DeprecatedAliases = append(r.DeprecatedAliases, name)
		default:
			r.Aliases = append(r.Aliases, name)
		}
		adopted[name] = &function{
			FunctionRegistration: r, name: name, deprecated: deprecated && name != s.FunctionName,
			patterns: h.patterns, programs: h.programs,
		}
	}
	h.functions = adopted
}

// sameSignature compares signatures, one of which may have been JSON.
func sameSignature(a, b api.FunctionSignature) bool {
	left, err := json.Marshal(a)
	right, wrong := json.Marshal(b)
	return err == nil && wrong == nil && bytes.Equal(left, right)
}

// elsewhere is the body of a function that this program does not have.
func elsewhere(
	*api.FunctionContext, gaby.Container, []api.FunctionArgument, []byte,
) (gaby.Container, any, error) {
	return nil, nil, errors.New("only the server has this function")
}
