package link

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/formula"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// linkFlags holds the flags for the fields of a link.
type linkFlags struct {
	session.Metadata
	session.Body
	updateType              string
	auto, noAuto            bool
	live, noLive            bool
	whereMutation           string
	whereResource           string
	noSubtraction, subtract bool
	originOnly, anyOrigin   bool
	makeCurrent             bool
	transform               string
	upstreamPaths           []string
	upstreamGetters         []string
	downstreamPaths         []string
	downstreamSetters       []string
	bindings                []string
	stripMetadata           bool
}

func (o *linkFlags) add(flags *pflag.FlagSet) {
	o.Metadata.Add(flags)
	var types []string
	for _, t := range entity.UpdateTypes() {
		types = append(types, string(t))
	}
	flags.StringVar(&o.updateType, "update-type", "",
		"resolve the link by `TYPE`: "+strings.Join(types, ", "))
	flags.BoolVar(&o.auto, "auto-update", false, "resolve the link when its upstream changed")
	flags.BoolVar(&o.noAuto, "no-auto-update", false, "resolve the link only when asked to")
	flags.BoolVar(&o.live, "use-live-state", false, "read the live state of the upstream")
	flags.BoolVar(&o.noLive, "no-use-live-state", false, "read the data of the upstream")
	flags.StringVar(&o.whereMutation, "where-mutation", "",
		"let merges overwrite only values of mutations matching `EXPR`")
	flags.StringVar(&o.whereResource, "where-resource", "", "select only upstream resources "+
		"matching `EXPR`")
	flags.BoolVar(&o.noSubtraction, "merge-disable-subtraction", false,
		"let merges overwrite changes of the downstream")
	flags.BoolVar(&o.subtract, "no-merge-disable-subtraction", false,
		"let merges keep changes of the downstream")
	flags.BoolVar(&o.originOnly, "origin-only", false,
		"let merges take from a clone only changes that came from its origin")
	flags.BoolVar(&o.anyOrigin, "no-origin-only", false,
		"let merges take from a clone also its own changes")
	flags.BoolVar(&o.makeCurrent, "make-current", false,
		"take the present revisions as merged; nothing is merged")
	flags.StringVar(&o.transform, "transform-invocation", "",
		"run the stored invocation `[SPACE/]SLUG` on the upstream (Upsert)")
	flags.StringArrayVar(&o.upstreamPaths, "upstream-path", nil,
		"TransformPaths: read a `VALUE`, NAME=TYPE:RESOURCE:PATH")
	flags.StringArrayVar(&o.upstreamGetters, "upstream-getter", nil,
		"TransformPaths: read the result of a `CALL`, \"NAME=FUNCTION ARG...\"")
	flags.StringArrayVar(&o.downstreamPaths, "downstream-path", nil,
		"TransformPaths: write a `VALUE`, "+
			"\"[KEY=]TYPE:RESOURCE:PATH=[int:|bool:][template:|cel:]EXPR\"")
	flags.StringArrayVar(&o.downstreamSetters, "downstream-setter", nil,
		"TransformPaths: run a `CALL`, \"[KEY=]FUNCTION ARG...\"; an ARG may begin with "+
			"template: or cel:")
	flags.StringArrayVar(&o.bindings, "manual-binding", nil,
		"fill a needed path from a provided one: `BINDING` is "+
			"TYPE:RESOURCE:NEEDED=[int:|bool:]TYPE:RESOURCE:PROVIDED, or for Insert "+
			"TYPE:RESOURCE:NEEDED")
	flags.BoolVar(&o.stripMetadata, "insert-strip-metadata", false,
		"Insert: leave out the block with the metadata of an application file")
	o.Of = entity.KindLink
	o.Body.Add(flags)
}

// apply sets the fields that flags name. patch says that lists are changed entry by entry.
func (o *linkFlags) apply(flags *pflag.FlagSet, l *entity.Link, patch bool) error {
	for _, pair := range [][2]string{
		{"auto-update", "no-auto-update"},
		{"use-live-state", "no-use-live-state"},
		{"merge-disable-subtraction", "no-merge-disable-subtraction"},
		{"origin-only", "no-origin-only"},
	} {
		if flags.Changed(pair[0]) && flags.Changed(pair[1]) {
			return diag.Usage("--%s and --%s exclude each other", pair[0], pair[1])
		}
	}
	if err := o.Metadata.Apply(&l.Common); err != nil {
		return err
	}
	setTo(flags, "update-type", (*string)(&l.UpdateType), o.updateType)
	setTo(flags, "auto-update", &l.AutoUpdate, o.auto)
	setTo(flags, "no-auto-update", &l.AutoUpdate, !o.noAuto)
	setTo(flags, "use-live-state", &l.UseLiveState, o.live)
	setTo(flags, "no-use-live-state", &l.UseLiveState, !o.noLive)
	setTo(flags, "where-mutation", &l.WhereMutation, o.whereMutation)
	setTo(flags, "where-resource", &l.WhereResource, o.whereResource)
	setTo(flags, "merge-disable-subtraction", &l.MergeDisableSubtraction, o.noSubtraction)
	setTo(flags, "no-merge-disable-subtraction", &l.MergeDisableSubtraction, !o.subtract)
	setTo(flags, "origin-only", &l.OriginOnly, o.originOnly)
	setTo(flags, "no-origin-only", &l.OriginOnly, !o.anyOrigin)
	setTo(flags, "insert-strip-metadata", &l.InsertStripMetadata, o.stripMetadata)
	if flags.Changed("transform-invocation") {
		l.TransformInvocation, l.TransformInvocationID = o.transform, ""
	}
	return o.lists(l, patch)
}

func setTo[T any](flags *pflag.FlagSet, name string, to *T, value T) {
	if flags.Changed(name) {
		*to = value
	}
}

// lists sets the lists that flags name.
func (o *linkFlags) lists(l *entity.Link, patch bool) error {
	if err := setList(&l.UpstreamPaths, "upstream-path", o.upstreamPaths, patch, parseNamedPath,
		func(a, b entity.NamedPath) bool { return a.Name == b.Name }); err != nil {
		return err
	}
	if err := setList(&l.UpstreamGetters, "upstream-getter", o.upstreamGetters, patch, parseGetter,
		func(a, b entity.NamedFunctionResult) bool { return a.Name == b.Name }); err != nil {
		return err
	}
	if err := setList(&l.DownstreamPaths, "downstream-path", o.downstreamPaths, patch, parsePathExpression,
		func(a, b entity.PathExpression) bool {
			return a.Key == b.Key && (a.Key != "" || a.Path == b.Path && a.Resource == b.Resource)
		}); err != nil {
		return err
	}
	if err := setList(&l.DownstreamSetters, "downstream-setter", o.downstreamSetters, patch, parseSetter,
		func(a, b entity.ParameterizedFunction) bool { return a.Key != "" && a.Key == b.Key },
	); err != nil {
		return err
	}
	return setList(&l.Bindings, "manual-binding", o.bindings, patch, parseBinding,
		func(a, b entity.Binding) bool {
			return !a.AutoUpdate && a.NeededPath == b.NeededPath &&
				*orEmpty(a.NeededResource) == *orEmpty(b.NeededResource)
		})
}

func orEmpty(r *api.ResourceInfo) *api.ResourceInfo {
	if r == nil {
		return &api.ResourceInfo{}
	}
	return r
}

// setList replaces a list by the values of a flag or, with patch, only the entries that are the
// same.
func setList[T any](
	to *[]T, flag string, texts []string, patch bool, parse func(string) (T, error),
	same func(a, b T) bool,
) error {
	if len(texts) == 0 {
		return nil
	}
	list := *to
	if !patch {
		list = nil
	}
	var given []T
	for _, text := range texts {
		v, err := parse(text)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(given, func(earlier T) bool { return same(earlier, v) }) {
			return diag.Usage("--%s is given twice for the same: %q", flag, text)
		}
		given = append(given, v)
		if i := slices.IndexFunc(list, func(old T) bool { return same(old, v) }); i >= 0 {
			list = slices.Clone(list)
			list[i] = v
		} else {
			list = append(slices.Clip(list), v)
		}
	}
	*to = list
	return nil
}

// parseResourcePath parses TYPE:RESOURCE:PATH, the value of a flag.
func parseResourcePath(flag, text string) (entity.ResourceReference, string, error) {
	r, path, err := session.ParseReference(text)
	if err == nil && path == "" {
		err = diag.Usage("a path is missing in %q", text)
	}
	if err != nil {
		return r, path, diag.UsageHint("for example apps/v1/Deployment:shop/web:spec.replicas",
			"--%s: %w", flag, err)
	}
	return r, path, nil
}

func parseNamedPath(text string) (entity.NamedPath, error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok {
		return entity.NamedPath{}, diag.Usage(
			"--upstream-path: NAME=TYPE:RESOURCE:PATH is expected, not %q", text)
	}
	resource, path, err := parseResourcePath("upstream-path", rest)
	return entity.NamedPath{Name: name, Resource: resource, Path: path}, err
}

func parseGetter(text string) (entity.NamedFunctionResult, error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok {
		return entity.NamedFunctionResult{}, diag.Usage(
			"--upstream-getter: \"NAME=FUNCTION ARG...\" is expected, not %q", text)
	}
	invocation, err := parseInvocation("upstream-getter", rest)
	return entity.NamedFunctionResult{Name: name, FunctionInvocation: invocation}, err
}

// parseInvocation parses FUNCTION ARG... with --where EXPR and --parameter=value among them.
func parseInvocation(flag, text string) (api.FunctionInvocation, error) {
	var i api.FunctionInvocation
	words, err := shellwords.Split(text)
	if err != nil {
		return i, diag.Usage("--%s: %w", flag, err)
	}
	if len(words) == 0 {
		return i, diag.Usage("--%s: a function is missing in %q", flag, text)
	}
	i.FunctionName = words[0]
	for n := 1; n < len(words); n++ {
		word := words[n]
		name, value, named := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		switch {
		case word == "--where" && n+1 < len(words):
			n++
			i.WhereResource = words[n]
		case strings.HasPrefix(word, "--where="):
			i.WhereResource = value
		case strings.HasPrefix(word, "--") && named:
			a := parseArgument(value)
			a.ParameterName = name
			i.Arguments = append(i.Arguments, a)
		default:
			i.Arguments = append(i.Arguments, parseArgument(word))
		}
	}
	return i, nil
}

// parseArgument parses an argument that may begin with template: or cel:.
func parseArgument(word string) api.FunctionArgument {
	for _, evaluator := range []string{"template", "cel"} {
		if text, ok := strings.CutPrefix(word, evaluator+":"); ok {
			return api.FunctionArgument{Value: text, Evaluator: evaluator}
		}
	}
	return api.FunctionArgument{Value: word}
}

// cutPath cuts a text at the first = that is not part of a ?key=value segment.
func cutPath(text string) (path, rest string, ok bool) {
	lookup := false
	for i, r := range text {
		switch r {
		case '?':
			lookup = true
		case '.', ':':
			lookup = false
		case '=':
			if !lookup {
				return text[:i], text[i+1:], true
			}
			lookup = false
		}
	}
	return text, "", false
}

// cutKey cuts the KEY= before an entry, if it has one.
func cutKey(text, separators string) (key, rest string) {
	before, after, ok := strings.Cut(text, "=")
	if ok && before != "" && !strings.ContainsAny(before, separators) {
		return before, after
	}
	return "", text
}

// cutType cuts int: or bool: before a text.
func cutType(text string) (api.DataType, string) {
	for _, t := range []api.DataType{api.DataTypeInt, api.DataTypeBool} {
		if rest, ok := strings.CutPrefix(text, string(t)+":"); ok {
			return t, rest
		}
	}
	return "", text
}

func parsePathExpression(text string) (entity.PathExpression, error) {
	var p entity.PathExpression
	key, rest := cutKey(text, ":")
	where, expression, ok := cutPath(rest)
	if !ok {
		return p, diag.Usage("--downstream-path: TYPE:RESOURCE:PATH=EXPR is expected, not %q", text)
	}
	var err error
	p.Key = key
	if p.Resource, p.Path, err = parseResourcePath("downstream-path", where); err != nil {
		return p, err
	}
	p.DataType, expression = cutType(expression)
	a := parseArgument(expression)
	p.Evaluator = a.Evaluator
	p.Expression, _ = a.Value.(string)
	p.Parameters, err = parametersOf("downstream-path", p.Evaluator, p.Expression)
	return p, err
}

// parametersOf returns the names of the parameters that an expression reads.
func parametersOf(flag, evaluator, expression string) ([]string, error) {
	names, err := formula.Parameters(evaluator, expression)
	if err != nil {
		return nil, entity.Fail(entity.CodeExprParse, "--%s: %w", flag, err)
	}
	return names, nil
}

func parseSetter(text string) (entity.ParameterizedFunction, error) {
	key, rest := cutKey(text, " :")
	invocation, err := parseInvocation("downstream-setter", rest)
	f := entity.ParameterizedFunction{Key: key, FunctionInvocation: invocation}
	for _, a := range invocation.Arguments {
		expression, isText := a.Value.(string)
		if err != nil || a.Evaluator == "" || !isText {
			continue
		}
		var names []string
		if names, err = parametersOf("downstream-setter", a.Evaluator, expression); err == nil {
			for _, name := range names {
				if !slices.Contains(f.Parameters, name) {
					f.Parameters = append(f.Parameters, name)
				}
			}
		}
	}
	return f, err
}

func parseBinding(text string) (entity.Binding, error) {
	var b entity.Binding
	_, text = cutKey(text, ":")
	needed, provided, both := cutPath(text)
	if t, _ := cutType(needed); t != "" {
		return b, diag.UsageHint("TYPE:RESOURCE:NEEDED="+string(t)+":TYPE:RESOURCE:PROVIDED",
			"--manual-binding: the type %s is that of the value: write it after the equals sign", t)
	}
	resource, path, err := parseResourcePath("manual-binding", needed)
	if err != nil {
		return b, err
	}
	b.NeededPath, b.NeededResource = path, session.InfoOf(resource)
	if !both {
		return b, nil
	}
	b.DataType, provided = cutType(provided)
	if resource, path, err = parseResourcePath("manual-binding", provided); err != nil {
		return b, err
	}
	b.ProvidedPath, b.ProvidedResource = path, session.InfoOf(resource)
	return b, nil
}
