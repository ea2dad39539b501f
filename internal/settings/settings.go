// Package settings decides, once per run, how fctl is to behave. A value comes
// from the first of these that has it:
//
//	a flag, FCTL_<NAME>, the project's .fctl.yaml (the nearest, from the
//	working directory upwards), the user's own file, the default
//
// The rules of this room:
//   - It is the only place that knows viper, through an instance made per Load.
//   - viper lower-cases keys and splits them at dots, so labels, annotations
//     and arguments of functions never pass through it.
//   - A project's file is untrusted: it comes with the repository. A key is
//     honoured there only if its row in the table says that a project may set it.
//   - A setting that is a list takes what every place says, the user's own file
//     first and flags last. Paths in a file start at the directory of that file.
package settings

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// ProjectFile is the name of a project's settings file.
const ProjectFile = ".fctl.yaml"

// autoToolchain has a directory stand for every format.
const autoToolchain = "auto"

// Settings is how fctl behaves in this run.
type Settings struct {
	Color  string `mapstructure:"color"`
	Output string `mapstructure:"output"`
	// Toolchain is empty when the name of each file decides, which "auto" asks for too.
	Toolchain string `mapstructure:"toolchain"`
	Quiet     bool   `mapstructure:"quiet"`
	Verbose   bool   `mapstructure:"verbose"`
	Debug     bool   `mapstructure:"debug"`

	KeepGoing     bool `mapstructure:"keep-going"`
	Strict        bool `mapstructure:"strict"`
	RequireMatch  bool `mapstructure:"require-match"`
	AllowExternal bool `mapstructure:"allow-external"`

	Space          string `mapstructure:"space"`
	SpaceID        string `mapstructure:"space-id"`
	UnitID         string `mapstructure:"unit-id"`
	OrganizationID string `mapstructure:"organization-id"`
	RevisionNum    int64  `mapstructure:"revision-num"`

	// AnyFormat is true when the toolchain is "auto": a directory stands for every format.
	AnyFormat bool `mapstructure:"-"`
	// ResourceTypes are files that say more about resource types.
	ResourceTypes []string `mapstructure:"-"`
	// Schemas are files with schemas of resources, and directories of them.
	Schemas []string `mapstructure:"-"`
	// UnitLabels come from --context only: their keys keep their case and dots.
	UnitLabels map[string]string `mapstructure:"-"`
	// ApprovedBy and PreviousDataHash say who has approved which data; from --context only.
	ApprovedBy       []string `mapstructure:"-"`
	PreviousDataHash string   `mapstructure:"-"`
	// Notes are keys of a project's file that were not honoured.
	Notes []api.Note `mapstructure:"-"`
	// Rows are all settings, in the order of the table, for `fctl config view`.
	Rows []Row `mapstructure:"-"`

	named map[string]api.Position // where a settings file names a file
}

// Row is a setting, its value and where that comes from.
type Row struct {
	Name   string
	Value  any
	Origin string
	Pos    api.Position // in the file it comes from, if it comes from one
}

// key is one row of the table of settings.
type key struct {
	name     string
	standard any // the default, which also says the type
	project  bool
	context  bool // also settable as --context name=value
}

// keys is the table. A key that runs programs, opens the network or sends
// data anywhere must not have project: true.
func keys() []key {
	return []key{
		{name: "color", standard: "auto", project: true},
		{name: "output", standard: "auto", project: true},
		{name: "toolchain", standard: "", project: true},
		{name: "quiet", standard: false, project: true},
		{name: "verbose", standard: false, project: true},
		{name: "debug", standard: false, project: true},
		{name: "keep-going", standard: false, project: true},
		{name: "strict", standard: false, project: true},
		{name: "require-match", standard: false, project: true},
		{name: "allow-external", standard: false}, // runs programs
		{name: "resource-types", standard: []string(nil), project: true},
		{name: "schema", standard: []string(nil), project: true},
		{name: "space", standard: "default", project: true, context: true},
		{name: "space-id", standard: "", project: true, context: true},
		{name: "unit-id", standard: "", project: true, context: true},
		{name: "organization-id", standard: "", project: true, context: true},
		{name: "revision-num", standard: int64(0), project: true, context: true},
	}
}

// Names are the names of all settings, in the order of the table.
func Names() []string { return names(keys()) }

// ProjectMaySet tells whether a project's file may say this setting.
func ProjectMaySet(name string) bool {
	k, ok := lookup(keys(), name)
	return ok && k.project
}

// Where tells which files are looked at.
type Where struct {
	Dir      string // where the search for the project's file starts
	UserFile string // may be missing
	Required bool   // UserFile may not be missing: it was named
	From     string // what names of files are relative to; empty is Dir
}

// Here is where fctl looks when it works in dir: there and upwards for the
// project's file, and for the user's own settings in file, or when that is
// empty in FCTL_CONFIG or in fctl/config.yaml of the user's configuration
// directory.
func Here(dir, file string) Where {
	w := Where{From: "."}
	if here, err := os.Getwd(); err == nil {
		w.From = here
	}
	w.Dir = resolve(w.From, dir)
	switch {
	case file != "":
		w.UserFile, w.Required = resolve(w.Dir, file), true
	case os.Getenv(EnvName("config")) != "":
		w.UserFile, w.Required = resolve(w.Dir, os.Getenv(EnvName("config"))), true
	default:
		if user, err := os.UserConfigDir(); err == nil {
			w.UserFile = filepath.Join(user, "fctl", "config.yaml")
		}
	}
	return w
}

func resolve(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Load collects the settings. Flags named like a key are bound to it when
// they were given; context is the value of --context, a list of name=value.
func Load(flags *pflag.FlagSet, context []string, where Where) (*Settings, error) {
	return load(keys(), flags, context, where)
}

func load(table []key, flags *pflag.FlagSet, context []string, where Where) (*Settings, error) {
	if where.From == "" {
		where.From = where.Dir
	}
	v := viper.New()
	s := &Settings{named: map[string]api.Position{}}
	for _, k := range table {
		if k.isList() {
			continue
		}
		v.SetDefault(k.name, k.standard)
		if err := v.BindEnv(k.name, EnvName(k.name)); err != nil {
			return nil, err
		}
		if flag := flags.Lookup(k.name); flag != nil && flag.Changed {
			if err := v.BindPFlag(k.name, flag); err != nil {
				return nil, err
			}
		}
	}
	var problems diag.List
	places, inContext := map[string]api.Position{}, map[string]bool{}
	for _, f := range []struct {
		path              string
		project, required bool
	}{{where.UserFile, false, where.Required}, {nearest(where.Dir), true, false}} {
		file, bad := readFile(table, f.path, f.project, f.required, where.From)
		problems = append(problems, bad...)
		s.Notes = append(s.Notes, file.notes...)
		maps.Copy(places, file.places)
		for name, list := range s.lists() {
			*list = append(*list, file.lists[name]...)
			for _, path := range file.lists[name] {
				s.named[path] = file.places[name]
			}
		}
		if err := v.MergeConfigMap(file.values); err != nil {
			return nil, err
		}
	}
	problems = append(problems, checkEnv(table)...)
	problems = append(problems, s.setContext(v, table, context, inContext)...)
	if len(problems) > 0 {
		return nil, problems
	}
	if err := v.Unmarshal(s); err != nil {
		return nil, diag.Usage("settings: %w", err)
	}
	if s.Toolchain == autoToolchain {
		s.Toolchain, s.AnyFormat = "", true
	}
	s.addLists(flags, where.Dir)
	s.Rows = rows(table, v, s, flags, places, inContext)
	return s, nil
}

// Refuse is the problem of a setting whose value others refuse, with its place
// if it comes from a file and the name of the variable if from the environment.
func (s *Settings) Refuse(name string, err error) *api.Failure {
	hint := ""
	if cause, ok := errors.AsType[*api.Failure](err); ok {
		hint = cause.Hint
	}
	f := diag.UsageHint(hint, "%w", err)
	for _, row := range s.Rows {
		if row.Name != name {
			continue
		}
		f.Pos = row.Pos
		if variable := EnvName(name); row.Origin == variable {
			f = diag.UsageHint(hint, "%s: %w", variable, err)
		}
	}
	return f
}

// Blame adds to a problem with a file of one of the lists which settings file names it.
func (s *Settings) Blame(path string, err error) error {
	if f, ok := errors.AsType[*api.Failure](err); ok && f.Hint == "" {
		if place, ok := s.named[path]; ok {
			f.Hint = place.String() + " names this file"
		}
	}
	return err
}

// lists are the settings that are lists of paths.
func (s *Settings) lists() map[string]*[]string {
	return map[string]*[]string{"resource-types": &s.ResourceTypes, "schema": &s.Schemas}
}

// addLists adds what the environment and flags say.
func (s *Settings) addLists(flags *pflag.FlagSet, dir string) {
	for name, list := range s.lists() {
		paths := filepath.SplitList(os.Getenv(EnvName(name)))
		if flag := flags.Lookup(name); flag != nil && flag.Value.Type() == "stringArray" { // explain --schema is another flag
			given, _ := flags.GetStringArray(name)
			paths = append(paths, given...)
		}
		for _, path := range paths {
			if dir != "." && path != "-" {
				path = resolve(dir, path)
			}
			*list = append(*list, path)
		}
	}
}

// rows tells of every setting its value and where that comes from.
func rows(table []key, v *viper.Viper, s *Settings, flags *pflag.FlagSet, places map[string]api.Position, inContext map[string]bool) []Row {
	all := make([]Row, len(table))
	for i, k := range table {
		row := Row{Name: k.name, Value: v.Get(k.name), Origin: "default"}
		switch k.standard.(type) {
		case bool:
			row.Value = v.GetBool(k.name)
		case int64:
			row.Value = v.GetInt64(k.name)
		case []string:
			row.Value = *s.lists()[k.name]
		}
		flag := flags.Lookup(k.name)
		place, inFile := places[k.name]
		switch {
		case inContext[k.name]:
			row.Origin = "--context"
		case flag != nil && flag.Changed:
			row.Origin = "--" + k.name
		case os.Getenv(EnvName(k.name)) != "":
			row.Origin = EnvName(k.name)
		case inFile:
			row.Origin, row.Pos = place.String(), place
		}
		all[i] = row
	}
	return all
}

// EnvName is the environment variable of a key.
func EnvName(key string) string {
	return "FCTL_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

// nearest finds the project's file from dir upwards.
func nearest(dir string) string {
	for {
		path := filepath.Join(dir, ProjectFile)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// checkEnv says which variable is wrong, which viper would not.
func checkEnv(table []key) diag.List {
	var problems diag.List
	for _, k := range table {
		value, ok := os.LookupEnv(EnvName(k.name))
		if !ok || value == "" {
			continue
		}
		if want := k.refuses(value); want != "" {
			problems = append(problems, diag.Usage("%s: %q is not %s", EnvName(k.name), value, want))
		}
	}
	return problems
}

// setContext applies --context, which wins over everything else.
func (s *Settings) setContext(v *viper.Viper, table []key, context []string, inContext map[string]bool) diag.List {
	const hint = "--context takes space, space-id, unit-id, organization-id, revision-num, approved-by, previous-data-hash and unit-label.KEY, as in space=shop"
	var problems diag.List
next:
	for _, pair := range context {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			problems = append(problems, diag.UsageHint(hint, "--context %s: no '='", pair))
			continue
		}
		if label, ok := strings.CutPrefix(name, "unit-label."); ok && label != "" {
			if s.UnitLabels == nil {
				s.UnitLabels = map[string]string{}
			}
			s.UnitLabels[label] = value
			continue
		}
		switch name {
		case "approved-by":
			s.ApprovedBy = append(s.ApprovedBy, value)
			continue
		case "previous-data-hash":
			s.PreviousDataHash = value
			continue
		}
		for _, k := range table {
			if !k.context || k.name != name {
				continue
			}
			if want := k.refuses(value); want != "" {
				problems = append(problems, diag.Usage("--context %s: %q is not %s", name, value, want))
			} else {
				v.Set(name, value)
				inContext[name] = true
			}
			continue next
		}
		problems = append(problems, diag.UsageHint(hint, "--context: unknown name %q", name))
	}
	return problems
}
