package generic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// creation decides for a setter without a resource type which missing values it may create: those
// that the schema of the type has. A setter of spec.replicas must not add spec to a ConfigMap. In
// several resources of a type without a schema it also looks at what others have.
type creation struct {
	typeKnowledge
	call    *handler.Call
	asked   string                    // the path
	element string                    // the segment below it that looks up an element, or ""
	blocks  bool                      // the resources are blocks, which have addresses
	skipped int                       // resources whose schema does not have the path
	unseen  int                       // resources without a schema that are skipped
	blocked int                       // resources in which a value above cannot hold it
	reached int                       // resources in which the path leads to a value, or to its place
	visited *gaby.YamlDoc             // the last of them
	absent  int                       // resources in which a list or element above is missing
	last    *gaby.YamlDoc             // the last skipped one
	created int                       // values that may be created
	known   bool                      // a schema has the field
	seen    map[api.ResourceType]bool // types of skipped resources
	meant   string                    // the path that is nearest to the path
	at      int                       // the segment in which they differ
	named   bool                      // the user names the type, so all values may be created
	refused error                     // why the path is wrong
	// respelled says that meant is the same path in another spelling.
	respelled bool
}

// newCreation returns the rules for missing values. If the user names the type, or gives --upsert,
// every value may be created.
func newCreation(
	call *handler.Call, provider configkit.ResourceProvider, t api.ResourceType, path string,
) *creation {
	fields, _ := provider.(yamlpath.FieldProvider)
	_, blocks := provider.(configkit.BlockProvider)
	c := &creation{
		typeKnowledge: typeKnowledge{fields: fields}, call: call, blocks: blocks, asked: path,
		named: t != api.ResourceTypeAny, seen: map[api.ResourceType]bool{}, at: -1,
	}
	if !c.named {
		c.surveyed = handler.SurveyOf(call.FunctionContext)
		c.named = c.surveyed == nil
	}
	return c
}

// SurveysPath returns the Surveys of the registration of a setter with a path, such as one that
// calls SetText: it looks at resources whose types have no schema that says something about the
// path.
func SurveysPath(
	provider configkit.ResourceProvider,
) func([]api.FunctionArgument) func(api.ResourceType) bool {
	return func(args []api.FunctionArgument) func(api.ResourceType) bool {
		if resourceTypeOf(args) != api.ResourceTypeAny {
			return nil
		}
		return surveys(provider, handler.Arguments(args).String(parameterPath))
	}
}

// surveys returns the result of a Surveys for the paths at which values of any type are set.
func surveys(provider configkit.ResourceProvider, texts ...string) func(api.ResourceType) bool {
	var paths []*yamlpath.Path
	for _, text := range texts {
		if path, err := yamlpath.Parse(text); err == nil {
			paths = append(paths, path)
		}
	}
	if paths == nil {
		return nil
	}
	fields, ok := provider.(yamlpath.FieldProvider)
	return func(t api.ResourceType) bool {
		return !ok || slices.ContainsFunc(paths, func(path *yamlpath.Path) bool {
			return !fields.Field(t, path).Known
		})
	}
}

// option returns the function for the options of an edit, or nil.
func (c *creation) option() func(*yamlkit.Match) bool {
	if c == nil {
		return nil
	}
	return c.may
}

// wanted returns the Wanted of the options of an edit, or nil.
func (c *creation) wanted() func(*yamlkit.Match) bool {
	if c == nil {
		return nil
	}
	return c.reach
}

// reach counts the resource of a match. All matches are wanted.
func (c *creation) reach(p *yamlkit.Match) bool {
	if c.visited != p.Doc {
		c.visited = p.Doc
		c.reached++
	}
	return true
}

// may reports whether a missing value may be created.
func (c *creation) may(p *yamlkit.Match) bool {
	c.reach(p)
	t := p.Resource.ResourceType
	field := c.field(p.Doc, t, p.Segments)
	has := field.Missing < 0 || p.Doc.Exists(p.Segments[:field.Missing+1]...)
	if isBlocked(p.Doc, p.Segments) && (!c.several() || !field.Known || has) {
		return !c.leaves(p) // creating it is an error
	}
	if !field.Known {
		return c.mayAdd(p)
	}
	if has {
		c.created++
		c.known = true
		return true
	}
	if c.last != p.Doc {
		c.last = p.Doc
		c.skipped++
	}
	defer func() { c.seen[t] = true }()
	if c.named {
		if c.refused == nil && !strings.Contains(c.asked, "@") { // @key:name is the key itself
			c.refuse(cmp.Or(respelled(c.fields, t, p.Segments, field.Missing),
				separated(p, field.Missing)))
		}
		if !c.seen[t] && field.Missing > c.at {
			c.suggest(string(p.Path()), &field)
		}
		return c.refused == nil
	}
	if c.seen[t] || c.respelled {
		return false
	}
	spelled := respelled(c.fields, t, p.Segments, field.Missing)
	if c.respelled = spelled != ""; c.respelled {
		c.meant = spelled
	} else if field.Missing > c.at {
		c.suggest(string(p.Path()), &field)
	}
	return false
}

// leaves reports whether a resource stays as it is because a value above the missing one cannot
// hold it. If it is the only resource, the mistake is reported.
func (c *creation) leaves(p *yamlkit.Match) bool {
	if c == nil || !c.several() {
		return false
	}
	if c.last != p.Doc {
		c.last = p.Doc
		c.blocked++
	}
	return true
}

// mayAdd reports whether a missing value may be created of which no schema says anything. In
// several resources, one of the type must have it, and this one what is above it.
func (c *creation) mayAdd(p *yamlkit.Match) bool {
	if c.blocks && c.isAddress(p) {
		return false
	}
	if c.othersHave(p.Doc, p.Resource.ResourceType, p.Segments, c.element) {
		c.created++
		return true
	}
	if c.last != p.Doc {
		c.last = p.Doc
		c.unseen++
	}
	return false
}

// mayAppend reports whether an element that a path looks up may be added to a present list.
func (c *creation) mayAppend(p *yamlkit.Match) bool {
	return c == nil || c.named ||
		c.field(p.Doc, p.Resource.ResourceType, p.Segments).Known || c.mayAdd(p)
}

// isAddress reports whether the path begins with the address of the block of a match, or of another
// resource of its provider, and refuses such a path.
func (c *creation) isAddress(p *yamlkit.Match) bool {
	t, name := string(p.Resource.ResourceType), string(p.Resource.ResourceName)
	for _, address := range []string{
		t + "." + name, "resource." + t + "." + name, "data." + t + "." + name, "var." + name,
	} {
		within, ok := strings.CutPrefix(c.asked+".", address+".")
		if ok && (!strings.HasPrefix(address, "var.") || t == "variable") {
			c.refuseAddress(t, name, strings.TrimSuffix(within, "."))
			return true
		}
	}
	words := strings.SplitN(
		strings.TrimPrefix(strings.TrimPrefix(c.asked, "resource."), "data."), ".", 3,
	)
	provider, _, ok := strings.Cut(t, "_")
	if !ok || len(words) < 3 || !strings.HasPrefix(words[0], provider+"_") {
		return false
	}
	c.refuseAddress(words[0], words[1], words[2])
	return true
}

// refuseAddress records that a path begins with the address of a block. within is the path in the
// block.
func (c *creation) refuseAddress(t, name, within string) {
	hint := fmt.Sprintf("--kind %s --name %s selects the block", t, name)
	if within != "" {
		hint += ", in which the path is " + within
	}
	c.refused = handler.InvalidArgument(parameterPath,
		"path %s: a path begins within a block, not with its address",
		configkit.Abbreviate(c.asked)).WithHint(hint)
}

// refuse records that a path is written in the notation of another tool, unless meant is "".
func (c *creation) refuse(meant string) {
	if meant != "" {
		c.refused = handler.InvalidArgument(
			parameterPath, "%w", yamlpath.OtherNotation(c.asked, meant),
		)
	}
}

// separated returns the path that is meant by one with slashes or brackets between its keys, or "".
// No field of a type has such a name.
func separated(p *yamlkit.Match, missing int) string {
	words := yamlpath.Separated(p.Segments[missing])
	if words == nil {
		return ""
	}
	return string(yamlpath.Join(
		slices.Concat(p.Segments[:missing], words, p.Segments[missing+1:])))
}

// respelled returns how to write a path that a type does not have from segment missing on, if the
// type has it in another spelling: with dots in place of slashes or brackets between the keys, or
// with ~1 in place of the dots in the last key. It returns "" without one.
func respelled(
	fields yamlpath.FieldProvider, t api.ResourceType, segments []string, missing int,
) string {
	var spellings [][]string
	if words := yamlpath.Separated(segments[missing]); words != nil {
		spellings = append(spellings, slices.Concat(segments[:missing], words,
			segments[missing+1:]))
	}
	if missing >= 2 {
		spellings = append(spellings, append(slices.Clone(segments[:missing-1]),
			strings.Join(segments[missing-1:], ".")))
	}
	for _, meant := range spellings {
		if field := fields.Field(t, yamlpath.Exactly(meant)); field.Known && field.Missing < 0 {
			return string(yamlpath.Join(meant))
		}
	}
	return ""
}

// creationOfPath returns what calls newCreation for the path in the arguments of a function.
func creationOfPath(provider configkit.ResourceProvider) func(c *handler.Call) *creation {
	return func(c *handler.Call) *creation {
		return newCreation(c, provider, resourceTypeOf(c.Args), c.Args.String(parameterPath))
	}
}

// end makes the notes about a call of a function with a path and adds to its result what is wrong
// with the path.
func (c *creation) end(
	call *handler.Call, provider configkit.ResourceProvider, matches int, err error,
) (int, error) {
	near := nearest(call, matches, queryOf(provider, call.Args), nil, provider)
	if c != nil && resourceTypeOf(call.Args) == api.ResourceTypeAny && hasElements(c.asked) {
		c.absent = len(call.Docs) - c.reached
	}
	c.report(matches, near)
	return matches, cmp.Or(err, c.check())
}

// hasElements reports whether a path leads into lists or to all entries of maps. Of other paths it
// is always known whether a value is missing.
func hasElements(text string) bool {
	path, err := yamlpath.Parse(text)
	return err == nil && slices.ContainsFunc(path.Segments(), func(s yamlpath.Segment) bool {
		_, isKey := s.MapKey()
		return !isKey || s.Index >= 0
	})
}

// check returns an error if the path is wrong.
func (c *creation) check() error {
	if c == nil {
		return nil
	}
	return c.refused
}

// suggest records which field may be meant by a path to one that the type does not have.
func (c *creation) suggest(path string, field *yamlpath.Field) {
	words := strings.Split(path, ".")
	for _, key := range configkit.Suggest(yamlpath.Unescape(words[field.Missing]), field.Keys) {
		words[field.Missing] = yamlpath.Escape(key)
		c.meant, c.at = strings.Join(words, "."), field.Missing
		return
	}
}

// report notes the skipped resources. If no type is known to have the field, it says which one may
// be meant. near is a path of the resources that may be meant, "" for none.
func (c *creation) report(matches int, near string) {
	if c == nil || c.refused != nil {
		return
	}
	path := configkit.Abbreviate(c.asked)
	if c.blocked > 0 {
		c.noteSkipped(c.blocked, ": a value above "+path+" cannot hold it")
	}
	if c.unseen > 0 {
		message := ": " + path + " is missing, and no schema has it"
		if near == "" { // else it is probably misspelled
			message += " (fctl do --upsert creates it)"
		}
		c.noteSkipped(c.unseen, message)
	}
	if c.absent > 0 {
		c.noteSkipped(c.absent, " without the list or element in "+path)
	}
	if c.skipped == 0 {
		return
	}
	meant := c.meant
	if c.named {
		message := "the type has no field " + configkit.Abbreviate(c.asked)
		if meant != "" {
			message += "; " + configkit.DidYouMean("", []string{meant})
		}
		c.call.NoteOnce(message)
		return
	}
	if c.known || matches > c.created {
		meant = "" // the field exists
	}
	if meant != "" && matches == 0 {
		c.call.Nearest(meant)
		return
	}
	message := ": the schema has no " + path
	if meant != "" {
		message += " (" + configkit.DidYouMean("", []string{meant}) + ")"
	}
	c.noteSkipped(c.skipped, message)
}

// noteSkipped notes that resources are skipped, and why.
func (c *creation) noteSkipped(n int, why string) {
	c.call.NoteSum("skipped ", n, "resource", why)
}

// nearest reports and returns the path that is nearest to paths without a match, "" for none.
func nearest(
	c *handler.Call, matches int, source configkit.PathSource, keys []any,
	provider configkit.ResourceProvider,
) string {
	if matches > 0 {
		return ""
	}
	path := yamlkit.Nearest(c.Docs, source, keys, provider)
	if path == "" && len(keys) == 0 {
		path = otherSpelling(c.Docs, source, provider)
	}
	if path != "" {
		c.Nearest(path)
	}
	return path
}

// maxSpelled is the maximum number of documents that otherSpelling looks at.
const maxSpelled = 100

// otherSpelling returns how to write a path that the types of the documents have in another
// spelling only, or "".
func otherSpelling(
	docs gaby.Container, source configkit.PathSource, provider configkit.ResourceProvider,
) string {
	fields, ok := provider.(yamlpath.FieldProvider)
	if !ok {
		return ""
	}
	for _, doc := range docs[:min(len(docs), maxSpelled)] {
		t, err := provider.ResourceTypeGetter(doc)
		if err != nil {
			continue
		}
		for _, info := range source.PathsOf(t) {
			path, err := yamlpath.Parse(string(info.Path))
			if err != nil {
				return ""
			}
			segments := make([]string, 0, len(path.Segments()))
			for _, s := range path.Segments() {
				key, isKey := s.MapKey()
				if !isKey {
					return ""
				}
				segments = append(segments, key)
			}
			field := fields.Field(t, path)
			if !field.Known || field.Missing < 0 {
				continue
			}
			if spelled := respelled(fields, t, segments, field.Missing); spelled != "" {
				return spelled
			}
		}
	}
	return ""
}
