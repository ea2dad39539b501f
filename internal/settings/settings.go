// Package settings loads the settings of a run. A value comes from the first of these that has it:
//
//	a flag, FCTL_<NAME>, the project's .fctl.yaml (see findProject), the user's
//	own file, the default
//
// The rules of this package:
//   - It is the only package that uses viper, with an instance made per Read.
//   - viper lower-cases keys and splits them at dots, so labels, annotations and arguments of
//     functions never pass through it.
//   - A project's file is untrusted: it comes with the repository. A key in it is only used if its
//     row in the table says that a project may set it.
//   - If the repository is not trusted, those keys of its file count that only change how results
//     are shown, and the keys that let something run have their defaults.
//   - A setting that is a list joins the values of all sources, the user's own file first and flags
//     last. Paths in a file are relative to the directory of that file.
//
// Layer: knowledge.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/policies"
)

// autoToolchain is the value with which a directory means every format.
const autoToolchain = "auto"

// Settings are the settings of a run.
type Settings struct {
	Color  string `mapstructure:"color"`
	Output string `mapstructure:"output"`
	// Toolchain is empty if the name of each file decides, as with "auto".
	Toolchain string `mapstructure:"toolchain"`
	Quiet     bool   `mapstructure:"quiet"`
	Verbose   bool   `mapstructure:"verbose"`
	Debug     bool   `mapstructure:"debug"`

	KeepGoing     bool `mapstructure:"keep-going"`
	Strict        bool `mapstructure:"strict"`
	RequireMatch  bool `mapstructure:"require-match"`
	AllowExternal bool `mapstructure:"allow-external"`

	NoProjectSettings bool `mapstructure:"no-project-settings"`
	// Untrusted means that a stranger wrote the repository: nothing in it runs, reads other files
	// or changes the checks.
	Untrusted bool `mapstructure:"untrusted"`

	MaxSize   string `mapstructure:"max-size"`
	MaxMemory string `mapstructure:"max-memory"`
	Timeout   string `mapstructure:"timeout"`

	// KubernetesVersion is the release whose schemas vet-schemas uses, Report the form in which vet
	// prints findings. Both may be empty.
	KubernetesVersion string `mapstructure:"kubernetes-version"`
	Report            string `mapstructure:"report"`
	// SmithPlugins declares plugins of Bundles, one NAME=COMMAND or NAME=image:IMAGE per line.
	SmithPlugins string `mapstructure:"smith-plugins"`

	Space          string `mapstructure:"space"`
	SpaceID        string `mapstructure:"space-id"`
	UnitID         string `mapstructure:"unit-id"`
	OrganizationID string `mapstructure:"organization-id"`
	RevisionNum    int64  `mapstructure:"revision-num"`

	// AnyFormat is true if the toolchain is "auto": a directory means every format.
	AnyFormat bool `mapstructure:"-"`
	// MaxBytes is MaxSize in bytes, the maximum size of a file.
	MaxBytes int64 `mapstructure:"-"`
	// MemoryBytes is MaxMemory in bytes, what expressions may take; 0 means the default.
	MemoryBytes int64 `mapstructure:"-"`
	// TimeLimit is Timeout, how long an expression or a function may run; 0 means the default.
	TimeLimit time.Duration `mapstructure:"-"`
	// ResourceTypes are files with resource type definitions.
	ResourceTypes []NamedPath `mapstructure:"-"`
	// Schemas are files with schemas of resources, and directories of them.
	Schemas []NamedPath `mapstructure:"-"`
	// FunctionConfigs are files with FunctionConfigs, directories of them, and kube:NAMESPACE for
	// those of a cluster.
	FunctionConfigs []NamedPath `mapstructure:"-"`
	// AllowExec is true, false or any: whether functions may be programs of this machine.
	AllowExec string `mapstructure:"allow-exec"`
	// ImagePrefix is the repository of images of functions that are named without one.
	ImagePrefix string `mapstructure:"image-prefix"`
	// Policies are names of policies, and files with some.
	Policies []NamedPath `mapstructure:"-"`
	// Provided are resources that the cluster has although the input lacks them, as texts and not
	// paths: KIND NAMESPACE/NAME.
	Provided []NamedPath `mapstructure:"-"`
	// UnitLabels come from --context only: viper would change their keys.
	UnitLabels map[string]string `mapstructure:"-"`
	// ApprovedBy and PreviousDataHash say who has approved which data. They come from --context
	// only.
	ApprovedBy       []string `mapstructure:"-"`
	PreviousDataHash string   `mapstructure:"-"`
	// Notes are about projects' files, and keys in them, that were ignored.
	Notes []api.Note `mapstructure:"-"`
	// Rows are all settings, in the order of the table, for `fctl config view`.
	Rows []Row `mapstructure:"-"`

	// ProjectFile is the path of the project's settings file, empty if there is none.
	ProjectFile string `mapstructure:"-"`

	project string   // the name of the project's file in messages
	tops    []string // the directories of an untrusted repository
}

// Defaults returns the default settings.
func Defaults() *Settings {
	return &Settings{
		Color: "auto", Output: "auto", MaxSize: "2GiB", MaxBytes: 2 << 30,
		Space: "default", AllowExec: "false",
	}
}

// Row is a setting, its value and the origin of the value.
type Row struct {
	Name   string
	Value  any
	Origin string
	Pos    api.Position // in the settings file, if it comes from one
}

// key is one row of the table of settings.
type key struct {
	name         string
	defaultValue any // the default, which also determines the type
	project      bool
	form         bool     // only changes how results are shown
	runs         bool     // lets something run; has its default if the repository is not trusted
	context      bool     // also settable as --context name=value
	words        []string // items of a list that are not paths
	text         bool     // no item of a list is a path
}

// keys returns the table. A key that runs programs, opens the network or sends data anywhere must
// not have project: true.
func keys() []key {
	return []key{
		{name: "color", defaultValue: "auto", project: true, form: true},
		{name: "output", defaultValue: "auto", project: true, form: true},
		{name: "toolchain", defaultValue: "", project: true},
		{name: "quiet", defaultValue: false, project: true},
		{name: "verbose", defaultValue: false, project: true, form: true},
		{name: "debug", defaultValue: false, project: true, form: true},
		{name: "keep-going", defaultValue: false, project: true},
		{name: "strict", defaultValue: false, project: true},
		{name: "require-match", defaultValue: false, project: true},
		{name: "allow-external", defaultValue: false, runs: true},
		{name: "no-project-settings", defaultValue: false}, // is about the project's file
		{name: "untrusted", defaultValue: false},           // is about the project's file
		// these protect from the content of a project
		{name: "max-size", defaultValue: "2GiB"},
		{name: "max-memory", defaultValue: ""},
		{name: "timeout", defaultValue: ""},
		{name: "smith-plugins", defaultValue: "", runs: true},
		{name: "resource-types", defaultValue: []string(nil), project: true},
		{name: "schema", defaultValue: []string(nil), project: true},
		{name: "function-configs", defaultValue: []string(nil), project: true},
		{name: "image-prefix", defaultValue: "", project: true},
		{name: "allow-exec", defaultValue: "false", runs: true},
		{name: "kubernetes-version", defaultValue: "", project: true},
		{name: "report", defaultValue: "", project: true, form: true},
		{name: "policy", defaultValue: []string(nil), project: true, words: policies.Names()},
		{name: "provided", defaultValue: []string(nil), project: true, text: true},
		{name: "space", defaultValue: "default", project: true, context: true},
		{name: "space-id", defaultValue: "", project: true, context: true},
		{name: "unit-id", defaultValue: "", project: true, context: true},
		{name: "organization-id", defaultValue: "", project: true, context: true},
		{name: "revision-num", defaultValue: int64(0), project: true, context: true},
	}
}

// Names returns the names of all settings, in the order of the table.
func Names() []string { return names(keys()) }

// StrangerMaySet reports whether a project's file may set this setting even if the repository is
// not trusted.
func StrangerMaySet(name string) bool {
	k, ok := lookup(keys(), name)
	return ok && k.project && k.form
}

// ProjectMaySet reports whether a project's file may set this setting.
func ProjectMaySet(name string) bool {
	k, ok := lookup(keys(), name)
	return ok && k.project
}

// Locations says where settings files are searched.
type Locations struct {
	Dir      string // the directory where the search for the project's file starts
	UserFile string // may not exist
	Required bool   // UserFile must exist, because it was named
	From     string // the directory that names in messages are relative to; Dir if empty
}

// DefaultLocations returns where fctl looks for settings when it works in dir. The search for the
// project's file starts in dir. The user's own settings are in file or, if that is empty, in
// FCTL_CONFIG or in fctl/config.yaml in the user's configuration directory.
func DefaultLocations(dir, file string) Locations {
	w := Locations{From: "."}
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

// Sources are the values from the environment and the settings files.
type Sources struct {
	table     []key
	locations Locations

	viper     *viper.Viper
	files     Settings                // only lists, notes and the project's file are set
	positions map[string]api.Position // of settings in files
	foreign   string                  // how a change of another repository was detected
	problems  diag.List
}

// Read reads the environment and the settings files. Of the flags, it needs no-project-settings.
func Read(flags *pflag.FlagSet, where Locations) *Sources { return read(keys(), flags, where) }

func read(table []key, flags *pflag.FlagSet, where Locations) *Sources {
	where.From = cmp.Or(where.From, where.Dir)
	s := &Sources{
		table: table, locations: where, viper: viper.New(), positions: map[string]api.Position{},
		problems: checkEnv(table),
	}
	for _, k := range table {
		if k.isList() {
			continue
		}
		s.viper.SetDefault(k.name, k.defaultValue)
		if err := s.viper.BindEnv(k.name, EnvName(k.name)); err != nil {
			s.problems = append(s.problems, diag.Usage("settings: %w", err))
		}
	}
	s.bind(flags)
	s.merge(location{path: where.UserFile, required: where.Required})
	untrusted := s.settleTrust(flags)
	if untrusted && s.isOfRepository() {
		f := diag.Untrusted("settings in a file of the repository are refused")
		f.Pos = api.Position{File: shown(where.UserFile, where.From)}
		s.problems = diag.List{f} // others would show a file that a link may lead to
	}
	if s.viper.GetBool("no-project-settings") {
		return s
	}
	found, notes, problem := findProject(where.Dir, where.From)
	s.files.Notes = append(s.files.Notes, notes...)
	switch {
	case problem != nil:
		s.problems = append(s.problems, problem)
	case found != nil:
		path := filepath.Join(found.dir, ProjectFile)
		s.files.ProjectFile, s.files.project = path, shown(path, where.From)
		s.merge(location{path: path, project: found, required: true, untrusted: untrusted})
	}
	return s
}

// settleTrust decides whether the repository is trusted: --trust and --untrusted say so, else the
// environment, the user's own file, and the CI system.
func (s *Sources) settleTrust(flags *pflag.FlagSet) (untrusted bool) {
	trust, asked := isGiven(flags, "trust"), flags.Lookup("untrusted")
	_, inFile := s.positions["untrusted"]
	inFile = inFile && !s.isOfRepository()
	switch {
	case trust && isGiven(flags, "untrusted"):
		s.problems = append(s.problems, diag.Usage("--trust and --untrusted exclude each other"))
	case trust:
		s.viper.Set("untrusted", false)
	case asked != nil && asked.Changed, inFile, os.Getenv(EnvName("untrusted")) != "":
	default:
		s.foreign = foreignChange(os.Getenv)
		if s.foreign != "" {
			s.viper.Set("untrusted", true) // whatever a file of the repository says
		}
	}
	if !s.viper.GetBool("untrusted") {
		return false
	}
	s.files.tops = []string{topOf(s.locations.Dir), topOf(".")}
	if s.foreign != "" {
		s.note("the repository is not trusted: %s; 'fctl help environment' says what that means, "+
			"and --trust ends it", s.foreign)
	}
	var withheld []string
	for _, k := range s.table {
		if !k.runs {
			continue
		}
		if s.viper.GetString(k.name) != fmt.Sprint(k.defaultValue) {
			withheld = append(withheld, k.name)
		}
		s.viper.Set(k.name, k.defaultValue)
	}
	if len(withheld) > 0 {
		s.note("your own settings %s have no effect: the repository is not trusted",
			strings.Join(withheld, ", "))
	}
	return true
}

// isOfRepository reports whether --config or FCTL_CONFIG names a file of the repository, or a link
// in it. Who has written the repository has written the file.
func (s *Sources) isOfRepository() bool {
	if !s.locations.Required {
		return false
	}
	path := s.locations.UserFile
	dir, base := filepath.Split(path)
	link := filepath.Join(files.RealPath(dir), base)
	for _, top := range []string{topOf(s.locations.Dir), topOf(".")} {
		if isBelow(link, top) || isBelow(files.RealPath(path), top) {
			return true
		}
	}
	return false
}

// isGiven reports whether a flag is given, which is not one with the value false.
func isGiven(flags *pflag.FlagSet, name string) bool {
	flag := flags.Lookup(name)
	return flag != nil && flag.Changed && flag.Value.String() != "false"
}

func (s *Sources) note(format string, args ...any) {
	s.files.Notes = append(s.files.Notes, api.Note{Message: fmt.Sprintf(format, args...)})
}

// refused returns the problem of a flag that lets something run although the repository is not
// trusted.
func (s *Sources) refused(flags *pflag.FlagSet) error {
	for _, k := range s.table {
		if flag := flags.Lookup(k.name); k.runs && flag != nil && flag.Changed {
			return diag.Untrusted("--%s is refused", k.name)
		}
	}
	return nil
}

// bind gives the flags that were set precedence over the environment and the files.
func (s *Sources) bind(flags *pflag.FlagSet) {
	for _, k := range s.table {
		if flag := flags.Lookup(k.name); flag != nil && flag.Changed && !k.isList() {
			if err := s.viper.BindPFlag(k.name, flag); err != nil {
				s.problems = append(s.problems, diag.Usage("settings: %w", err))
			}
		}
	}
}

// merge adds the values in a file, which override those of earlier files.
func (s *Sources) merge(in location) {
	file, bad := readFile(s.table, in, s.locations.From)
	s.problems = append(s.problems, bad...)
	s.files.Notes = append(s.files.Notes, file.notes...)
	maps.Copy(s.positions, file.positions)
	for name, list := range s.files.lists() {
		*list = append(*list, file.lists[name]...)
	}
	if err := s.viper.MergeConfigMap(file.values); err != nil {
		s.problems = append(s.problems, diag.Usage("settings: %w", err))
	}
}

// Settings returns the settings with the current values of the flags: flags with the name of a
// setting override it. context is the value of --context, a list of name=value. Settings can be
// called again after more flags were parsed.
func (s *Sources) Settings(flags *pflag.FlagSet, context []string) (*Settings, error) {
	s.bind(flags)
	if s.viper.GetBool("untrusted") {
		if err := s.refused(flags); err != nil {
			return nil, err
		}
	}
	all, inContext := s.files, map[string]bool{}
	for _, list := range all.lists() {
		*list = slices.Clip(*list)
	}
	problems := append(slices.Clip(s.problems),
		all.setContext(s.viper, s.table, context, inContext)...)
	if len(problems) > 0 {
		return nil, problems
	}
	if err := s.viper.Unmarshal(&all); err != nil {
		return nil, diag.Usage("settings: %w", err)
	}
	if all.Toolchain == autoToolchain {
		all.Toolchain, all.AnyFormat = "", true
	}
	all.addLists(flags, s.locations.Dir)
	all.Rows = s.rows(&all, flags, inContext)
	var err error
	if all.MaxBytes, err = parseSize(all.MaxSize); err != nil {
		return nil, all.Invalid("max-size", fmt.Errorf("max-size: %w", err))
	}
	if all.MaxMemory != "" {
		if all.MemoryBytes, err = parseSize(all.MaxMemory); err != nil {
			return nil, all.Invalid("max-memory", fmt.Errorf("max-memory: %w", err))
		}
	}
	if all.Timeout != "" {
		if all.TimeLimit, err = time.ParseDuration(all.Timeout); err != nil || all.TimeLimit <= 0 {
			return nil, all.Invalid("timeout",
				fmt.Errorf("timeout: %q is not a time such as 30s or 5m", all.Timeout))
		}
	}
	return &all, nil
}

// Invalid returns the problem of a setting whose value is invalid, with its position if it comes
// from a file, or the name of the variable if it comes from the environment.
func (s *Settings) Invalid(name string, err error) *api.Failure {
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

// ShowsNotes reports whether notes about the settings are wanted. A project cannot silence them.
func (s *Settings) ShowsNotes() bool {
	return !s.Quiet || slices.ContainsFunc(s.Rows, func(r Row) bool {
		return r.Name == "quiet" && r.Pos.File != "" && r.Pos.File == s.project
	})
}

// lists returns the settings that are lists of paths, by name.
func (s *Settings) lists() map[string]*[]NamedPath {
	return map[string]*[]NamedPath{
		"resource-types": &s.ResourceTypes, "schema": &s.Schemas, "policy": &s.Policies,
		"function-configs": &s.FunctionConfigs, "provided": &s.Provided,
	}
}

// addLists adds the paths from the environment and the flags.
func (s *Settings) addLists(flags *pflag.FlagSet, dir string) {
	for name, list := range s.lists() {
		add := func(paths []string, origin string) {
			for _, path := range paths {
				if dir != "." && path != "-" && !isWord(name, path) {
					path = resolve(dir, path)
				}
				*list = append(*list, NamedPath{Path: path, origin: origin})
			}
		}
		add(filepath.SplitList(os.Getenv(EnvName(name))), EnvName(name))
		// --schema of explain is not this setting
		if flag := flags.Lookup(name); flag != nil && flag.Value.Type() == "stringArray" {
			given, _ := flags.GetStringArray(name)
			add(given, "--"+name)
		}
	}
}

// ClusterPrefix begins the name of a namespace of the cluster of the kubeconfig, where a file could
// be named.
const ClusterPrefix = "kube:"

// IsCluster reports whether a path means objects of a cluster and not a file.
func IsCluster(path string) bool { return strings.HasPrefix(path, ClusterPrefix) }

// isWord reports whether an item of a list is not a path.
func isWord(name, item string) bool {
	k, _ := lookup(keys(), name)
	return k.text || IsCluster(item) || slices.Contains(k.words, item)
}

// rows returns all settings with their values and the origins of these.
func (s *Sources) rows(all *Settings, flags *pflag.FlagSet, inContext map[string]bool) []Row {
	rows := make([]Row, len(s.table))
	for i, k := range s.table {
		row := Row{Name: k.name, Value: s.viper.Get(k.name), Origin: "default"}
		flag := flags.Lookup(k.name)
		position, inFile := s.positions[k.name]
		switch k.defaultValue.(type) {
		case bool:
			row.Value = s.viper.GetBool(k.name)
		case int64:
			row.Value = s.viper.GetInt64(k.name)
		}
		switch {
		case k.isList():
			row.Value, row.Origin = pathsAndOrigins(*all.lists()[k.name])
		case inContext[k.name]:
			row.Origin = "--context"
		case k.runs && all.Untrusted:
			row.Origin = "the repository is not trusted"
		case k.name == "untrusted" && s.foreign != "":
			row.Origin = s.foreign
		case k.name == "untrusted" && isGiven(flags, "trust"):
			row.Origin = "--trust"
		case flag != nil && flag.Changed:
			row.Origin = "--" + k.name
		case os.Getenv(EnvName(k.name)) != "":
			row.Origin = EnvName(k.name)
		case inFile:
			row.Origin, row.Pos = position.String(), position
		}
		rows[i] = row
	}
	return rows
}

// pathsAndOrigins returns the paths of a list, and their origins without consecutive repetitions.
func pathsAndOrigins(files []NamedPath) (paths []string, origins string) {
	paths = make([]string, len(files))
	var from []string
	for i, f := range files {
		paths[i] = f.Path
		from = append(from, cmp.Or(f.origin, f.By.String()))
	}
	return paths, cmp.Or(strings.Join(slices.Compact(from), ", "), "default")
}

// EnvName returns the environment variable of a key.
func EnvName(key string) string {
	return "FCTL_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

// checkEnv reports variables with invalid values. viper would not say which variable is wrong.
func checkEnv(table []key) diag.List {
	var problems diag.List
	for _, k := range table {
		value, ok := os.LookupEnv(EnvName(k.name))
		if !ok || value == "" {
			continue
		}
		if want := k.expected(value); want != "" {
			problems = append(problems,
				diag.Usage("%s: %q is not %s", EnvName(k.name), value, want))
		}
	}
	return problems
}

// setContext applies --context, which overrides everything else.
func (s *Settings) setContext(v *viper.Viper, table []key, context []string,
	inContext map[string]bool,
) diag.List {
	const hint = "--context takes space, space-id, unit-id, organization-id, revision-num, " +
		"approved-by, previous-data-hash and unit-label.KEY, as in space=shop"
	var problems diag.List
next:
	for _, pair := range context {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			problems = append(problems, diag.UsageHint(hint, "--context %s: NAME=VALUE is "+
				"expected", pair))
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
			if want := k.expected(value); want != "" {
				problems = append(problems,
					diag.Usage("--context %s: %q is not %s", name, value, want))
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
