package workspace

import (
	"cmp"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/rules"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/source"
)

// unitCreate holds the flags of unit create.
type unitCreate struct {
	session.Common
	session.Metadata
	session.Body
	session.PrintFlags
	toolchain, upstreamSpace, upstreamUnit string
	paths                                  []string
	recursive, createSpace                 bool
}

func newUnitCreate(a *command.App) *cobra.Command {
	o := &unitCreate{
		Common: session.Common{App: a}, Body: session.Body{Of: entity.KindUnit},
	}
	cmd := &cobra.Command{
		Use:   "create [flags] [[SPACE/]UNIT] [FILE]",
		Short: "Make a unit from a file, or as a clone of another unit",
		Long: `Make a unit with the content of a file, of the standard input (-), or without
data. With --upstream-unit the unit is a clone: it gets the data of that unit, and
a link upgrade-UNIT of the type UpgradeUnit. With -f, each file becomes a unit.
The unit has a copy of the file, spaces/SPACE/units/UNIT.EXT: edit the copy.
--filename and --from-stdin read the unit itself: its name, toolchain, labels, and
its data in base64 if it has the field Data.`,
		Example: `  fctl unit create web deployment.yaml
  fctl unit create prod/web --upstream-unit dev/web
  fctl unit create -f manifests -R`,
		Args: command.Words(0, 2),
	}
	flags := session.Flags(cmd, o.AddWrite, o.Metadata.Add, o.AddAllowExists, o.Body.Add,
		o.PrintFlags.Add)
	flags.StringVar(&o.toolchain, "toolchain", "",
		"`TOOLCHAIN`, if the name of the file does not imply it")
	flags.StringVar(&o.upstreamUnit, "upstream-unit", "", "clone the unit `[SPACE/]UNIT`")
	flags.StringVar(&o.upstreamSpace, "upstream-space", "", "`SPACE` of the unit to clone")
	flags.StringArrayVarP(&o.paths, "file", "f", nil, "make a unit of each file of `PATH`")
	flags.BoolVarP(&o.recursive, "recursive", "R", false, "descend into directories (with -f)")
	flags.BoolVar(&o.createSpace, "create-space", false, "make the space if it does not exist")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		named := len(words) > 0 || o.Body.IsSet()
		if len(o.paths) > 0 && named || len(o.paths) == 0 && !named {
			return command.Missing(cmd, "UNIT or -f")
		}
		if o.Stdin() && len(words) == 2 && words[1] == "-" {
			return diag.Usage("the standard input is either the unit or its data")
		}
		if o.upstreamUnit != "" && len(words) == 2 {
			return diag.Usage("a clone gets its data from its upstream, not from a file")
		}
		title := session.Title(cmd, append(words, o.paths...)...)
		if len(words) > 0 {
			if space, slug, ok := strings.Cut(words[0], "/"); ok {
				if o.SpaceFlag != "" && o.SpaceFlag != space {
					return diag.Usage("%s is not in the space %s of --space", words[0], o.SpaceFlag)
				}
				o.SpaceFlag, words = space, append([]string{slug}, words[1:]...)
			}
		}
		return o.Write(cmd, title, func(s *session.Session) error { return o.run(s, words) })
	}
	return cmd
}

// newData is a unit to be made.
type newData struct {
	unit      *entity.Unit // with --filename, otherwise nil
	slug      string
	toolchain api.ToolchainType
	data      []byte
	file      bool   // it has data
	name      string // of the file
}

func (o *unitCreate) run(s *session.Session, words []string) error {
	space, err := s.InSpace()
	if err != nil && o.createSpace {
		space = &workspace.Space{Space: &entity.Space{Common: entity.Common{Slug: s.SpaceSlug()}}}
		err = s.Tx.Create(s.Workspace, space)
	}
	if err != nil {
		return err
	}
	all, err := o.sources(s, words)
	if err != nil {
		return err
	}
	for _, n := range all {
		if u := s.Existing(entity.KindUnit, space.Slug+"/"+n.slug); u != nil && o.AllowExists {
			if err := s.PrintOne(&o.PrintFlags, u, u, ""); err != nil {
				return err
			}
			continue
		}
		u, err := o.create(s, space, n)
		if err != nil {
			return err
		}
		if err := s.PrintDone(&o.PrintFlags, u, "created"); err != nil {
			return err
		}
	}
	return s.Propagate()
}

func (o *unitCreate) create(
	s *session.Session, space *workspace.Space, n newData,
) (*workspace.Unit, error) {
	unit := &entity.Unit{}
	if n.unit != nil {
		unit.Common = n.unit.Common
	}
	unit.Slug, unit.ToolchainType = n.slug, n.toolchain
	var up *workspace.Unit
	if o.upstreamUnit != "" {
		var err error
		if up, err = s.Unit(cmp.Or(o.upstreamSpace, space.Slug), o.upstreamUnit); err != nil {
			return nil, err
		}
		unit.ToolchainType = up.ToolchainType
	}
	if err := o.Apply(&unit.Common); err != nil {
		return nil, err
	}
	unit.SpaceSlug = space.Slug
	u := &workspace.Unit{Unit: unit}
	if err := s.Tx.Create(s.Workspace, u); err != nil {
		return nil, err
	}
	switch {
	case up != nil:
		return u, s.Clone(u, up, o.ChangeDesc, false)
	case n.file:
		if _, err := s.Unwritten(u, nil, n.data); err != nil {
			return nil, err
		}
		_, err := s.Tx.Record(s.Propagator, u, n.data, entity.SourceCreateUnit, o.ChangeDesc,
			entity.Mutation{}, false)
		return u, session.InFile(err, n.name)
	}
	return u, nil
}

// sources returns the units to be made, with their data.
func (o *unitCreate) sources(s *session.Session, words []string) ([]newData, error) {
	if len(o.paths) > 0 {
		return o.files(s)
	}
	n := newData{}
	text, given, err := o.Text(s)
	if err != nil {
		return nil, err
	}
	if given {
		if n.unit, n.data, n.file, err = entity.DecodeUnitBody(text); err != nil {
			return nil, err
		}
		n.slug, n.toolchain = n.unit.Slug, n.unit.ToolchainType
	}
	n.toolchain = cmp.Or(api.ToolchainType(o.toolchain), n.toolchain)
	if len(words) > 0 {
		n.slug = words[0]
	}
	if len(words) == 2 {
		if n.file {
			return nil, diag.Usage("the unit has its data in the field Data; %s is not needed",
				words[1])
		}
		if n.data, err = s.Input(words[1]); err != nil {
			return nil, err
		}
		n.file, n.name = true, words[1]
		n.toolchain = toolchainOf(words[1], string(n.toolchain), n.data)
	}
	if n.file && o.upstreamUnit != "" {
		return nil, diag.Usage("a clone gets its data from its upstream, not from a text")
	}
	n.toolchain = cmp.Or(n.toolchain, api.ToolchainKubernetesYAML)
	if err := checkToolchain(n.toolchain); err != nil {
		return nil, err
	}
	return []newData{n}, nil
}

func checkToolchain(t api.ToolchainType) error {
	if rules.HasToolchain(t) {
		return nil
	}
	var names []string
	for _, known := range rules.Toolchains() {
		names = append(names, string(known))
	}
	return entity.Fail(entity.CodeToolchain, "unknown toolchain %s", t).
		WithHint("known are " + strings.Join(names, ", "))
}

// files returns one unit for each file of the paths, named by its relative path.
func (o *unitCreate) files(s *session.Session) ([]newData, error) {
	finder := &source.Finder{
		Dir: s.App.Dir, Recursive: o.recursive, Toolchain: api.ToolchainType(o.toolchain),
		AnyFormat: true,
	}
	found, err := finder.Find(s.Ctx, o.paths)
	if err != nil {
		return nil, err
	}
	var all []newData
	seen := map[string]string{}
	var problems []error
	for _, f := range found.Files {
		if f.Problem != nil {
			problems = append(problems, f.Problem)
			continue
		}
		data, err := do.Reader(s.Settings, s.App.Streams).Bytes(s.Ctx, f.Path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		slug := strings.NewReplacer("/", "-", ".", "-", " ", "-").Replace(f.Unit)
		if first, again := seen[slug]; again {
			return nil, diag.Usage("%s and %s would both be the unit %s", first, f.Rel, slug)
		}
		seen[slug] = f.Rel
		all = append(all, newData{
			slug: slug, toolchain: toolchainOf(f.Path, o.toolchain, data), data: data, file: true,
			name: f.Path,
		})
	}
	if len(all)+len(problems) == 0 {
		return nil, diag.Usage("no files in %s", strings.Join(o.paths, ", "))
	}
	return all, errors.Join(problems...)
}

// toolchainOf returns the toolchain of a file.
func toolchainOf(file, given string, data []byte) api.ToolchainType {
	if given != "" {
		return api.ToolchainType(given)
	}
	return source.Formats(nil).Toolchain(file, data)
}
