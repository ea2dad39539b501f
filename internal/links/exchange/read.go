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

// fields are the fields of a list element that hold the entity that it is about, in the order of
// preference: the element of a revision also has its unit.
func fields() []string {
	return []string{
		"Link", "Revision", "Mutation", "UnitAction", "UnitEvent", "Trigger", "View", "Unit",
		"Invocation", "Filter", "ChangeSet", "Target", "BridgeWorker", "Worker", "Tag",
		"Attestation", "Space",
	}
}

// kindOf returns the kind of the entity in a field, "" if it is not supported.
func kindOf(field string) entity.Kind {
	if kind := entity.Kind(strings.ToLower(field)); slices.Contains(Kinds(), kind) {
		return kind
	}
	return ""
}

// order is the position of a kind in a set.
func order(k entity.Kind) int {
	return slices.Index(Kinds(), k)
}

// Kinds returns the kinds of entities such that each follows those that it refers to.
func Kinds() []entity.Kind {
	return []entity.Kind{
		entity.KindSpace, entity.KindUnit, entity.KindInvocation, entity.KindFilter,
		entity.KindLink,
	}
}

// Read reads texts in JSON or YAML: an object, a list, or several documents. The error is of the
// type entity.Errors and has everything that is wrong.
func Read(texts []entity.Text) (*Content, error) {
	r := &foreignReader{set: &Content{
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
	slices.SortStableFunc(r.set.Objects, func(a, b *Foreign) int {
		return cmp.Compare(order(a.Kind()), order(b.Kind()))
	})
	return r.set, problems.Err()
}

// jsonText is one of several JSON texts one after another, as several commands print them.
type jsonText struct {
	bytes []byte
	line  int // lines before it
}

// parts returns the JSON texts in a text, or the text itself if it is something else.
func parts(text []byte) []jsonText {
	var all []jsonText
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var one json.RawMessage
		err := d.Decode(&one)
		if errors.Is(err, io.EOF) && len(all) > 1 {
			return all
		}
		if err != nil {
			return []jsonText{{text, 0}}
		}
		begin := d.InputOffset() - int64(len(one))
		line := bytes.Count(text[:begin], []byte("\n"))
		// The columns of the first line stay right.
		indent := begin - 1 - int64(bytes.LastIndexByte(text[:begin], '\n'))
		all = append(all, jsonText{slices.Concat(bytes.Repeat([]byte(" "), int(indent)), one), line})
	}
}

type foreignReader struct {
	strict.Reader // of the text that is read
	set           *Content
}

// document reads one text.
func (r *foreignReader) document(text []byte) {
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
func (r *foreignReader) element(v strict.Value) {
	all, ok := v.Data().(map[string]any)
	if v.Kind() != gaby.Map || !ok {
		v.Path = "an entity"
		v.Must("a map", "").Kind = strict.Type
		return
	}
	field, inner := flatKind(all), all
	for _, name := range fields() {
		if found, ok := all[name].(map[string]any); ok {
			r.mentioned(all)
			field, inner = name, found
			break
		}
	}
	switch kind := kindOf(field); {
	case kind != "":
		r.object(v, kind, field, inner)
	case field != "":
		r.set.Unsupported[field]++
	default:
		v.Fail(inputHint, "the object is neither a space, a unit, a link, an invocation nor a "+
			"filter").Kind = strict.Unknown
	}
}

// flatKind returns the kind of an entity that is not in a field of its kind, as fctl prints it.
func flatKind(fields map[string]any) string {
	if name, ok := fields["EntityType"].(string); ok {
		return name
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return fields[name] != nil })
	}
	switch {
	case has("LinkID", "FromUnitID", "FromUnit"):
		return "Link"
	case has("InvocationID", "FunctionName"):
		return "Invocation"
	case has("FilterID", "From"):
		return "Filter"
	case has("UnitID", "ToolchainType"):
		return "Unit"
	case has("SpaceID"):
		return "Space"
	}
	return ""
}

// mentioned records the spaces and units beside an entity.
func (r *foreignReader) mentioned(fields map[string]any) {
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
func (r *foreignReader) object(v strict.Value, kind entity.Kind, field string, fields map[string]any) {
	o := &Foreign{Entity: entity.New(kind), Pos: v.InFile()}
	if kind == entity.KindUnit {
		o.HasData = fields["Data"] != nil
		for name, to := range map[string]*[]byte{"Data": &o.Data, "LiveState": &o.LiveState} {
			text, _ := fields[name].(string)
			delete(fields, name)
			var err error
			if *to, err = base64.StdEncoding.DecodeString(text); err != nil {
				v.Fail("cub and 'fctl export' print it in base64",
					"%s of the unit %v is not base64", name, fields["Slug"])
				return
			}
		}
	}
	if err := decode(fields, o.Entity); err != nil {
		text := err.Error()
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			name := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
			text = name + ": " + wrong.Value + " is not expected"
		}
		v.Fail("", "%s %v: %s", field, fields["Slug"], text).Kind = strict.Type
		return
	}
	o.finish(fields)
	c := o.Base()
	o.ID, o.SpaceID, o.SpaceSlug = known(*o.Ident()), known(c.SpaceID), c.SpaceSlug
	if c.Slug == "" {
		v.Fail("", "the %s has no Slug", kind).Code = string(entity.CodeSlug)
		return
	}
	if space, ok := o.Entity.(*entity.Space); ok {
		o.SpaceID, o.SpaceSlug = o.ID, c.Slug
		if o.ID != "" {
			r.set.Spaces[o.ID] = space
		}
	}
	o.Left = left(field, fields, o.Entity)
	r.set.Objects = append(r.set.Objects, o)
}

// finish sets what the types of entities do not say.
func (o *Foreign) finish(fields map[string]any) {
	unzero := func(ids ...*string) {
		for _, id := range ids {
			*id = known(*id)
		}
	}
	switch e := o.Entity.(type) {
	case *entity.Unit:
		unzero(&e.UpstreamUnitID)
	case *entity.Invocation:
		entity.Whole(e.Arguments)
		unzero(&e.BridgeWorkerID)
	case *entity.Filter:
		o.FilterSpaceID, _ = fields["FromSpaceID"].(string)
		unzero(&o.FilterSpaceID)
	case *entity.Link:
		_, e.Stated = fields["AutoUpdate"]
		unzero(&e.FromUnitID, &e.ToUnitID, &e.ToSpaceID, &e.TransformInvocationID)
		for i := range e.UpstreamGetters {
			entity.Whole(e.UpstreamGetters[i].FunctionInvocation.Arguments)
		}
		for i := range e.DownstreamSetters {
			entity.Whole(e.DownstreamSetters[i].FunctionInvocation.Arguments)
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
