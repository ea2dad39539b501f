package lsp

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// pathOffers returns the paths that an argument of a function in a chain may go on with: the fields
// of the type that the step names, or else of the types of the resources in open files.
func (p *project) pathOffers(executor *functions.Executor, typed string, s spot) (o offers) {
	fields, ok := providerOf(executor).(yamlpath.FieldProvider)
	if !ok || s.key {
		return o
	}
	step := s.stepAround()
	signature, ok := executor.Signature(api.ToolchainKubernetesYAML, step.Get("function").Text())
	if !ok {
		return o
	}
	argument := func(name string) gaby.Value {
		arguments := step.Get("arguments")
		if arguments.Kind() == gaby.Map {
			return arguments.Get(name)
		}
		return arguments.Index(slices.IndexFunc(signature.Parameters,
			func(p api.FunctionParameter) bool { return p.ParameterName == name }))
	}
	if path := argument("path"); !path.Exists() || !slices.Equal(path.Segments(), s.entry.Segments()) {
		return o
	}
	types := []api.ResourceType{api.ResourceType(argument("resource-type").Text())}
	if types[0] == "" || types[0] == api.ResourceTypeAny {
		types = p.openTypes()
	}
	before := typed[:strings.LastIndexByte(typed, '.')+1]
	var above []string
	for segment := range strings.SplitSeq(strings.TrimSuffix(before, "."), ".") {
		if segment == "*" || strings.HasPrefix(segment, "?") { // an element of a list
			segment = "0"
		}
		if segment != "" {
			above = append(above, yamlpath.Unescape(segment))
		}
	}
	for _, t := range types {
		if f := fields.Field(t, yamlpath.Exactly(above)); !f.Known || f.Missing >= 0 {
			continue
		}
		for _, key := range keysOf(fields, t, above).all {
			o.add(before+yamlpath.Escape(key.name), key.about)
		}
	}
	return o
}

// stepAround returns the step of a chain that the spot is in. It is missing if it is in none.
func (s spot) stepAround() gaby.Value {
	at := s.doc.Value()
	for _, segment := range s.path() {
		if at.Kind() == gaby.Map && at.Get("function").Exists() {
			return at
		}
		if i, err := strconv.Atoi(segment); err == nil && at.Kind() == gaby.List {
			at = at.Index(i)
		} else {
			at = at.Get(segment)
		}
	}
	return gaby.Value{}
}

// openTypes returns the types of the resources in open files.
func (p *project) openTypes() []api.ResourceType {
	types := map[api.ResourceType]bool{}
	for _, text := range p.buffers {
		docs, _ := gaby.ParseAll(text) // those before a mistake are returned
		for _, doc := range docs {
			if doc.Check() == nil && doc.Value().Get("kind").Exists() {
				types[typeOf(doc)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(types))
}
