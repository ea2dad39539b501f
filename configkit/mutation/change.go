package mutation

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// A resourceChange is what happened to one resource. It is the typed form of an api.ResourceMutation, in which diff, subtract
// and patch work; mutationjson.go has the conversions.
//
// A map that gained or lost keys has an entry for each key: adding a map is adding its leaves, since a map recorded as one value
// would make its owner own everything that is put into it later. A list without merge keys has entries for its elements.
type resourceChange struct {
	resource api.ResourceInfo
	change   // of the resource as a whole: Add, Delete, Update when there are paths, orders or renames, else None
	paths    []*pathChange
	orders   []arrayOrder
	renames  []elementRename
	whole    []wholeMap // maps that were or became empty
	// names are all the resource has had, with their scopes.
	names []api.ResourceName
	// before and after are its documents where they are at hand.
	before, after *gaby.YamlDoc
}

// change is what happened at one place. The value is the one afterwards, of a Delete the one that was there.
type change struct {
	op        api.MutationType
	index     int
	protected bool
	value     gaby.Value
	old       gaby.Value // of an Update: what was there, if that is known
	patch     string     // of a text of several lines, when it was read and not computed
	merging   bool       // the value of an Update is merged into a map that is there, which is how it is read
}

type pathChange struct {
	path mutationPath
	change
	folded bool // it is inside of a wholeMap
}

// arrayOrder is the order wanted of the elements of a list with merge keys.
type arrayOrder struct {
	path mutationPath
	keys []string // see elementName
	// appended says that the order is that of before: what is new comes last.
	appended bool
}

// elementRename says that an element of a list with merge keys got another key.
type elementRename struct {
	path     mutationPath // of the list
	old, now string       // see elementName
}

// wholeMap is a map that was empty or became so. Its entries are printed as one Update with the value.
type wholeMap struct {
	path mutationPath
	change
}

// name records what the resource is called and was called before.
func (r *resourceChange) name(was api.ResourceName) {
	if was != r.resource.ResourceName {
		r.names = append(r.names, was)
	}
	r.names = append(r.names, r.resource.ResourceName)
}

// changed tells whether anything happened inside the resource.
func (r *resourceChange) changed() bool {
	return len(r.paths) > 0 || len(r.orders) > 0 || len(r.renames) > 0
}

// settle makes the operation of a resource that is neither new nor gone that of its contents.
func (r *resourceChange) settle() {
	if r.op == api.MutationTypeUpdate || r.op == api.MutationTypeNone || r.op == "" {
		r.op = api.MutationTypeNone
		if r.changed() {
			r.op = api.MutationTypeUpdate
		}
	}
}
