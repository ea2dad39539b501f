package mutation

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// A resourceChange is what happened to one resource. It is the typed form of api.ResourceMutation
// on which diff, subtract and patch work; json.go has the conversions.
//
// A map that gained or lost keys has an entry per key. Adding a map is recorded as adding its
// leaves: if it were one value, its owner would own everything put into it later. A list without
// merge keys has entries for its elements.
type resourceChange struct {
	resource api.ResourceInfo
	// The change of the resource as a whole: Add, Delete, Update if there are paths, orders or
	// renames, else None.
	change
	paths   []*pathChange
	orders  []arrayOrder
	renames []elementRename
	whole   []wholeMap // maps that were or became empty
	// names are all names the resource has had, with their scopes.
	names []api.ResourceName
	// before and after are the resource's documents, if known.
	before, after *gaby.YamlDoc
	texts         map[gaby.Value]string // see text
}

// text returns the text of a value that conflicts are about. Many can be about one map or list.
func (r *resourceChange) text(v gaby.Value) string {
	if v.Kind() == gaby.Scalar {
		return valueText(v)
	}
	text, ok := r.texts[v]
	if !ok {
		if r.texts == nil {
			r.texts = map[gaby.Value]string{}
		}
		text = valueText(v)
		r.texts[v] = text
	}
	return text
}

// change is what happened at one path. The value is the new one, or for Delete the old one.
type change struct {
	op        api.MutationType
	index     int
	protected bool
	value     gaby.Value
	old       gaby.Value // of an Update: the old value, if known
	patch     string     // of a multi-line text: set if it was read, not computed
	// An Update whose value is merged into an existing map, as in mutations that were read.
	merging bool
}

type pathChange struct {
	path mutationpath.Path
	change
	folded bool // it is inside a wholeMap
}

// arrayOrder is the wanted order of the elements of a list with merge keys.
type arrayOrder struct {
	path mutationpath.Path
	keys []string // see ElementName
	// appended says that old elements keep their order and new ones come last.
	appended bool
}

// elementRename says that an element of a list with merge keys got another key.
type elementRename struct {
	path     mutationpath.Path // of the list
	old, now string            // see ElementName
}

// wholeMap is a map that was empty or became empty. Its entries are printed as a single Update.
type wholeMap struct {
	path mutationpath.Path
	change
}

// changed reports whether anything happened inside the resource.
func (r *resourceChange) changed() bool {
	return len(r.paths) > 0 || len(r.orders) > 0 || len(r.renames) > 0
}

// settle sets the operation of a resource that is neither new nor deleted to Update or None,
// depending on its contents.
func (r *resourceChange) settle() {
	if r.op == api.MutationTypeUpdate || r.op == api.MutationTypeNone || r.op == "" {
		r.op = api.MutationTypeNone
		if r.changed() {
			r.op = api.MutationTypeUpdate
		}
	}
}
