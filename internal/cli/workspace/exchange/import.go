package exchange

import (
	"errors"
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
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/source"
)

// importer holds the flags of import, and what was made.
type importer struct {
	session.Common
	createSpace bool
	allowExists bool
	dataDir     string
	idMap       string

	*session.Session
	set     *exchange.Set
	ids     exchange.IDs
	objects map[string]*exchange.Object // of units, by their ID there
	failed  map[string]bool             // IDs there of what could not be made
	upgrade map[*workspace.Unit]bool    // units that have an imported link UpgradeUnit
	made    map[entity.Kind]int
	empty   []string // units without data
	errs    entity.Errors
}

// NewImport makes the command import.
func NewImport(a *command.App) *cobra.Command {
	o := &importer{Common: session.Common{App: a}}
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
		Args: session.Words(1, -1),
	}
	flags := cmd.Flags()
	o.AddWrite(flags)
	flags.Lookup("space").Usage = "`SPACE` for entities whose space is not in the files"
	flags.BoolVar(&o.createSpace, "create-space", false, "make spaces that objects only mention")
	flags.BoolVar(&o.allowExists, "allow-exists", false, "leave what exists already as it is")
	flags.StringVar(&o.dataDir, "data", "", "take data that units lack from files in `DIR`")
	flags.StringVar(&o.idMap, "id-map", "",
		"write a map of old to new IDs to `FILE` as JSON; - is the standard output")
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		title := "import " + strings.Join(files, " ")
		return o.Write(cmd, title, func(s *session.Session) error { return o.run(s, files) })
	}
	return cmd
}

func (o *importer) run(s *session.Session, files []string) error {
	o.Session = s
	o.ids, o.objects = exchange.IDs{}, map[string]*exchange.Object{}
	o.failed, o.made = map[string]bool{}, map[entity.Kind]int{}
	o.upgrade = map[*workspace.Unit]bool{}
	var texts []entity.Text
	for _, file := range files {
		data, err := s.Input(file)
		if err != nil {
			return err
		}
		texts = append(texts, entity.Text{Bytes: data, File: diag.FileName(file)})
	}
	var err error
	if o.set, err = exchange.Read(texts); err != nil {
		return err
	}
	for own, there := range origins(s) {
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
	s.After(o.report)
	return s.Propagate()
}

// add adds what is wrong with an object to the errors.
func (o *importer) add(object *exchange.Object, err error) {
	for _, e := range problems(err) {
		if e.Code == entity.CodeParse && e.Pos.Line > 0 {
			e.Message += fmt.Sprintf(" (line %d, column %d of its data)", e.Pos.Line, e.Pos.Column)
		}
		e.Message = object.Name() + ": " + e.Message
		e.Pos = object.Pos
		o.errs = append(o.errs, e)
	}
}

// problems returns copies of the errors in err.
func problems(err error) entity.Errors {
	if all, ok := errors.AsType[entity.Errors](err); ok {
		var copies entity.Errors
		for _, e := range all {
			copied := *e
			copies = append(copies, &copied)
		}
		return copies
	}
	if e, ok := errors.AsType[*entity.Error](err); ok {
		copied := *e
		return entity.Errors{&copied}
	}
	return entity.Errors{{Code: entity.CodeFieldValue, Message: err.Error(), Err: err}}
}

// object makes one entity.
func (o *importer) object(object *exchange.Object) error {
	if object.Kind == entity.KindSpace {
		return o.space(object.Space)
	}
	if object.SpaceSlug == "" {
		if object.SpaceSlug = o.SpaceFlag; o.SpaceFlag == "" {
			return &entity.Error{
				Code: entity.CodeNotFound, Message: "the file does not say the name of its space",
				Hint: "add the output of 'cub space list -o json', or --space SPACE",
			}
		}
	}
	space, err := o.Space(object.SpaceSlug)
	if err != nil {
		if !o.createSpace {
			return &entity.Error{
				Code:    entity.CodeNotFound,
				Message: "no space " + object.SpaceSlug,
				Hint:    "--create-space makes it",
			}
		}
		like := &entity.Space{Common: entity.Common{Slug: object.SpaceSlug}}
		if known := o.set.Spaces[object.SpaceID]; known != nil {
			like = known
		}
		if err := o.space(like); err != nil {
			return err
		}
		if space, err = o.Space(object.SpaceSlug); err != nil {
			return err
		}
	}
	switch object.Kind {
	case entity.KindUnit:
		return o.unit(space, object)
	case entity.KindInvocation:
		return o.invocation(space, object)
	case entity.KindFilter:
		return o.filter(space, object)
	}
	return o.link(space, object)
}

// common returns the common fields of a new entity.
func (o *importer) common(
	kind entity.Kind, space string, id string, c *entity.Common,
) entity.Common {
	made := entity.Common{
		Slug: c.Slug, DisplayName: c.DisplayName, Labels: c.Labels,
		Annotations: maps.Clone(c.Annotations), DeleteGates: c.DeleteGates,
	}
	delete(made.Annotations, exchange.OriginAnnotation)
	if id != "" && id != entity.ID(kind, space, c.Slug, 0) {
		if made.Annotations == nil {
			made.Annotations = map[string]string{}
		}
		made.Annotations[exchange.OriginAnnotation] = id
	}
	if len(made.Annotations) == 0 {
		made.Annotations = nil
	}
	made.SpaceSlug = space
	return made
}

// record remembers the ID of a new entity.
func (o *importer) record(kind entity.Kind, there, here string) {
	o.made[kind]++
	o.same(there, here)
}

// same remembers the ID of an entity.
func (o *importer) same(there, here string) {
	if there != "" {
		o.ids[there] = here
	}
}

func (o *importer) space(p *entity.Space) error {
	there := p.SpaceID
	if o.allowExists { // a search for a missing name takes long
		if existing, err := o.Space(p.Slug); err == nil {
			o.same(there, existing.SpaceID)
			return nil
		}
	}
	made := &workspace.Space{Space: &entity.Space{
		Common:      o.common(entity.KindSpace, p.Slug, there, &p.Common),
		TargetFacts: p.TargetFacts,
	}}
	err := o.Tx.Create(o.Workspace, made)
	if err == nil {
		o.record(entity.KindSpace, there, made.SpaceID)
	}
	return err
}

func (o *importer) unit(space *workspace.Space, object *exchange.Object) error {
	from := object.Unit
	o.objects[object.ID] = object
	if o.allowExists { // a search for a missing name takes long
		if existing, err := o.Unit(space.Slug, object.Slug); err == nil {
			o.same(object.ID, existing.UnitID)
			return nil
		}
	}
	if !workspace.HasToolchain(from.ToolchainType) {
		return &entity.Error{
			Code:    entity.CodeToolchain,
			Message: fmt.Sprintf("unknown toolchain %q", from.ToolchainType),
		}
	}
	u := &workspace.Unit{Unit: &entity.Unit{
		Common:        o.common(entity.KindUnit, space.Slug, object.ID, &from.Common),
		ToolchainType: from.ToolchainType,
	}}
	if err := o.Tx.Create(o.Workspace, u); err != nil {
		return err
	}
	o.record(entity.KindUnit, object.ID, u.UnitID)
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
	e, err := o.Engine()
	if err != nil {
		return err
	}
	description := o.ChangeDesc
	if description == "" {
		description = from.LastChangeDescription
	}
	if _, err := o.Tx.Record(e, u, data, entity.SourceCreateUnit, description,
		entity.Mutation{}, false); err != nil {
		return err
	}
	u.SelfBindings = o.bindings(u, data, from.SelfBindings)
	if len(from.LiveState) > 0 {
		o.Tx.WriteLive(u, from.LiveState)
		return nil
	}
	o.Tx.WriteState(u)
	return nil
}

// data returns the data of a unit: that of the object, or of a file in the directory of --data.
func (o *importer) data(object *exchange.Object, u *workspace.Unit) ([]byte, bool, error) {
	if object.Unit.HasData || o.dataDir == "" {
		return object.Unit.Data, object.Unit.HasData, nil
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

func (o *importer) invocation(space *workspace.Space, object *exchange.Object) error {
	from := object.Invocation
	if o.allowExists { // a search for a missing name takes long
		if existing, err := o.Invocation(space.Slug, object.Slug); err == nil {
			o.same(object.ID, existing.InvocationID)
			return nil
		}
	}
	made := &workspace.Invocation{Invocation: &entity.Invocation{
		Common:        o.common(entity.KindInvocation, space.Slug, object.ID, &from.Common),
		ToolchainType: from.ToolchainType, FunctionName: from.FunctionName,
		Arguments: from.Arguments, WhereResource: from.WhereResource,
		BridgeWorkerID: from.BridgeWorkerID,
	}}
	err := o.Tx.Create(o.Workspace, made)
	if err == nil {
		o.record(entity.KindInvocation, object.ID, made.InvocationID)
	}
	return err
}

func (o *importer) filter(space *workspace.Space, object *exchange.Object) error {
	from := object.Filter
	if o.allowExists { // a search for a missing name takes long
		if existing, err := o.Filter(space.Slug, object.Slug); err == nil {
			o.same(object.ID, existing.FilterID)
			return nil
		}
	}
	f := &entity.Filter{
		Common: o.common(entity.KindFilter, space.Slug, object.ID, &from.Common),
		From:   from.From, FromSpace: from.FromSpace, Where: o.ids.Rewrite(from.Where),
		WhereData: from.WhereData, ResourceType: from.ResourceType,
	}
	if id := object.FilterSpaceID; id != "" {
		switch s := o.set.Spaces[id]; {
		case s != nil:
			f.FromSpace = s.Slug
		case o.ids[id] == "":
			return &entity.Error{
				Code: entity.CodeNotFound, Message: "its space " + id + " is unknown",
				Hint: "add the output of 'cub space list -o json'",
			}
		default:
			own, err := o.Space(o.ids[id])
			if err != nil {
				return err
			}
			f.FromSpace = own.Slug
		}
	}
	made := &workspace.Filter{Filter: f}
	err := o.Tx.Create(o.Workspace, made)
	if err == nil {
		o.record(entity.KindFilter, object.ID, made.FilterID)
	}
	return err
}

// report prints what was made and what was left out.
func (o *importer) report() error {
	var parts []string
	for _, kind := range []entity.Kind{
		entity.KindSpace, entity.KindUnit, entity.KindInvocation, entity.KindFilter,
		entity.KindLink,
	} {
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
