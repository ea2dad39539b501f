// Package migration knows which APIs Kubernetes has removed, and makes resources of them resources of
// their successors. The knowledge is apis.yaml, whose comment defines its vocabulary; this package
// carries it out.
//
// A manifest keeps its meaning: a default that the successor does not have is written.
//
// Layer: knowledge.
package migration

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/strict"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

//go:embed apis.yaml
var apisText []byte

// API is a removed API.
type API struct {
	Removed Release // first one that does not serve it
	To      string  // apiVersion of the successor
	Why     string  // why no program can write a successor

	from  string
	kinds []string
	steps []*apiStep
}

// Release is a minor release of Kubernetes, such as 25 of 1.25.
type Release int

func (r Release) String() string { return fmt.Sprintf("1.%d", int(r)) }

var releaseText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^v?1\.(\d{1,3})(?:\.\d+)?$`)
})

// ParseRelease parses a release, such as 1.25, v1.25 or v1.25.3.
func ParseRelease(text string) (Release, error) {
	m := releaseText().FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is not a release of Kubernetes, such as %s",
			configkit.Abbreviate(text), Newest())
	}
	minor, err := strconv.Atoi(m[1])
	return Release(minor), err
}

// Newest returns the newest release whose removals are known.
func Newest() Release { return 37 }

// Of returns the removed API of a type, nil if Kubernetes serves it or never did.
func Of(t api.ResourceType) *API { return apis()[t] }

// Advice is for the person with a resource of the API.
func (a *API) Advice() string {
	if a.To == "" {
		return a.Why
	}
	return "migrate-api makes it " + a.To
}

// Types returns the types of all removed APIs, in the order of apis.yaml.
func Types() (all []api.ResourceType) {
	for _, a := range rows() {
		for _, kind := range a.kinds {
			all = append(all, api.ResourceType(a.from+"/"+kind))
		}
	}
	return all
}

var apis = sync.OnceValue(func() map[api.ResourceType]*API { //nolint:gochecknoglobals // never changed
	all := map[api.ResourceType]*API{}
	for _, a := range rows() {
		for _, kind := range a.kinds {
			all[api.ResourceType(a.from+"/"+kind)] = a
		}
	}
	return all
})

var rows = sync.OnceValue(func() []*API { //nolint:gochecknoglobals // never changed
	all, err := read(apisText)
	if err != nil {
		panic(err) // a test reads the file
	}
	return all
})

// read reads a table of removed APIs.
func read(text []byte) (all []*API, err error) {
	r := &strict.Reader{File: "apis.yaml"}
	for row := range r.Document(text).List() {
		a := &API{}
		removed := ""
		row.Object("an API", strict.Need(strict.Text("from", &a.from)),
			strict.Need(strict.Texts("kinds", &a.kinds)), strict.Need(strict.Text("removed", &removed)),
			strict.Text("to", &a.To), strict.Text("why", &a.Why),
			strict.List("steps", &a.steps, readStep))
		if a.Removed, err = ParseRelease(removed); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	if problems := r.Problems(); len(problems) > 0 {
		return nil, &problems[0].Failure
	}
	return all, nil
}

// apiStep is one change of a migration, see apis.yaml.
type apiStep struct {
	at                           []string
	move, copied                 [][2][]string
	number, isCRD                bool
	unless, then, missing, needs []pathValue
	deleted, pruned              [][]string
}

// pathValue is a path with a value.
type pathValue struct {
	path  []string
	value gaby.Value
}

func readStep(v strict.Value) *apiStep {
	s := &apiStep{}
	paths := func(name string, to *[][2][]string) strict.Field {
		return strict.To(name, to, func(v strict.Value) (all [][2][]string) {
			for e := range v.Map() {
				all = append(all, [2][]string{segments(e.Key()), segments(e.Text())})
			}
			return all
		})
	}
	fields := func(name string, to *[]pathValue) strict.Field {
		return strict.To(name, to, func(v strict.Value) (all []pathValue) {
			for e := range v.Map() {
				all = append(all, pathValue{segments(e.Key()), e.Value})
			}
			return all
		})
	}
	list := func(name string, to *[][]string) strict.Field {
		return strict.List(name, to, func(v strict.Value) []string { return segments(v.Text()) })
	}
	v.Object("a step",
		strict.To("at", &s.at, func(v strict.Value) []string { return segments(v.Text()) }),
		paths("move", &s.move), paths("copy", &s.copied), strict.Bool("number", &s.number),
		strict.Bool("crd", &s.isCRD), fields("unless", &s.unless), fields("then", &s.then),
		fields("default", &s.missing), fields("require", &s.needs), list("delete", &s.deleted),
		list("prune", &s.pruned))
	return s
}

func segments(path string) []string {
	all := strings.Split(path, ".")
	for i := range all {
		all[i] = yamlpath.Unescape(all[i])
	}
	return all
}

// IncompleteError reports that a resource lacks something that the successor needs, so that it cannot
// be made one.
type IncompleteError struct {
	Pos     gaby.Position
	Path    api.ResolvedPath
	Allowed []string // values, if there are few
	Reason  string   // in place of a missing value
}

func (e *IncompleteError) Error() string {
	switch {
	case e.Reason != "":
		return fmt.Sprintf("%s %s", e.Path, e.Reason)
	case len(e.Allowed) > 0:
		return fmt.Sprintf("%s must be %s", e.Path, strings.Join(e.Allowed, " or "))
	}
	return fmt.Sprintf("%s is needed", e.Path)
}

// Apply makes a resource of a removed API one of the successor. If it fails, the document is as it
// was; the error is an *IncompleteError if something is missing.
func (a *API) Apply(doc *gaby.YamlDoc) error {
	mark := doc.Checkpoint()
	_, err := doc.Set(a.To, "apiVersion")
	for i := 0; err == nil && i < len(a.steps); i++ {
		s := a.steps[i]
		err = each(doc.Value(), s.at, nil, func(at []string) error { return s.apply(doc, at) })
	}
	if err != nil {
		doc.Rollback(mark)
	}
	return err
}

// each calls f with the path of each value below v that a pattern matches.
func each(v gaby.Value, pattern, at []string, f func(at []string) error) error {
	if !v.Exists() {
		return nil
	}
	if len(pattern) == 0 {
		return f(slices.Clone(at))
	}
	if pattern[0] != "*" {
		return each(v.Get(pattern[0]), pattern[1:], append(at, pattern[0]), f)
	}
	if v.Kind() != gaby.List {
		return nil
	}
	for i := range v.Len() {
		// Edits by f may have replaced cursors of later elements, so they are looked up.
		if err := each(v.Index(i), pattern[1:], append(at, strconv.Itoa(i)), f); err != nil {
			return err
		}
	}
	return nil
}

// apply carries the step out at one place.
func (s *apiStep) apply(doc *gaby.YamlDoc, at []string) error {
	find := func(path []string) gaby.Value { return valueAt(doc, at, path) }
	if slices.ContainsFunc(s.unless, func(f pathValue) bool { return find(f.path).Equal(f.value) }) {
		return nil
	}
	if root := find(nil); root.Kind() != gaby.Map {
		return nil // vet-schemas says so
	}
	moved := false
	for _, m := range s.move {
		if v := find(m[0]); v.Exists() && (!s.number || isNumber(v)) {
			if err := s.moveTo(doc, at, m, v); err != nil {
				return err
			}
			moved = true
		}
	}
	var sets []pathValue
	if moved {
		sets = s.then
	}
	for _, c := range s.copied {
		if v := find(c[0]); v.Len() > 0 && !find(c[1][:1]).Exists() {
			sets = append(sets, pathValue{c[1], v})
		}
	}
	for _, f := range s.missing {
		if v := find(f.path); !v.Exists() || v.IsNull() {
			sets = append(sets, f)
		}
	}
	for _, f := range sets {
		if _, err := doc.Set(f.value, slices.Concat(at, f.path)...); err != nil {
			return err
		}
	}
	for _, path := range s.deleted {
		if find(path).Exists() {
			if err := doc.Delete(slices.Concat(at, path)...); err != nil {
				return err
			}
		}
	}
	for _, path := range s.pruned {
		v := find(path)
		if v.Exists() && v.Kind() != gaby.Scalar && v.Len() == 0 || v.Data() == 0 {
			if err := doc.Delete(slices.Concat(at, path)...); err != nil {
				return err
			}
		}
	}
	if s.isCRD {
		if err := splitDefinition(doc); err != nil {
			return err
		}
	}
	return s.check(doc, at)
}

// check reports the first value that the successor needs and the place lacks.
func (s *apiStep) check(doc *gaby.YamlDoc, at []string) error {
	for _, need := range s.needs {
		var allowed []string
		for item := range need.value.Entries() {
			allowed = append(allowed, item.Text())
		}
		v := valueAt(doc, at, need.path)
		if v.Exists() && !v.IsNull() && (len(allowed) == 0 || slices.Contains(allowed, v.Text())) {
			continue
		}
		pos := v.Position()
		if !v.Exists() {
			pos = valueAt(doc, at, nil).Position()
		}
		return &IncompleteError{
			Pos: pos, Path: yamlpath.Join(slices.Concat(at, need.path)), Allowed: allowed,
		}
	}
	return nil
}

// moveTo moves a value at a place, with its comments. A new key is where the old one was.
func (s *apiStep) moveTo(doc *gaby.YamlDoc, at []string, m [2][]string, v gaby.Value) error {
	from, to := slices.Concat(at, m[0]), slices.Concat(at, m[1])
	if there := valueAt(doc, nil, to); there.Exists() {
		return &IncompleteError{
			Pos: v.Position(), Path: yamlpath.Join(from), Reason: "is there beside " + string(yamlpath.Join(to)),
		}
	}
	value := gaby.WithOwnComments(v)
	if n, err := strconv.Atoi(v.Text()); s.number && v.Data() != n && err == nil {
		value = n // of a quoted number
	}
	if _, err := doc.Set(value, to...); err != nil {
		return err
	}
	parent := len(from) - 1
	if len(to) > parent && slices.Equal(from[:parent], to[:parent]) {
		if err := doc.MoveKeyAfter(from[parent], to[:parent+1]...); err != nil {
			return err
		}
	}
	return doc.Delete(from...)
}

func isNumber(v gaby.Value) bool {
	_, err := strconv.Atoi(v.Text())
	return v.Kind() == gaby.Scalar && err == nil
}

// valueAt returns the value at a path below a place, which may not exist.
func valueAt(doc *gaby.YamlDoc, at, path []string) gaby.Value {
	if found := doc.Search(slices.Concat(at, path)...); found != nil {
		return found.Value()
	}
	return gaby.Value{}
}
