package schemas

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// Names of definitions.
const (
	objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	quantity   = "io.k8s.apimachinery.pkg.api.resource.Quantity"
	jsonProps  = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
)

// Library provides the schemas of all releases and operators, and those of users' files. It is safe
// for concurrent use.
type Library struct {
	mu      sync.Mutex
	made    map[string]*Release
	files   func() ([]SchemaFile, error) // not read yet
	added   *added
	inputs  *inputs             // nil if there are none
	own     func() []SchemaFile // of AddOwn
	owned   definitions         // in own, nil if not read yet
	clashes map[Clash]bool

	operators operators
	locations Locations
	located   map[string]*jsonSchema // files of locations by path, nil for those that do not exist
}

// Release provides the schemas of a Kubernetes release. It is safe for concurrent use.
type Release struct {
	Name string // "1.36"

	releases []string // all, oldest first
	index    int
	kinds    map[api.ResourceType]string // names of definitions
	compiler *jsonschema.Compiler
	archive  archive // used only by the compiler once the release is complete
}

// UnknownReleaseError reports that there are no schemas of a release.
type UnknownReleaseError struct {
	Release string
	Known   []string // oldest first
}

func (e *UnknownReleaseError) Error() string {
	return fmt.Sprintf(
		"no schemas of Kubernetes %s, only of %s", configkit.Abbreviate(e.Release),
		strings.Join(e.Known, ", "),
	)
}

// releasesOf returns the releases in an archive, oldest first, such as "1.36".
func releasesOf(a *archive) ([]string, error) {
	v, err := a.file("versions")
	var all []string
	for _, e := range v.All() {
		all = append(all, minorOf(e.Text()))
	}
	return all, err
}

// minorOf returns "1.36" for v1.36.3, 1.36 and 1.36.0+k3s1.
func minorOf(version string) string {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return version
	}
	return parts[0] + "." + parts[1]
}

// Release returns a release by its number, such as 1.36, v1.36 or 1.36.3; "" means the newest. The
// error is an *UnknownReleaseError if there is no such release.
func (l *Library) Release(version string) (*Release, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.made[minorOf(version)]; r != nil {
		return r, nil
	}
	r, err := newRelease(version)
	if err != nil {
		return nil, err
	}
	if l.made == nil {
		l.made = map[string]*Release{}
	}
	l.made[minorOf(version)] = r
	return r, nil
}

// newRelease reads the types of a release. Definitions are read on demand.
func newRelease(version string) (*Release, error) {
	r := &Release{archive: archive{packed: packedReleases}}
	var err error
	if r.releases, err = releasesOf(&r.archive); err != nil {
		return nil, err
	}
	if r.index = slices.Index(r.releases, minorOf(version)); version == "" {
		r.index = len(r.releases) - 1
	}
	if r.index < 0 {
		return nil, &UnknownReleaseError{Release: version, Known: r.releases}
	}
	r.Name = r.releases[r.index]
	all, err := r.archive.file("kinds")
	if err != nil {
		return nil, err
	}
	r.kinds = make(map[api.ResourceType]string, 256)
	for _, e := range all.All() {
		if v := at(e, r.releases, r.index); v.Exists() {
			r.kinds[api.ResourceType(e.Key())] = v.Text()
		}
	}
	r.compiler = jsonschema.NewCompiler(jsonschema.CompilerOptions{
		Dialect: jsonschema.OpenAPI, Load: r.definition, Lazy: true,
	})
	return r, nil
}

// definition returns a definition by name.
func (r *Release) definition(name string) (gaby.Value, error) {
	switch name { // the OpenAPI documents allow anything for these
	case jsonProps + "OrArray": // the API server accepts no list
		return schemaText(`{"$ref": "` + jsonProps + `"}`)
	case jsonProps + "OrBool":
		return schemaText(`{"anyOf": [{"type": "boolean"}, {"$ref": "` + jsonProps + `"}]}`)
	}
	dot := max(0, strings.LastIndexByte(name, '.'))
	file, err := r.archive.file(name[:dot])
	return at(file.Get(strings.TrimPrefix(name[dot:], ".")), r.releases, r.index), err
}

func schemaText(text string) (gaby.Value, error) {
	doc, err := gaby.ParseYAML([]byte(text))
	return doc.Value(), err
}

// has reports whether a type is built into the release.
func (r *Release) has(t api.ResourceType) bool {
	_, ok := r.kinds[t]
	return ok
}

// Schema returns the schema of a type that is built into the release, or nil.
func (r *Release) Schema(t api.ResourceType) (*jsonschema.Schema, error) {
	name, ok := r.kinds[t]
	if !ok {
		return nil, nil
	}
	return r.Definition(name)
}

// Definition returns the schema of a part of resources by its name in the OpenAPI documents, such
// as io.k8s.api.core.v1.PodSecurityContext.
func (r *Release) Definition(name string) (*jsonschema.Schema, error) {
	return r.compiler.Named(name)
}

// missing explains why the release has no schema of a type. It returns a *MissingError if the group
// belongs to Kubernetes, or nil if the type may have been added to a cluster.
func (r *Release) missing(t api.ResourceType) error {
	group, version, kind := configkit.SplitType(t)
	e := &MissingError{Type: t, In: "Kubernetes " + r.Name}
	own := false
	for known := range r.kinds {
		g, v, k := configkit.SplitType(known)
		own = own || g == group
		switch {
		case k == kind:
			e.Others = append(e.Others, known)
		case g == group && v == version:
			e.Kinds = append(e.Kinds, k)
		}
	}
	// An unknown group without dots, such as extensions, used to be part of Kubernetes.
	if !own && (strings.Contains(group, ".") || len(e.Others) == 0) {
		return nil
	}
	slices.Sort(e.Others)
	slices.Sort(e.Kinds)
	return e
}
