package cel

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"golang.org/x/mod/semver"
)

// version is a version as defined by https://semver.org/spec/v2.0.0.html, after a v.
type version string

func (v version) String() string { return string(v[1:]) }

func (v version) equal(other version) bool { return v.compare(other) == 0 }

func (v version) celType() *types.Type { return cel.OpaqueType("kubernetes.Semver") }

// compare returns -1, 0 or 1.
func (v version) compare(other version) int { return semver.Compare(string(v), string(other)) }

// numbers returns the parts before the pre-release and the build.
func (v version) numbers() (all [3]int64, err error) {
	core := v[1:]
	if at := strings.IndexAny(string(core), "-+"); at >= 0 {
		core = core[:at]
	}
	for i, part := range strings.Split(string(core), ".") {
		if all[i], err = strconv.ParseInt(part, 10, 64); err != nil {
			return all, err
		}
	}
	return all, nil
}

// parseVersion parses a version. If the second argument is true, it also accepts a leading v,
// leading zeros and missing parts.
func parseVersion(args ...ref.Val) (version, error) {
	text := string(args[0].(types.String))
	v := "v" + text
	if len(args) > 1 && args[1] == types.True {
		v = "v" + normalized(text)
	}
	if semver.Canonical(v)+semver.Build(v) == v { // it has all parts
		if _, err := version(v).numbers(); err == nil {
			return version(v), nil
		}
	}
	return "", fmt.Errorf("%q is not a version such as 1.2.3", text)
}

// normalized returns a version without a leading v and leading zeros, and with all parts if it has
// neither a pre-release nor a build.
func normalized(text string) string {
	text = strings.TrimPrefix(text, "v")
	core, rest := text, ""
	if at := strings.IndexAny(text, "-+"); at >= 0 {
		core, rest = text[:at], text[at:]
	}
	parts := strings.Split(core, ".")
	for i, part := range parts {
		if digits := strings.TrimLeft(part, "0"); digits != part {
			parts[i] = cmp.Or(digits, "0")
		}
	}
	if missing := 3 - len(parts); rest == "" && missing > 0 {
		parts = append(parts, slices.Repeat([]string{"0"}, missing)...)
	}
	return strings.Join(parts, ".") + rest
}

// semverFunctions returns the functions of Kubernetes' semver library:
//
//	semver(string), semver(string, normalize bool) Semver
//	isSemver(string), isSemver(string, normalize bool) bool
//	<Semver>.major(), .minor(), .patch() int
//	<Semver>.compareTo(Semver) int, .isLessThan(Semver), .isGreaterThan(Semver) bool
func semverFunctions() []cel.EnvOption {
	options := slices.Concat(
		conversions("semver", "isSemver", "string", []*cel.Type{cel.StringType}, parseVersion),
		conversions("semver", "isSemver", "string_bool",
			[]*cel.Type{cel.StringType, cel.BoolType}, parseVersion),
		comparisons("semver", version.compare),
	)
	for i, name := range []string{"major", "minor", "patch"} {
		options = append(options, method(name, "semver_"+name, []*cel.Type{version("").celType()},
			cel.IntType, func(args ...ref.Val) ref.Val {
				all, err := args[0].(opaque[version]).is.numbers()
				if err != nil {
					return types.WrapErr(err)
				}
				return types.Int(all[i])
			}))
	}
	return options
}
