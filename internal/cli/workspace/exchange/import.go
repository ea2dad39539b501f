package exchange

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/exchange"
	"github.com/fctl-dev/fctl/internal/links/rules"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/source"
)

// importer holds the flags of import, and what was made.
type importer struct {
	createSpace bool
	allowExists bool
	dataDir     string
	idMap       string

	*session.Session
	set     *exchange.Content
	ids     exchange.IDs
	objects map[string]*exchange.Foreign // of units, by their ID there
	failed  map[string]bool              // IDs there of what could not be made
	upgrade map[*workspace.Unit]bool     // units that have an imported link UpgradeUnit
	made    map[entity.Kind]int
	empty   []string // units without data
	errs    entity.Errors
}

// NewImport makes the command import.
func NewImport(a *command.App) *cobra.Command {
	c, o := &session.Common{App: a}, &importer{}
	cmd := &cobra.Command{
		Use:   "import [flags] FILE...",
		Short: "Make spaces, units and links from what cub prints",
		Long: `Make entities from files that 'cub KIND list -o json', 'cub KIND get -o json' or
'fctl export' printed; - is the standard input. KIND is space, unit, invocation,
filter or link. The files may come in any order; what links refer to is found in
them or in the workspace.

Entities get the IDs of this workspace. References and filters follow; the ID
that an entity had is kept in its annotation fctl.dev/imported-id, for 'fctl
export --original-ids' and for later imports. The history of units is not
imported: their data is revision 1. A link whose last merge was of the newest
revision of its upstream is up to date. What a workspace cannot keep is listed
on the error stream.

New versions of cub print units without their data. --data DIR adds it from the
files DIR/SPACE/UNIT.EXT or DIR/UNIT.EXT, as 'cub unit data' prints it.`,
		Example: `  cub space list -o json > spaces.json
  cub unit list --space '*' -o json > units.json
  cub link list --space '*' -o json > links.json
  fctl import spaces.json units.json links.json
  fctl export | fctl -C other import --create-space -`,
		Args: command.Words(1, -1),
	}
	flags := session.Flags(cmd, c.AddWrite)
	flags.Lookup("space").Usage = "`SPACE` for entities whose space is not in the files"
	flags.BoolVar(&o.createSpace, "create-space", false, "make spaces that objects only mention")
	flags.BoolVar(&o.allowExists, "allow-exists", false, "leave what exists already as it is")
	flags.StringVar(&o.dataDir, "data", "", "take data that units lack from files in `DIR`")
	flags.StringVar(&o.idMap, "id-map", "",
		"write a map of old to new IDs to `FILE` as JSON; - is the standard output")
	return c.Writes(cmd, func(s *session.Session, files []string) error {
		o.Session = s
		return o.run(files)
	})
}

func (o *importer) run(files []string) error {
	o.ids, o.objects = exchange.IDs{}, map[string]*exchange.Foreign{}
	o.failed, o.made = map[string]bool{}, map[entity.Kind]int{}
	o.upgrade = map[*workspace.Unit]bool{}
	var texts []entity.Text
	for _, file := range files {
		data, err := o.Input(file)
		if err != nil {
			return err
		}
		texts = append(texts, entity.Text{Bytes: data, File: diag.FileName(file)})
	}
	var err error
	if o.set, err = exchange.Read(texts); err != nil {
		return err
	}
	for own, there := range origins(o.Session) {
		o.ids[there] = own
	}
	for _, object := range o.set.Objects {
		if err := o.object(object); err != nil {
			if object.ID != "" {
				o.failed[object.ID] = true
			}
			o.add(object, err)
		}
	}
	if len(o.errs) == 0 {
		o.clones()
	}
	if err := o.errs.Err(); err != nil {
		return err
	}
	o.After(o.report)
	return o.Propagate()
}

// add adds what is wrong with an object to the errors.
func (o *importer) add(object *exchange.Foreign, err error) {
	for _, problem := range entity.ProblemsIn(err, entity.CodeFieldValue) {
		e := *problem
		if e.Code == entity.CodeParse && e.Pos.Line > 0 {
			e.Message += fmt.Sprintf(" (line %d, column %d of its data)", e.Pos.Line, e.Pos.Column)
		}
		e.Message = object.Called() + ": " + e.Message
		e.Pos = object.Pos
		o.errs = append(o.errs, &e)
	}
}

// object makes one entity.
func (o *importer) object(object *exchange.Foreign) error {
	kind := object.Kind()
	if kind == entity.KindUnit {
		o.objects[object.ID] = object
	}
	if object.SpaceSlug == "" {
		if object.SpaceSlug = o.SpaceFlag; o.SpaceFlag == "" {
			return entity.Fail(entity.CodeNotFound, "the file does not say the name of its space").
				WithHint("add the output of 'cub space list -o json', or --space SPACE")
		}
	}
	object.Base().SpaceSlug = object.SpaceSlug
	if kind != entity.KindSpace {
		if err := o.inSpace(object); err != nil {
			return err
		}
	}
	if existing := o.Existing(kind, object.Name()); existing != nil && o.allowExists {
		o.same(object.ID, *existing.Ident())
		return nil
	}
	switch e := object.Entity.(type) {
	case *entity.Space:
		return o.create(object.ID, workspace.Of(&entity.Space{
			Common: e.Common, TargetFacts: e.TargetFacts,
		}))
	case *entity.Unit:
		return o.unit(object, e)
	case *entity.Invocation:
		made := *e
		return o.create(object.ID, workspace.Of(&made))
	case *entity.Filter:
		return o.filter(object, e)
	case *entity.Link:
		return o.link(object, e)
	}
	return nil
}

// inSpace makes the space of an object if there is none.
func (o *importer) inSpace(object *exchange.Foreign) error {
	if _, err := o.Space(object.SpaceSlug); err == nil {
		return nil
	}
	if !o.createSpace {
		return entity.Fail(entity.CodeNotFound, "no space %s", object.SpaceSlug).
			WithHint("--create-space makes it")
	}
	like := o.set.Spaces[object.SpaceID]
	if like == nil {
		like = &entity.Space{Common: entity.Common{Slug: object.SpaceSlug}}
	}
	return o.create(like.SpaceID, workspace.Of(&entity.Space{
		Common: like.Common, TargetFacts: like.TargetFacts,
	}))
}

// create creates an entity that has an ID there, and remembers both IDs.
func (o *importer) create(there string, e workspace.Entity) error {
	o.renew(there, e)
	err := o.Tx.Create(o.Workspace, e)
	if err == nil {
		o.made[e.Kind()]++
		o.same(there, *e.Ident())
	}
	return err
}

// renew gives an entity the fields of a new one. An annotation keeps the ID that it has there.
func (o *importer) renew(there string, e workspace.Entity) {
	c := e.Base()
	*c = entity.Common{
		Slug: c.Slug, SpaceSlug: c.SpaceSlug, DisplayName: c.DisplayName, Labels: c.Labels,
		Annotations: maps.Clone(c.Annotations), DeleteGates: c.DeleteGates,
	}
	delete(c.Annotations, exchange.OriginAnnotation)
	space := c.SpaceSlug
	if e.Kind() == entity.KindSpace {
		space = c.Slug
	}
	if there != "" && there != entity.ID(e.Kind(), space, c.Slug, 0) {
		if c.Annotations == nil {
			c.Annotations = map[string]string{}
		}
		c.Annotations[exchange.OriginAnnotation] = there
	}
	if len(c.Annotations) == 0 {
		c.Annotations = nil
	}
}

// same remembers the ID of an entity.
func (o *importer) same(there, here string) {
	if there != "" {
		o.ids[there] = here
	}
}

func (o *importer) unit(object *exchange.Foreign, from *entity.Unit) error {
	if !rules.HasToolchain(from.ToolchainType) {
		return entity.Fail(entity.CodeToolchain, "unknown toolchain %q", from.ToolchainType)
	}
	u := &workspace.Unit{
		Unit: &entity.Unit{Common: from.Common, ToolchainType: from.ToolchainType},
	}
	if err := o.create(object.ID, u); err != nil {
		return err
	}
	data, has, err := o.data(object, u)
	if err != nil {
		return err
	}
	if !has {
		if from.HeadRevisionNum > 0 {
			o.empty = append(o.empty, u.Name())
		}
		return nil
	}
	description := cmp.Or(o.ChangeDesc, from.LastChangeDescription)
	if _, err := o.Tx.Record(o.Propagator, u, data, entity.SourceCreateUnit, description,
		entity.Mutation{}, false); err != nil {
		return err
	}
	u.SelfBindings = o.bindings(u, data, from.SelfBindings)
	if len(object.LiveState) > 0 {
		o.Tx.WriteLive(u, object.LiveState)
	}
	o.Tx.WriteState(u)
	return nil
}

// data returns the data of a unit: that of the object, or of a file in the directory of --data.
func (o *importer) data(object *exchange.Foreign, u *workspace.Unit) ([]byte, bool, error) {
	if object.HasData || o.dataDir == "" {
		return object.Data, object.HasData, nil
	}
	// The slugs were checked: they have no separators and no wildcards.
	dir := source.InDirectory(o.App.Dir, o.dataDir)
	for _, pattern := range []string{
		filepath.Join(u.SpaceSlug, u.Slug+".*"), filepath.Join(u.SpaceSlug, u.Slug), u.Slug + ".*",
		u.Slug,
	} {
		found, err := filepath.Glob(filepath.Join(escaped(dir), pattern))
		if err != nil {
			return nil, false, err
		}
		found = slices.DeleteFunc(found, func(name string) bool {
			info, err := os.Stat(name)
			return err != nil || !info.Mode().IsRegular()
		})
		if len(found) > 1 {
			return nil, false, diag.Usage("--data: %s and %s are both files of the unit %s",
				diag.FileName(found[0]), diag.FileName(found[1]), u.Name())
		}
		if len(found) == 1 {
			data, err := o.Input(absolute(found[0]))
			return data, true, err
		}
	}
	return nil, false, nil
}

// escaped returns a path as a pattern that only it matches.
func escaped(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(path)
}

// absolute returns a path that does not depend on -C.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

func (o *importer) filter(object *exchange.Foreign, from *entity.Filter) error {
	f := *from
	f.Where = o.ids.Rewrite(from.Where)
	if id := object.FilterSpaceID; id != "" {
		switch s := o.set.Spaces[id]; {
		case s != nil:
			f.FromSpace = s.Slug
		case o.ids[id] == "":
			return entity.Fail(entity.CodeNotFound, "its space %s is unknown", id).
				WithHint("add the output of 'cub space list -o json'")
		default:
			own, err := o.Space(o.ids[id])
			if err != nil {
				return err
			}
			f.FromSpace = own.Slug
		}
	}
	return o.create(object.ID, workspace.Of(&f))
}

// report prints what was made and what was left out.
func (o *importer) report() error {
	var parts []string
	for _, kind := range exchange.Kinds() {
		if n := o.made[kind]; n > 0 {
			parts = append(parts, diag.Count(n, string(kind)))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	o.Note("imported %s", strings.Join(parts, ", "))
	left := map[string]int{}
	for _, object := range o.set.Objects {
		for _, field := range object.Left {
			left[field]++
		}
	}
	for _, field := range slices.Sorted(maps.Keys(left)) {
		o.App.Note(o.Settings, fmt.Sprintf("%s of %s was left out: a workspace does not have it",
			field, diag.Count(left[field], "object")))
	}
	for _, kind := range slices.Sorted(maps.Keys(o.set.Unsupported)) {
		o.App.Note(o.Settings, fmt.Sprintf("%s of the kind %s left out",
			diag.Count(o.set.Unsupported[kind], "object"), kind+
				wasWere(o.set.Unsupported[kind])))
	}
	if len(o.empty) > 0 {
		slices.Sort(o.empty)
		o.App.Console().Notes("", api.Note{Message: "the files have no data of " +
			strings.Join(o.empty, ", ") + "; --data DIR adds it"})
	}
	return o.writeIDs()
}

func wasWere(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}

// writeIDs writes the IDs there and here.
func (o *importer) writeIDs() error {
	if o.idMap == "" {
		return nil
	}
	text, err := entity.JSON(o.ids)
	if err != nil {
		return err
	}
	return session.WriteFile(o.Session, o.idMap, text, false)
}
