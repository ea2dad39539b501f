package cli

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/compare"
	"github.com/fctl-dev/fctl/internal/cli/fn"
	"github.com/fctl-dev/fctl/internal/cli/runflags"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/knowledge/typenames"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/policies"
	"github.com/fctl-dev/fctl/internal/source"
)

// isCompletion reports whether a shell asks for completions.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd ||
		args[0] == cobra.ShellCompNoDescRequestCmd)
}

// prepareCompletion adds what only completion needs.
func prepareCompletion(a *command.App, root *cobra.Command, args []string) {
	prepareFlags(a, root.Commands())
	root.PersistentFlags().VisitAll(plainUsage)
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { completeFlag(a, root, f) })
	if cmd, _, err := root.Find(args[1:max(1, len(args)-1)]); err == nil &&
		(cmd.Name() == "do" || cmd.Name() == "vet") {
		// Words of these are completed by the rules they are read by, flags included, so cobra must
		// not offer any flag itself.
		cmd.DisableFlagParsing = true
		hide := func(f *pflag.Flag) { f.Hidden = true }
		cmd.Flags().VisitAll(hide)
		root.PersistentFlags().VisitAll(hide)
	}
}

// prepareFlags prepares the flags of commands and of those below them.
func prepareFlags(a *command.App, cmds []*cobra.Command) {
	for _, cmd := range cmds {
		cmd.DisableFlagParsing = false
		cmd.Flags().VisitAll(plainUsage)
		cmd.Flags().VisitAll(func(f *pflag.Flag) { completeFlag(a, cmd, f) })
		prepareFlags(a, cmd.Commands())
	}
}

// plainUsage removes the backquotes, with which pflag marks the name of a flag's value, from the
// description.
func plainUsage(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") }

func completeFlag(a *command.App, cmd *cobra.Command, f *pflag.Flag) {
	if f.Value.Type() == "bool" {
		return
	}
	_ = cmd.RegisterFlagCompletionFunc(f.Name,
		func(cmd *cobra.Command, words []string,
			typed string,
		) ([]string, cobra.ShellCompDirective) {
			c := newCompleter(a, cmd)
			if len(words) > 0 {
				c.path = words[0]
			}
			return c.flagValues(f.Name, typed)
		})
}

// completer completes a word from the words before it.
type completer struct {
	app       *command.App
	cmd       *cobra.Command
	flags     *pflag.FlagSet
	path      string // of the unit, if it is on the command line
	executor  *functions.Executor
	toolchain api.ToolchainType

	validating bool // only validating functions are offered
}

func newCompleter(a *command.App, cmd *cobra.Command) *completer {
	cmd.Flags().AddFlagSet(cmd.InheritedFlags())
	return &completer{app: a, cmd: cmd, flags: cmd.Flags()}
}

// load makes the executor and reports whether it could. Problems with the settings are reported
// when the command runs; a completion only offers less.
func (c *completer) load() bool {
	if c.executor != nil {
		return true
	}
	s, err := c.app.Settings(c.flags)
	if err != nil {
		return false
	}
	if c.executor, err = c.app.ExecutorAt(c.cmd.Context(), s, c.flags); err != nil {
		c.executor = nil
		return false
	}
	c.toolchain = api.ToolchainType(s.Toolchain)
	if c.toolchain == "" {
		c.toolchain = api.ToolchainKubernetesYAML
		if !compare.IsDirectory(c.inDir(c.path)) {
			c.toolchain, _ = source.Formats(c.executor.ToolchainsOf).ByName(c.path)
		}
	}
	return true
}

// completeFunctions completes the name of a function.
func completeFunctions(a *command.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, words []string, typed string) ([]string,
		cobra.ShellCompDirective,
	) {
		if cmd.Name() == "explain" && len(words) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return command.Offer(newCompleter(a, cmd).functionNames(), typed)
	}
}

// completeDoseq completes FILE, UNIT and INVOCATIONS.
func completeDoseq(o *runFlags, words []string, typed string) ([]string, cobra.ShellCompDirective) {
	at := len(words)
	if len(o.files.Paths) > 0 {
		at += 2
	}
	switch at {
	case 0:
		return nil, cobra.ShellCompDirectiveDefault
	case 1, 2:
		unit := []string{}
		if at == 1 {
			unit = append(unit, unitName(words[0]))
		}
		names, directive := command.Offer(append(unit,
			"file:\ta list of invocations in a file",
			"-\ta list on the standard input",
		), typed)
		return names, directive | cobra.ShellCompDirectiveNoSpace
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// unitName guesses a unit name for the file at path.
func unitName(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	name, _, _ = strings.Cut(name, ".")
	if plan.CheckUnitName(name) != nil || name == "-" {
		return "Unit"
	}
	return name
}

// completeDo completes the words of do, by the rules they are read by.
func completeDo(a *command.App, cmd *cobra.Command, o *runFlags, words []string,
	typed string,
) ([]string, cobra.ShellCompDirective) {
	c := newCompleter(a, cmd)
	var named []string // FILE and UNIT, unless -f says what the files are
	missing := func() int {
		if paths := o.files.Paths; len(paths) > 0 {
			c.path = paths[0]
			return 0
		}
		return 2 - len(named)
	}
	for len(words) > 0 && (isFlag(words[0]) || missing() > 0) {
		if isFlag(words[0]) {
			flag, rest, open := c.takeFlag(words)
			if open {
				if paths := o.files.Paths; c.path == "" && len(paths) > 0 {
					c.path = paths[0]
				}
				return c.flagValues(flag, typed)
			}
			words = rest
			continue
		}
		if len(named) == 1 && c.isFunction(words[0]) &&
			(len(words) == 1 || !c.isFunction(words[1])) {
			named = append(named, "") // UNIT is left out
			continue
		}
		named, words = append(named, words[0]), words[1:]
		c.path = named[0]
	}
	switch n := missing(); {
	case n == 0 && len(words) > 0:
		return c.chain(words, typed)
	case strings.HasPrefix(typed, "-"):
		return c.flagWord(typed, c.flagNames(func(*pflag.Flag) bool { return true }))
	case n == 2:
		return nil, cobra.ShellCompDirectiveDefault
	case n == 1:
		return command.Offer(append([]string{unitName(named[0])}, c.functionNames()...), typed)
	}
	return command.Offer(c.functionNames(), typed)
}

func isFlag(word string) bool { return len(word) > 1 && word[0] == '-' }

// isFunction reports whether the toolchain has a function of that name.
func (c *completer) isFunction(name string) bool {
	if !c.load() {
		return false
	}
	_, known := c.executor.Signature(c.toolchain, name)
	return known
}

// takeFlag sets the flag that begins at words[0]. open reports whether its value is the word being
// typed.
func (c *completer) takeFlag(words []string) (name string, rest []string, open bool) {
	flag, needsValue := command.LookupFlag(c.flags, words[0])
	if flag == nil {
		return "", words[1:], false
	}
	if needsValue && len(words) == 1 {
		// In -qo the last letter is the flag that takes the value.
		if word := words[0]; word[1] != '-' {
			flag = c.flags.ShorthandLookup(word[len(word)-1:])
		}
		return flag.Name, nil, true
	}
	n := 1
	if needsValue {
		n = 2
	}
	_ = c.flags.Parse(words[:n])
	return flag.Name, words[n:], false
}

// chain completes a word after FUNCTION.
func (c *completer) chain(words []string, typed string) ([]string, cobra.ShellCompDirective) {
	if !c.load() {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	signature, _ := c.executor.Signature(c.toolchain, words[0])
	given := map[string]string{}
	isGiven := func(p *api.FunctionParameter) bool { _, ok := given[p.ParameterName]; return ok }
	next := func() *api.FunctionParameter {
		for i := range signature.Parameters {
			if p := &signature.Parameters[i]; !isGiven(p) ||
				signature.VarArgs && i == len(signature.Parameters)-1 {
				return p
			}
		}
		return nil
	}
	for words = words[1:]; len(words) > 0; {
		word := words[0]
		parameter, hasValue := parameterOf(signature, word)
		switch {
		case word == plan.Then && len(words) == 1:
			return command.Offer(c.functionNames(), typed)
		case word == plan.Then:
			return c.chain(words[1:], typed)
		case parameter != nil && !hasValue && len(words) == 1:
			return command.Offer(c.values(signature, parameter, given), typed)
		case parameter != nil:
			_, value, _ := strings.Cut(word, "=")
			if words = words[1:]; !hasValue {
				value, words = words[0], words[1:]
			}
			given[parameter.ParameterName] = value
		case isFlag(word):
			flag, rest, open := c.takeFlag(words)
			if open {
				return c.flagValues(flag, typed)
			}
			words = rest
		default:
			if p := next(); p != nil {
				given[p.ParameterName] = word
			}
			words = words[1:]
		}
	}
	if strings.HasPrefix(typed, "-") {
		if parameter, hasValue := parameterOf(signature, typed); parameter != nil && hasValue {
			_, value, _ := strings.Cut(typed, "=")
			return command.Offer(c.values(signature, parameter, given), value)
		}
		var names []string
		for i := range signature.Parameters {
			if p := &signature.Parameters[i]; !isGiven(p) {
				names = append(names, "--"+p.ParameterName+"\t"+p.Description)
			}
		}
		return c.flagWord(typed, append(names, c.flagNames(mayFollow)...))
	}
	var candidates []string
	missing := false
	if p := next(); p != nil {
		candidates = c.values(signature, p, given)
	}
	for i := range signature.Parameters {
		p := &signature.Parameters[i]
		missing = missing || p.Required && !isGiven(p)
	}
	if !missing {
		candidates = append(candidates, plan.Then+"\tthe next function")
	}
	return command.Offer(candidates, typed)
}

// parameterOf finds the parameter that --name or --name=value names.
func parameterOf(s api.FunctionSignature, word string) (p *api.FunctionParameter, hasValue bool) {
	name, ok := strings.CutPrefix(word, "--")
	if !ok {
		return nil, false
	}
	name, _, hasValue = strings.Cut(name, "=")
	for i := range s.Parameters {
		if s.Parameters[i].ParameterName == name {
			return &s.Parameters[i], hasValue
		}
	}
	return nil, false
}

// mayFollow reports whether a flag is allowed after FUNCTION.
func mayFollow(f *pflag.Flag) bool { return !decidesFunctions(f) && !isPathFlag(f) }

// flagNames returns the flags of fctl that can still be given, with their descriptions.
func (c *completer) flagNames(wanted func(*pflag.Flag) bool) []string {
	var names []string
	c.flags.VisitAll(func(f *pflag.Flag) {
		if _, repeated := f.Value.(pflag.SliceValue); !wanted(f) || f.Changed && !repeated {
			return
		}
		names = append(names, "--"+f.Name+"\t"+f.Usage)
		if f.Shorthand != "" {
			names = append(names, "-"+f.Shorthand+"\t"+f.Usage)
		}
	})
	return names
}

// flagWord completes a word that begins with a dash: with one of names or, after =, with a value of
// the flag. The completion scripts of all shells prepend "--flag=" to such values themselves.
func (c *completer) flagWord(typed string, names []string) ([]string, cobra.ShellCompDirective) {
	if name, value, ok := strings.Cut(strings.TrimPrefix(typed, "--"), "="); ok {
		return c.flagValues(name, value)
	}
	return command.Offer(names, typed)
}

// functionNames returns the names of the functions, except deprecated ones, with their
// descriptions.
func (c *completer) functionNames() []string {
	if !c.load() {
		return nil
	}
	var names []string
	for _, s := range c.executor.Signatures(c.toolchain) {
		if !s.Deprecated && (s.Validating || !c.validating) {
			text, _, _ := strings.Cut(s.Description, "\n")
			names = append(names, s.FunctionName+"\t"+text)
		}
	}
	return names
}

// values returns the possible values of a parameter, as far as they are known: from its type, or
// from the contents of the file on the command line and the arguments already given.
func (c *completer) values(s api.FunctionSignature, p *api.FunctionParameter,
	given map[string]string,
) []string {
	switch {
	case len(p.EnumValues) > 0:
		return p.EnumValues
	case p.DataType == api.DataTypeBool:
		return []string{"true", "false"}
	}
	switch p.ParameterName {
	case parameterResourceType:
		return c.resourceTypes(p)
	case "resource-name":
		return c.resourceNames(given[parameterResourceType])
	case "container-name":
		return append(c.containers(), "*\tevery container")
	case "attribute-name":
		return c.attributes()
	case "path":
		return c.paths(given[parameterResourceType])
	case "kubernetes-version":
		return kubernetesVersions()
	}
	if s.AttributeName == "" {
		return nil
	}
	return accepted(c.pathArguments(s, p, given), p.Regexp)
}

// parameterResourceType is the parameter by which functions take the type of the resources to work
// on.
const parameterResourceType = "resource-type"

// resourceTypes returns the types in the file, or all known types if it has no resources.
func (c *completer) resourceTypes(p *api.FunctionParameter) []string {
	var types []string
	for _, r := range c.resources() {
		types = append(types, string(r.ResourceType))
	}
	if len(types) == 0 {
		types = texts(c.executor.ResourceTypes(c.toolchain))
	}
	if p.Any {
		types = append(types, "*\tevery type")
	}
	return types
}

// resourceNames returns the names of the resources of a type in the file, of all resources if the
// type is empty or *.
func (c *completer) resourceNames(ofType string) []string {
	var names []string
	for _, r := range c.resources() {
		if ofType == "" || ofType == string(api.ResourceTypeAny) ||
			ofType == string(r.ResourceType) {
			names = append(names, string(r.ResourceNameWithoutScope))
		}
	}
	return names
}

// accepted returns the values that match the pattern of their parameter; an empty pattern matches
// all.
func accepted(values []string, expression string) []string {
	re, err := pattern.Compile(expression)
	if err != nil {
		return nil // no function is registered with such a pattern
	}
	return slices.DeleteFunc(values, func(value string) bool { return !re.MatchString(value) })
}

// pathArguments returns what the paths of a function's attribute have in the file in place of the
// parameter p.
func (c *completer) pathArguments(s api.FunctionSignature, p *api.FunctionParameter,
	given map[string]string,
) []string {
	unit := c.unit()
	if unit == nil {
		return nil
	}
	arguments := make([]string, len(s.Parameters))
	for i := range s.Parameters {
		arguments[i] = cmp.Or(given[s.Parameters[i].ParameterName], "*")
	}
	values, err := unit.PathArguments(s.AttributeName, arguments, p.ParameterName)
	if err != nil {
		return nil
	}
	return values
}

func (c *completer) attributes() []string {
	paths, err := c.executor.RegisteredPaths(c.toolchain)
	if err != nil {
		return nil
	}
	return texts(slices.Sorted(maps.Keys(paths)))
}

func texts[T ~string](list []T) []string {
	var all []string
	for _, item := range list {
		all = append(all, string(item))
	}
	return all
}

// maxCompleted is the size in bytes of the largest file read to complete a word.
const maxCompleted = 64 << 20

// unit opens the file on the command line. It returns nil if the file cannot be read.
func (c *completer) unit() *functions.Unit {
	if c.path == "" || c.path == "-" || !c.load() {
		return nil
	}
	reader := &source.Reader{Toolchain: c.toolchain, RegularOnly: true, MaxSize: maxCompleted}
	unit, err := reader.Unit(c.cmd.Context(), c.inDir(c.path), "Unit")
	if err != nil {
		return nil
	}
	opened, err := c.executor.Open(unit.Toolchain, unit.Data)
	if err != nil {
		return nil
	}
	return opened
}

// inDir resolves a path on the command line, relative to the directory given with -C.
func (c *completer) inDir(path string) string { return source.InDirectory(c.app.Dir, path) }

func (c *completer) resources() api.ResourceList {
	unit := c.unit()
	if unit == nil {
		return nil
	}
	resources, err := unit.Resources()
	if err != nil {
		return nil
	}
	return resources
}

// containers returns the names of the containers in the file, which have images.
func (c *completer) containers() []string {
	signature, _ := c.executor.Signature(c.toolchain, "get-container-image")
	parameter, _ := parameterOf(signature, "--container-name")
	if parameter == nil {
		return nil
	}
	return c.pathArguments(signature, parameter, nil)
}

// flagValues completes the value of a flag of fctl.
func (c *completer) flagValues(name, typed string) ([]string, cobra.ShellCompDirective) {
	if flag := c.flags.Lookup(name); flag != nil {
		if choice, ok := flag.Value.(*command.Choice); ok {
			return command.Offer(choice.Values, typed)
		}
	}
	if values, directive, ok := runflags.FlagValues(name, typed); ok {
		return values, directive
	}
	if parent := c.cmd.Parent(); parent != nil && parent.Name() == "fn" {
		return fn.FlagValues(name, typed, c.functionNames)
	}
	switch name {
	case "filename", "resource-types", "schema", "schema-location", "config", "functions", "file", "baseline",
		"write-baseline", "files-from":
		return nil, cobra.ShellCompDirectiveDefault
	case "policy":
		var names []string
		for _, name := range policies.Names() {
			names = append(names, name+"\t"+policies.Description(name))
		}
		fitting, _ := command.Offer(names, typed)
		return fitting, cobra.ShellCompDirectiveDefault
	case "directory", "output-dir":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case "other-data":
		return nil, cobra.ShellCompDirectiveNoFileComp
	case "context":
		names, directive := command.Offer([]string{
			"space=", "space-id=", "unit-id=", "organization-id=",
			"revision-num=", "approved-by=", "previous-data-hash=", "unit-label.",
		}, typed)
		return names, directive | cobra.ShellCompDirectiveNoSpace
	case "color":
		return command.Offer([]string{"auto", "always", "never"}, typed)
	case "report":
		return command.Offer(report.Kinds(), typed)
	case "output":
		var forms []string
		for _, f := range report.Formats() {
			forms = append(forms, f.Name+"\t"+f.Text)
		}
		return command.Offer(forms, typed)
	}
	if !c.load() {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var values []string
	switch name {
	case "toolchain":
		values = append(texts(c.executor.Toolchains()), "auto")
	case "attribute":
		values = c.attributes()
	case "resource-type":
		values = texts(c.executor.ResourceTypes(c.toolchain))
	case "kubernetes-version":
		values = kubernetesVersions()
	case "selector":
		if unit := c.unit(); unit != nil {
			values = unit.Labels()
		}
	case "kind":
		values = c.kinds(typed)
	case "name", "namespace":
		for _, r := range c.resources() {
			values = append(values, selectorValue(name, r.ResourceInfo))
		}
	}
	return command.Offer(slices.DeleteFunc(values, func(v string) bool { return v == "" }), typed)
}

// kinds returns the kinds in the file or, as FILE may come later, all that are known. What begins
// in lower case is completed with kubectl's names: deployments, deploy, deployments.apps.
func (c *completer) kinds(typed string) []string {
	last := strings.LastIndexByte(typed, ',') + 1
	lower := typed[last:] != "" && typed[last:] == strings.ToLower(typed[last:])
	var types []api.ResourceType
	for _, r := range c.resources() {
		types = append(types, r.ResourceType)
	}
	known := len(types) == 0
	if known {
		types = c.executor.ResourceTypes(c.toolchain)
	}
	var values []string
	table := typenames.BuiltIn()
	for _, t := range types {
		values = append(values,
			typed[:last]+configkit.KindOf(t))
		if lower {
			for _, n := range table.Names(t) {
				values = append(values, typed[:last]+n)
			}
		}
	}
	if known {
		slices.Sort(values)
	}
	return values
}

// maxPaths is the number of paths offered.
const maxPaths = 1000

// paths returns the paths in the resources of a type in the file.
func (c *completer) paths(ofType string) []string {
	unit := c.unit()
	if unit == nil {
		return nil
	}
	if t, _, err := do.NewTypeNames(c.executor).Resolve(ofType); err == nil {
		ofType = string(t)
	}
	return unit.Paths(api.ResourceType(ofType), maxPaths)
}

// kubernetesVersions returns the releases of Kubernetes that have schemas, the newest first.
func kubernetesVersions() []string {
	_, err := (&schemas.Library{}).Release("0.0")
	unknown, ok := errors.AsType[*schemas.UnknownReleaseError](err)
	if !ok {
		return nil
	}
	known := slices.Clone(unknown.Known)
	slices.Reverse(known)
	return known
}

// selectorValue returns the value by which a flag selects the resource.
func selectorValue(flag string, info api.ResourceInfo) string {
	if flag == "name" {
		return string(info.ResourceNameWithoutScope)
	}
	scope, _, _ := strings.Cut(string(info.ResourceName), "/")
	return scope
}
