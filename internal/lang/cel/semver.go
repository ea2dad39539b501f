package cel

import (
	"cmp"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// version is a version as defined by https://semver.org/spec/v2.0.0.html.
type version struct {
	core  [3]int64
	pre   []string // identifiers of the pre-release
	build string
}

func (v version) String() string {
	text := strconv.FormatInt(v.core[0], 10) + "." + strconv.FormatInt(v.core[1], 10) + "." +
		strconv.FormatInt(v.core[2], 10)
	if v.pre != nil {
		text += "-" + strings.Join(v.pre, ".")
	}
	if v.build != "" {
		text += "+" + v.build
	}
	return text
}

func (v version) equal(other version) bool { return v.compare(other) == 0 }

func (v version) celType() *types.Type { return cel.OpaqueType("kubernetes.Semver") }

// compare returns -1, 0 or 1.
func (v version) compare(other version) int {
	for i, n := range v.core {
		if c := cmp.Compare(n, other.core[i]); c != 0 {
			return c
		}
	}
	if len(v.pre) == 0 || len(other.pre) == 0 {
		return cmp.Compare(len(other.pre), len(v.pre)) // a version without a pre-release is greater
	}
	for i := range min(len(v.pre), len(other.pre)) {
		a, b := v.pre[i], other.pre[i]
		if isDigits(a) != isDigits(b) {
			if isDigits(a) {
				return -1
			}
			return 1
		}
		c := strings.Compare(a, b)
		if isDigits(a) {
			c = cmp.Or(cmp.Compare(len(a), len(b)), c)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(v.pre), len(other.pre))
}

func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// parseVersion parses a version. If normalize is set, it also accepts a leading v, leading zeros
// and missing parts.
func parseVersion(text string, normalize bool) (v version, ok bool) {
	if normalize {
		text = strings.TrimPrefix(text, "v")
	}
	text, build, hasBuild := strings.Cut(text, "+")
	core, pre, hasPre := strings.Cut(text, "-")
	parts := strings.Split(core, ".")
	if len(parts) > 3 || len(parts) < 3 && (!normalize || hasPre || hasBuild) {
		return v, false
	}
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || !isDigits(part) || !normalize && len(part) > 1 && part[0] == '0' {
			return v, false
		}
		v.core[i] = n
	}
	if hasPre {
		v.pre = strings.Split(pre, ".")
	}
	if v.build = build; hasBuild && !areIdentifiers(strings.Split(build, ".")) ||
		!areIdentifiers(v.pre) {
		return v, false
	}
	for _, p := range v.pre {
		if isDigits(p) && len(p) > 1 && p[0] == '0' {
			return v, false
		}
	}
	return v, true
}

// areIdentifiers reports whether all texts are identifiers of a pre-release or build.
func areIdentifiers(all []string) bool {
	for _, text := range all {
		if text == "" ||
			strings.Trim(text,
				"0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
	}
	return true
}

// semverFunctions returns the functions of Kubernetes' semver library:
//
//	semver(string), semver(string, normalize bool) Semver
//	isSemver(string), isSemver(string, normalize bool) bool
//	<Semver>.major(), .minor(), .patch() int
//	<Semver>.compareTo(Semver) int, .isLessThan(Semver), .isGreaterThan(Semver) bool
func semverFunctions() []cel.EnvOption {
	of := version{}.celType()
	parse := func(args ...ref.Val) (version, bool) {
		return parseVersion(string(args[0].(types.String)), len(args) > 1 && args[1] == types.True)
	}
	read := func(args ...ref.Val) ref.Val {
		v, ok := parse(args...)
		if !ok {
			return types.NewErr("%q is not a version such as 1.2.3", string(args[0].(types.String)))
		}
		return opaque[version]{v}
	}
	is := func(args ...ref.Val) ref.Val {
		_, ok := parse(args...)
		return types.Bool(ok)
	}
	text, normalized := []*cel.Type{cel.StringType}, []*cel.Type{cel.StringType, cel.BoolType}
	options := []cel.EnvOption{
		cel.Function("semver",
			cel.Overload("string_to_semver", text, of, cel.FunctionBinding(read)),
			cel.Overload("string_bool_to_semver", normalized, of, cel.FunctionBinding(read))),
		cel.Function("isSemver",
			cel.Overload("is_semver_string", text, cel.BoolType, cel.FunctionBinding(is)),
			cel.Overload("is_semver_string_bool", normalized, cel.BoolType,
				cel.FunctionBinding(is))),
	}
	for i, name := range []string{"major", "minor", "patch"} {
		options = append(options,
			cel.Function(name, cel.MemberOverload("semver_"+name, []*cel.Type{of}, cel.IntType,
				cel.UnaryBinding(func(v ref.Val) ref.Val {
					return types.Int(v.(opaque[version]).is.core[i])
				}))))
	}
	return append(options, comparisons("semver", version.compare)...)
}
