package exchange

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/strict"
)

// kinds are the fields of a list element that hold the entity that it is about, in the order of
// preference: the element of a revision also has its unit. A kind that is "" is not supported.
func kinds() []struct {
	field string
	kind  entity.Kind
} {
	return []struct {
		field string
		kind  entity.Kind
	}{
		{"Link", entity.KindLink},
		{"Revision", ""},
		{"Mutation", ""},
		{"UnitAction", ""},
		{"UnitEvent", ""},
		{"Trigger", ""},
		{"View", ""},
		{"Unit", entity.KindUnit},
		{"Invocation", entity.KindInvocation},
		{"Filter", entity.KindFilter},
		{"ChangeSet", ""},
		{"Target", ""},
		{"BridgeWorker", ""},
		{"Worker", ""},
		{"Tag", ""},
		{"Attestation", ""},
		{"Space", entity.KindSpace},
	}
}

// order is the position of a kind in a set.
func order(k entity.Kind) int {
	return slices.Index([]entity.Kind{
		entity.KindSpace, entity.KindUnit, entity.KindInvocation, entity.KindFilter,
		entity.KindLink,
	}, k)
}

// Read reads texts in JSON or YAML: an object, a list, or several documents. The error is of the
// type entity.Errors and has everything that is wrong.
func Read(texts []entity.Text) (*Set, error) {
	r := &reader{set: &Set{
		Spaces: map[string]*entity.Space{}, Units: map[string]string{},
		Unsupported: map[string]int{},
	}}
	var problems entity.Errors
	for _, text := range texts {
		r.Reader = strict.Reader{File: text.File}
		for _, part := range parts(text.Bytes) {
			r.Locate = func(at api.Position) api.Position {
				if at.Line > 0 {
					at.Line += part.line
				}
				return at
			}
			r.document(part.bytes)
		}
		problems = append(problems, entity.Problems(&r.Reader)...)
	}
	for _, o := range r.set.Objects {
		if o.SpaceSlug != "" {
			continue
		}
		if s := r.set.Spaces[o.SpaceID]; s != nil {
			o.SpaceSlug = s.Slug
		}
	}
	slices.SortStableFunc(r.set.Objects, func(a, b *Object) int {
		return cmp.Compare(order(a.Kind), order(b.Kind))
	})
	return r.set, problems.Err()
}

// part is one of several JSON texts one after another, as several commands print them.
type part struct {
	bytes []byte
	line  int // lines before it
}

// parts returns the JSON texts in a text, or the text itself if it is something else.
func parts(text []byte) []part {
	var all []part
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var one json.RawMessage
		err := d.Decode(&one)
		if errors.Is(err, io.EOF) && len(all) > 1 {
			return all
		}
		if err != nil {
			return []part{{text, 0}}
		}
		begin := d.InputOffset() - int64(len(one))
		line := bytes.Count(text[:begin], []byte("\n"))
		// The columns of the first line stay right.
		indent := begin - 1 - int64(bytes.LastIndexByte(text[:begin], '\n'))
		all = append(all, part{slices.Concat(bytes.Repeat([]byte(" "), int(indent)), one), line})
	}
}

type reader struct {
	strict.Reader // of the text that is read
	set           *Set
}

// document reads one text.
func (r *reader) document(text []byte) {
	before := r.Count()
	docs := r.Documents(text)
	for _, v := range docs {
		if v.Kind() != gaby.List {
			r.element(v)
			continue
		}
		for item := range v.List() {
			r.element(item)
		}
	}
	if len(docs) == 0 && r.Count() == before {
		r.Report(gaby.Position{}, inputHint, "the text is empty").Kind = strict.Syntax
	}
}

// inputHint says what can be read.
const inputHint = "for example the output of 'cub unit list -o json'"

// element reads an element of a list: an entity in a field of its kind, or an entity itself.
func (r *reader) element(v strict.Value) {
	fields, ok := v.Data().(map[string]any)
	if v.Kind() != gaby.Map || !ok {
		v.Path = "an entity"
		v.Must("a map", "").Kind = strict.Type
		return
	}
	for _, k := range kinds() {
		inner, ok := fields[k.field].(map[string]any)
		if !ok {
			continue
		}
		r.mentioned(fields)
		if k.kind == "" {
			r.set.Unsupported[k.field]++
			return
		}
		r.object(v, k.kind, k.field, inner)
		return
	}
	kind, field := flatKind(fields)
	switch {
	case kind != "":
		r.object(v, kind, field, fields)
	case field != "":
		r.set.Unsupported[field]++
	default:
		v.Fail(inputHint, "the object is neither a space, a unit, a link, an invocation nor a "+
			"filter").Kind = strict.Unknown
	}
}

// flatKind returns the kind of an entity that is not in a field of its kind, as fctl prints it.
func flatKind(fields map[string]any) (entity.Kind, string) {
	if name, ok := fields["EntityType"].(string); ok {
		for _, k := range kinds() {
			if k.field == name {
				return k.kind, name
			}
		}
		return "", name
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return fields[name] != nil })
	}
	switch {
	case has("LinkID", "FromUnitID", "FromUnit"):
		return entity.KindLink, "Link"
	case has("InvocationID", "FunctionName"):
		return entity.KindInvocation, "Invocation"
	case has("FilterID", "From"):
		return entity.KindFilter, "Filter"
	case has("UnitID", "ToolchainType"):
		return entity.KindUnit, "Unit"
	case has("SpaceID"):
		return entity.KindSpace, "Space"
	}
	return "", ""
}

// mentioned records the spaces and units beside an entity.
func (r *reader) mentioned(fields map[string]any) {
	for _, name := range []string{"Space", "ToSpace", "UpstreamSpace"} {
		if s := (&entity.Space{}); decode(fields[name], s) == nil && s.Slug != "" {
			if id := known(s.SpaceID); id != "" && r.set.Spaces[id] == nil {
				s.SpaceSlug = s.Slug
				r.set.Spaces[id] = s
			}
		}
	}
	for _, name := range []string{"FromUnit", "ToUnit", "UpstreamUnit"} {
		u := &entity.Unit{}
		if decode(fields[name], u) != nil || u.Slug == "" {
			continue
		}
		space := u.SpaceSlug
		if s := r.set.Spaces[u.SpaceID]; space == "" && s != nil {
			space = s.Slug
		}
		if id := known(u.UnitID); id != "" && space != "" {
			r.set.Units[id] = space + "/" + u.Slug
		}
	}
}

// decode reads a generic value into an entity. A missing value is not an error.
func decode(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// object reads an entity.
func (r *reader) object(v strict.Value, kind entity.Kind, field string, fields map[string]any) {
	o := &Object{Kind: kind, Pos: v.InFile()}
	var to any
	var id *string
	var c *entity.Common
	switch kind {
	case entity.KindSpace:
		o.Space = &entity.Space{}
		to, id, c = o.Space, &o.Space.SpaceID, &o.Space.Common
	case entity.KindUnit:
		o.Unit = &Unit{}
		to, id, c = o.Unit, &o.Unit.UnitID, &o.Unit.Common
	case entity.KindInvocation:
		o.Invocation = &entity.Invocation{}
		to, id, c = o.Invocation, &o.Invocation.InvocationID, &o.Invocation.Common
	case entity.KindFilter:
		o.Filter = &entity.Filter{}
		to, id, c = o.Filter, &o.Filter.FilterID, &o.Filter.Common
	default:
		o.Link = &entity.Link{}
		to, id, c = o.Link, &o.Link.LinkID, &o.Link.Common
	}
	for _, name := range []string{"Data", "LiveState"} {
		text, _ := fields[name].(string)
		if _, err := base64.StdEncoding.DecodeString(text); err != nil && o.Unit != nil {
			v.Fail("cub and 'fctl export' print it in base64",
				"%s of the unit %v is not base64", name, fields["Slug"])
			return
		}
	}
	if err := decode(fields, to); err != nil {
		text := err.Error()
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			name := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
			text = name + ": " + wrong.Value + " is not expected"
		}
		v.Fail("", "%s %v: %s", field, fields["Slug"], text).Kind = strict.Type
		return
	}
	o.finish(fields)
	o.ID, o.Slug, o.SpaceID, o.SpaceSlug = known(*id), c.Slug, known(c.SpaceID), c.SpaceSlug
	if o.Slug == "" {
		v.Fail("", "the %s has no Slug", kind).Code = string(entity.CodeSlug)
		return
	}
	if o.Space != nil {
		o.SpaceID, o.SpaceSlug = o.ID, o.Slug
		if o.ID != "" {
			r.set.Spaces[o.ID] = o.Space
		}
	}
	o.Left = left(field, fields, to)
	r.set.Objects = append(r.set.Objects, o)
}

// finish sets what the types of entities do not say.
func (o *Object) finish(fields map[string]any) {
	switch {
	case o.Unit != nil:
		o.Unit.HasData = fields["Data"] != nil
		o.Unit.UpstreamUnitID = known(o.Unit.UpstreamUnitID)
	case o.Invocation != nil:
		entity.Whole(o.Invocation.Arguments)
		o.Invocation.BridgeWorkerID = known(o.Invocation.BridgeWorkerID)
	case o.Filter != nil:
		text, _ := fields["FromSpaceID"].(string)
		o.FilterSpaceID = known(text)
	case o.Link != nil:
		l := o.Link
		_, o.Stated = fields["AutoUpdate"]
		l.FromUnitID, l.ToUnitID = known(l.FromUnitID), known(l.ToUnitID)
		l.ToSpaceID = known(l.ToSpaceID)
		l.TransformInvocationID = known(l.TransformInvocationID)
		for i := range l.UpstreamGetters {
			entity.Whole(l.UpstreamGetters[i].FunctionInvocation.Arguments)
		}
		for i := range l.DownstreamSetters {
			entity.Whole(l.DownstreamSetters[i].FunctionInvocation.Arguments)
		}
	}
}

// derived are the fields that each system makes itself.
func derived() []string {
	return []string{
		"EntityType", "OrganizationID", "CreatedAt", "UpdatedAt", "Version", "DataHash",
		"DataSize", "LiveStateSize", "HeadRevisionNum", "HeadRevisionID", "HeadMutationNum",
		"HeadUnitActionNum", "NeededPaths", "ProvidedPaths", "Hash", "SpaceSlug",
		"ResourceNameStableCore", "FromSpaceID",
	}
}

// left returns the fields of an object with a value that the entity read from it does not have.
func left(name string, fields map[string]any, read any) []string {
	var kept any
	if err := decode(read, &kept); err != nil {
		return nil
	}
	missing := map[string]bool{}
	compare(name, fields, kept, missing)
	return slices.Sorted(maps.Keys(missing))
}

func compare(path string, from, kept any, missing map[string]bool) {
	switch v := from.(type) {
	case map[string]any:
		k, ok := kept.(map[string]any)
		if !ok {
			missing[path] = !isEmpty(v)
			break
		}
		for name, value := range v {
			if !isEmpty(value) && !slices.Contains(derived(), name) {
				compare(path+"."+name, value, k[name], missing)
			}
		}
	case []any:
		k, _ := kept.([]any)
		for i, item := range v {
			if i < len(k) {
				compare(path, item, k[i], missing)
			} else {
				missing[path] = true
			}
		}
	default:
		if kept == nil && !isEmpty(v) {
			missing[path] = true
		}
	}
	if !missing[path] {
		delete(missing, path)
	}
}

// isEmpty reports whether a value says nothing.
func isEmpty(v any) bool {
	switch t := v.(type) {
	case nil:
		return true
	case string:
		return known(t) == ""
	case bool:
		return !t
	case int:
		return t == 0
	case float64:
		return t == 0
	case []any:
		return len(t) == 0
	case map[string]any:
		for _, value := range t {
			if !isEmpty(value) {
				return false
			}
		}
		return true
	}
	return false
}
