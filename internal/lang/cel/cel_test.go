package cel_test

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
)

const document = `kind: Deployment
spec:
  replicas: 3
  list:
    - {a: 1, b: x}
    - {a: 2, c: y}
  text: some
  nothing: null
  large: 12345678901234567890
  float: 1.5
  day: 2026-01-31
  words: [a, b, c]
  base: &base {p: 1}
  derived:
    <<: *base
    q: 2
`

func parse(t testing.TB, text string) gaby.Value {
	t.Helper()
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Value()
}

func scope() *expression.Scope {
	return &expression.Scope{
		Params: map[string]any{"zone": "eu"},
		Context: expression.Context(&api.FunctionContext{
			UnitSlug: "shop", UnitLabels: map[string]string{"tier": "web"},
		}),
	}
}

// TestTrueExpressions evaluates expressions that are true of the document.
func TestTrueExpressions(t *testing.T) {
	resource := parse(t, document)
	for _, text := range []string{
		// values of the document
		`r.kind == "Deployment" && object.kind == r.kind`,
		`r.spec.replicas == 3 && r.spec.replicas + 1 == 4 && r.spec.float == 1.5 && ` +
			`r.spec.replicas > 2.5`,
		`r.spec.large == 12345678901234567890u && r.spec.nothing == null && r.spec.day == ` +
			`"2026-01-31"`,
		`size(r.spec.list) == 2 && r.spec.list[1].a == 2 && size(r) == 2`,
		`"spec" in r && !("status" in r) && "b" in r.spec.words && {"a": 1, "b": "x"} in ` +
			`r.spec.list`,
		`r.spec.list == [{"a": 1, "b": "x"}, {"a": 2, "c": "y"}] && [{"a": 1, "b": "x"}, {"a": 2,` +
			` "c": "y"}] == r.spec.list`,
		`r.spec.list != [{"a": 1, "b": "x"}] && r.spec.base != {"p": 2} && r.spec.base != [1] && ` +
			`r.spec.words != {"a": 1}`,
		`{"p": 1} == r.spec.base && r.spec.base == r.spec.base && r.spec.words == r.spec.words`,
		`r.spec.derived.p == 1 && r.spec.derived == {"p": 1, "q": 2}`,
		`r.spec.words + ["d"] == ["a", "b", "c", "d"] && ["z"] + r.spec.words == ["z", "a", "b",` +
			` "c"]`,
		`r.spec.list.all(e, e.a > 0) && r.spec.list.exists(e, has(e.c)) && r.spec.list.map(e, ` +
			`e.a) == [1, 2] && r.spec.list.filter(e, e.a > 1).size() == 1`,
		`r.spec.words.exists_one(w, w == "a") && r.spec.base.all(k, k == "p")`,
		`has(r.spec.text) && !has(r.spec.none) && has(r.spec.nothing) && !has(r.spec.derived.z)`,
		`r.spec.?none.orValue(7) == 7 && r.spec.?replicas.orValue(7) == 3 && ` +
			`r.spec.?none.?deeper.orValue("x") == "x" && r.spec.list[?5].hasValue() == false`,
		`type(r.spec) == map && type(r.spec.list) == list && type(r.spec.text) == string && ` +
			`dyn(r.spec) == r.spec`,
		`r.spec.words.transformList(i, w, string(i) + w) == ["0a", "1b", "2c"] && ` +
			`r.spec.base.transformMap(k, v, v + 1) == {"p": 2}`,
		`optional.ofNonZeroValue(r.spec.base).hasValue() && cel.bind(x, r.spec.replicas, x * ` +
			`x) == 9`,
		// the scope
		`params.zone == "eu" && params["zone"] == "eu" && !has(params.none)`,
		`functionContext.UnitSlug == "shop" && functionContext.UnitLabels.tier == "web" && ` +
			`functionContext.SpaceSlug == "" && functionContext.RevisionNum == 0 && ` +
			`size(functionContext.ApprovedBy) == 0`,
		// libraries of cel-go
		`"Some Text".lowerAscii() == "some text" && "a,b".split(",") == ["a", "b"] && ` +
			`"%s-%d".format(["a", 1]) == "a-1" && "abc".substring(1) == "bc"`,
		`math.greatest(1, 3, 2) == 3 && math.ceil(1.2) == 2.0 && sets.contains([1, 2], [1]) && ` +
			`sets.intersects(r.spec.words, ["c"])`,
		`lists.range(3) == [0, 1, 2] && [3, 1, 2].sort() == [1, 2, 3] && [1, [2]].flatten() == ` +
			`[1, 2] && r.spec.words.slice(1, 2) == ["b"] && [1, 1].distinct() == [1]`,
		`base64.encode(b"hi") == "aGk=" && regex.replace("v1.2", "[0-9]+", "x") == "vx.x"`,
		`ip("10.0.0.1").family() == 4 && isIP("::1") && !isIP("x") && ` +
			`cidr("10.0.0.0/8").containsIP("10.1.2.3") && cidr("10.0.0.0/8").prefixLength() == 8 ` +
			`&& isCIDR("10.0.0.0/8")`,
		`timestamp("2026-01-31T23:00:00Z").getDayOfMonth() == 30 && ` +
			`timestamp("2026-01-31T23:00:00Z").getHours("+02:00") == 1 && duration("90m") > ` +
			`duration("1h")`,
		// lists
		`[1, 2, 3].sum() == 6 && [1.5, 2.5].sum() == 4.0 && [].sum() == 0 && [duration("1m"), ` +
			`duration("2m")].sum() == duration("3m")`,
		`[3, 1, 2].min() == 1 && [3, 1, 2].max() == 3 && ["b", "a"].min() == "a" && ` +
			`r.spec.words.max() == "c"`,
		`[1, 2, 2].isSorted() && ![2, 1].isSorted() && [].isSorted() && r.spec.words.isSorted()`,
		`[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && r.spec.words.indexOf("z") ` +
			`== -1 && "abcb".indexOf("b") == 1 && "abcb".lastIndexOf("b") == 3`,
		// regex
		`"abc 123".find("[0-9]+") == "123" && "abc".find("[0-9]+") == "" && "123 abc ` +
			`456".findAll("[0-9]+") == ["123", "456"] && "1 2 3".findAll("[0-9]", 2) == ["1", "2"]`,
		`r.kind.matches("^Dep") && !r.kind.matches("^Stat")`,
		// url
		`url("https://user@example.com:8443/a%20b?q=1&q=2#f").getHost() == "example.com:8443"`,
		`url("https://[::1]:80/").getHostname() == "::1" && url("https://[::1]:80/").getHost() ` +
			`== "[::1]:80" && url("https://[::1]:80/").getPort() == "80"`,
		`url("https://example.com/a b").getEscapedPath() == "/a%20b" && ` +
			`url("https://example.com").getScheme() == "https" && url("/a").getScheme() == ""`,
		`url("https://example.com/?q=1&q=2").getQuery() == {"q": ["1", "2"]} && url("https://a") ` +
			`== url("https://a") && url("https://a") != url("https://b")`,
		`isURL("https://example.com") && isURL("/path") && !isURL("../path") && ` +
			`!isURL("example.com")`,
		// quantity
		`quantity("1.5Gi").compareTo(quantity("1536Mi")) == 0 && ` +
			`quantity("500m").isLessThan(quantity("1")) && ` +
			`quantity("2").isGreaterThan(quantity("1999m"))`,
		`quantity("50k").add(quantity("20k")) == quantity("70k") && quantity("50k").add(20) == ` +
			`quantity("50020") && quantity("50k").sub(quantity("100k")).sign() == -1 && ` +
			`quantity("50k").sub(1) == quantity("49999")`,
		`quantity("50M").isInteger() && quantity("50M").asInteger() == 50000000 && ` +
			`!quantity("50m").isInteger() && quantity("50.703k").asApproximateFloat() == 50703.0`,
		`isQuantity("1Gi") && !isQuantity("1GB") && !isQuantity("") && ` +
			`!quantity("99999999E").isInteger()`,
		// format
		`!format.dns1123Label().validate("my-label").hasValue() && ` +
			`format.dns1123Label().validate("My").hasValue() && ` +
			`format.dns1123Label().validate("My").value().size() == 1`,
		`format.named("dns1123Label").value() == format.dns1123Label() && ` +
			`!format.named("nothing").hasValue()`,
		`!format.qualifiedName().validate("example.com/name").hasValue() && ` +
			`format.qualifiedName().validate("Example/name").hasValue() && ` +
			`!format.dns1123LabelPrefix().validate("a-").hasValue()`,
		`!format.labelValue().validate("").hasValue() && ` +
			`format.labelValue().validate("-a").hasValue() && ` +
			`format.dns1035Label().validate("1a").hasValue() && ` +
			`!format.dns1123Subdomain().validate("a.b-c").hasValue()`,
		`!format.uuid().validate("123e4567-e89b-12d3-a456-426614174000").hasValue() && ` +
			`!format.uri().validate("https://x").hasValue() && ` +
			`format.uri().validate("x").hasValue()`,
		`!format.byte().validate("aGk=").hasValue() && format.byte().validate("a!").hasValue() ` +
			`&& !format.date().validate("2026-01-31").hasValue() && ` +
			`!format.datetime().validate("2026-01-31T00:00:00Z").hasValue()`,
	} {
		t.Run(text, func(t *testing.T) {
			program, err := cel.Compile(text, cel.Bool)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				return
			}
			if v, err := program.Eval(t.Context(), resource, scope()); err != nil || v != true {
				t.Errorf("%s: %v, %v", text, v, err)
			}
		})
	}
}

func TestValues(t *testing.T) {
	resource := parse(t, document)
	for _, c := range []struct {
		text string
		want string
	}{
		{`{"a": 1, "b": [true, null, 1.5, "x"], "c": 3u}`, `map[a:1 b:[true <nil> 1.5 x] c:3]`},
		{`{"t": timestamp("2026-01-31T00:00:00Z"), "d": duration("90s"), "q": quantity("1.5Gi"), ` +
			`"i": ip("::1"), "o": optional.of(1)}`, `map[d:90s i:::1 o:1 q:1536Mi ` +
			`t:2026-01-31T00:00:00Z]`},
		{`{?"a": r.spec.?none, ?"b": r.spec.?text}`, `map[b:some]`},
		{`{"u": 12345678901234567890u}`, `map[u:12345678901234567890]`},
	} {
		t.Run(c.text, func(t *testing.T) {
			program, err := cel.Compile(c.text, cel.Map)
			if err != nil {
				t.Fatal(err)
			}
			v, err := program.Eval(t.Context(), resource, scope())
			if got := fmt.Sprint(v); err != nil || got != c.want {
				t.Errorf("%s: %s, %v, want %s", c.text, got, err, c.want)
			}
		})
	}
	// A value of the document keeps the order of its keys.
	program, err := cel.Compile(`{"spec": r.spec.list[0]}`, cel.Map)
	if err != nil {
		t.Fatal(err)
	}
	v, err := program.Eval(t.Context(), resource, scope())
	if err != nil {
		t.Fatal(err)
	}
	if inside, ok := v.(map[string]any)["spec"].(gaby.Value); !ok ||
		inside.YAML() != "{a: 1, b: x}" {
		t.Errorf("%#v", v)
	}
}

func TestArguments(t *testing.T) {
	for text, want := range map[string]string{
		`"a" + params.zone`: "aeu", `7 / 2`: "3", `3.0 * 2.0`: "6", `1.0 / 4.0`: "0.25",
		`1e20`: "1e+20", `1 == 1`: "true", `5u`: "5",
		`string(size(params)) + functionContext.UnitSlug`: "1shop",
		`params.?none.orValue("d")`:                       "d",
	} {
		t.Run(text, func(t *testing.T) {
			program, err := cel.CompileArgument(text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				return
			}
			if got, err := program.EvalText(t.Context(), scope()); err != nil || got != want {
				t.Errorf("%s: %q, %v, want %q", text, got, err, want)
			}
		})
	}
	for text, want := range map[string]string{
		`params.none`:     "CEL: column 8: no such key: none: params has no none",
		`"x".format([1])`: "",
		`dyn([1])`: "CEL: column 1: expression returned a list, not a string, number " +
			"or bool",
		`params`: "CEL: column 1: expression returns a map, not a string, number or bool",
		`lists.range(9000).map(x, lists.range(9000)).map(l, string(l.size())).join("")`: "CEL: the evaluation takes too long",
	} {
		t.Run(text, func(t *testing.T) {
			program, err := cel.CompileArgument(text)
			if err == nil {
				_, err = program.EvalText(t.Context(), scope())
			}
			if want == "" {
				return
			}
			if err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		})
	}
}

// shown formats an error with its hint and its position in the document.
func shown(err error) string {
	var parts []string
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, err := range all {
		e, ok := errors.AsType[*expression.Error](err)
		if !ok {
			return fmt.Sprintf("%T %v", err, err)
		}
		text := e.Error()
		if e.Pos.Line > 0 {
			text += " @" + e.Pos.String()
		}
		if e.Hint != "" {
			text += " (" + e.Hint + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

func TestCompileErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:             "CEL: the expression is empty",
		`r.spec >`:     "CEL: column 9: the expression ends too early",
		`r.foo(`:       "CEL: column 7: the expression ends too early",
		`r.kind = "A"`: "CEL: column 8: unexpected = (== compares)",
		`r.a and r.b`:  "CEL: column 5: unexpected 'and' (and, or and not are written &&, || and !)",
		`q.x == 1`: "CEL: column 1: q is not known (the variables are object, r, " +
			"params, functionContext; put strings in quotes)",
		`objct.x == 1`: "CEL: column 1: objct is not known (did you mean object?)",
		`r.a.exist(x, x)`: "CEL: column 10: exist is not known (did you mean exists?); " +
			"CEL: column 11: x is not known (the variables are object, r, params, " +
			"functionContext; put strings in quotes); CEL: column 14: x is not known (the " +
			"variables are object, r, params, functionContext; put strings in quotes)",
		`"a" > 1`:          "CEL: column 5: > is not defined for (string, int)",
		`size(1, 2)`:       "CEL: column 5: size is not defined for (int, int)",
		`r.a.matches("(")`: "CEL: column 13: text is not a regular expression (RE2)",
		`duration("x") == r.a`: "CEL: column 10: text is not a duration (durations look " +
			"like 1h30m)",
		"r.a ==\n  1 &&\n  q": "CEL: line 3, column 3: q is not known (the variables are " +
			"object, r, params, functionContext; put strings in quotes)",
		`"é" == q`: "CEL: column 8: q is not known (the variables are object, r, " +
			"params, functionContext; put strings in quotes)",
		`1 + 1`:                   "CEL: column 1: expression returns an int, not true or false",
		`[1]`:                     "CEL: column 1: expression returns a list, not true or false",
		strings.Repeat("(", 2000): "",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := cel.Compile(text, cel.Bool)
			if err == nil {
				t.Errorf("%s: no error", text)
			} else if got := shown(err); want != "" && got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		})
	}
}

func TestEvaluationErrors(t *testing.T) {
	resource := parse(t, document)
	for text, want := range map[string]string{
		`r.spec.none > 1`: "CEL: column 8: no such key: none: r.spec has no none @3:3 " +
			"(has(r.spec.none) reports whether it exists, r.spec.?none.orValue(...) returns " +
			"another value if it does not)",
		`r.spec.replica > 1`: "CEL: column 8: no such key: replica: r.spec has no replica @3:3 " +
			"(did you mean replicas? has(r.spec.replica) reports whether it exists, " +
			"r.spec.?replica.orValue(...) returns another value if it does not)",
		`r.none.deeper.yet`: "CEL: column 3: no such key: none: " +
			"r has no none @1:1 (has(r.none) reports whether it exists, r.?none.orValue(...) " +
			"returns another value if it does not)",
		`r["spec"]["a/b"] == 1`: `CEL: column 10: no such key: a/b: ` +
			`r["spec"] has no a/b @3:3 ("a/b" in r["spec"] reports whether it exists)`,
		`r.spec.list.all(e, e.c == "y")`: "CEL: column 22: no such key: c: e " +
			"has no c @5:7 (has(e.c) reports whether it exists, e.?c.orValue(...) returns " +
			"another value if it does not)",
		`r.spec.list.filter(e, has(e.c)).all(e, e.b == "x")`: "CEL: column 42: no such key: b: e " +
			"has no b @6:7 (has(e.b) reports whether it exists, e.?b.orValue(...) returns " +
			"another value if it does not)",
		`r.spec.text.none`:    `CEL: column 13: no such key: none: r.spec.text is the string "some"`,
		`r.spec.nothing.none`: `CEL: column 16: no such key: none: r.spec.nothing is null`,
		`params.none == ""`: "CEL: column 8: no such key: none: " +
			"params has no none (has(params.none) reports whether it exists, " +
			"params.?none.orValue(...) returns another value if it does not)",
		`r.spec.text > 1`: `CEL: column 13: no such overload: ` +
			`> is not defined for the string "some" (r.spec.text) and the number 1`,
		`r.spec.nothing > 1`: `CEL: column 16: no such overload: ` +
			`> is not defined for null (r.spec.nothing) and the number 1`,
		`r.spec.list.isSorted()`: `CEL: column 21: no such overload: ` +
			`isSorted is not defined for a list (r.spec.list)`,
		`["a", "b"].sum() == "ab"`: `CEL: column 15: no such overload: ` +
			`sum is not defined for a list (["a", "b"])`,
		`[].min() == 1`:         "CEL: column 7: min called on empty list",
		`r.spec.list[5].a == 1`: "CEL: column 12: index out of bounds: 5",
		`1 / 0 == 1`:            "CEL: column 3: division by zero",
		`r.kind.matches(r.kind + "(")`: "CEL: column 15: error parsing " +
			"regexp: missing closing ): `Deployment(`",
		`r.kind.find("(") == ""`: "CEL: column 12: error parsing regexp: missing closing ): `(`",
		`url("x").getHost() == ""`: `CEL: column 4: URL parse error ` +
			`during conversion from string: parse "x": invalid URI for request`,
		`quantity("1GB").isInteger()`: `CEL: column 9: "1GB" is not a ` +
			`quantity such as 500m or 1.5Gi`,
		`quantity("1m").asInteger() == 1`: "CEL: column 25: cannot convert value to integer",
		`r.spec.text`: `CEL: column 1: expression ` +
			`returned the string "some", not true or false`,
		`r.spec.?none`: `CEL: column 1: expression returns a optional_type, not true or false`,
		`timestamp("2026-01-31T00:00:00Z").getHours("Europe/Berlin") == 1`: `CEL: column 43: the ` +
			`time zone "Europe/Berlin" is not an offset from UTC such as +02:00`,
		`timestamp("2026-01-31T00:00:00Z").getFullYear("Local") == 1`: `CEL: column 46: the ` +
			`time zone "Local" is not an offset from UTC such as +02:00`,
		`lists.range(9000).all(x, lists.range(9000).all(y, y >= 0))`: "CEL: the evaluation " +
			"takes too long (it may cost 1000000 units, the limit of Kubernetes' admission " +
			"policies)",
		`lists.range(2000).map(i, "` + strings.Repeat("z", 20000) +
			`" + string(i)).size() == 1`: "CEL: the evaluation takes too long (it may cost " +
			"1000000 units, the limit of Kubernetes' admission policies)",
	} {
		t.Run(text, func(t *testing.T) {
			program, err := cel.Compile(text, cel.Bool)
			if err == nil {
				_, err = program.Eval(t.Context(), resource, scope())
			}
			if err == nil {
				t.Errorf("%.80s: no error", text)
			} else if got := shown(err); got != want {
				t.Errorf("%.80s:\n%s\nwant\n%s", text, got, want)
			}
		})
	}
	for text, want := range map[string]string{
		`{"a": optional.none()}`: "CEL: optional.none() is not a value to write",
		`{"a": type(1)}`:         "CEL: a type is not a value to write",
		`{1: 2}`:                 "CEL: the number 1 is not a key of a map to write, keys are strings",
	} {
		t.Run(text, func(t *testing.T) {
			program, err := cel.Compile(text, cel.Map)
			if err == nil {
				_, err = program.Eval(t.Context(), resource, scope())
			}
			if err == nil || shown(err) != want {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		})
	}
}

// TestValuesOfDocumentsAreLikeTheirConversions checks that a value read in place behaves like its
// conversion to a CEL value in every operation.
func TestValuesOfDocumentsAreLikeTheirConversions(t *testing.T) {
	text := document +
		"empty: {}\nnone: []\nnested: [[1, 2], [], {a: [null, true, -1, 0x10, .inf]}]\n"
	resource := parse(t, text)
	object, err := gaby.ParseYAML([]byte("{}\n"))
	if err != nil {
		t.Fatal(err)
	}
	_ = object
	in := &expression.Scope{Params: map[string]any{"copy": resource.Data()}}
	for _, text := range []string{
		`r == params.copy && params.copy == r`,
		`r.map(k, k).sort() == params.copy.map(k, k).sort()`,
		`r.nested.map(x, size(x)) == params.copy.nested.map(x, size(x))`,
		`r.nested[2].a == params.copy.nested[2].a && r.nested[2].a[3] == 16`,
		`optional.ofNonZeroValue(r.empty).hasValue() == false && ` +
			`optional.ofNonZeroValue(r.none).hasValue() == false`,
		`"%s".format([r.spec.list]) == "%s".format([params.copy.spec.list])`,
		`r.nested.flatten() == params.copy.nested.flatten() && r.nested.reverse() == ` +
			`params.copy.nested.reverse()`,
		`sets.equivalent(r.spec.words, params.copy.spec.words) && r.spec.words.join("-") == ` +
			`"a-b-c"`,
	} {
		t.Run(text, func(t *testing.T) {
			program, err := cel.Compile(text, cel.Bool)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := program.Eval(t.Context(), resource, in); err != nil || v != true {
				t.Errorf("%s: %v %v", text, v, err)
			}
		})
	}
}

func TestProgramsAreConcurrent(t *testing.T) {
	program, err := cel.Compile(`r.spec.list.all(e, e.a > 0) && r.kind.matches("^D" + params.rest)`,
		cel.Bool)
	if err != nil {
		t.Fatal(err)
	}
	in := &expression.Scope{Params: map[string]any{"rest": "ep"}}
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			resource := parse(t, document)
			for range 200 {
				if v, err := program.Eval(t.Context(), resource, in); err != nil || v != true {
					t.Fatal(v, err)
				}
			}
		})
	}
}

func FuzzCompileAndEvaluate(f *testing.F) {
	for _, text := range []string{
		`r.spec.list.all(e, e.c == "y")`, `r.spec.x > 1`, `{"a": r.spec.?x.orValue([])}`,
		`quantity("1Gi").add(3).sign() == 1`, `"é".find("(") + r`, "r\n== 1 &&", `[1, r].sum()`,
		`format.uuid().validate(r.kind).hasValue()`, `cel.bind(a, r, a.b)`,
		`url(r.kind).getQuery()`, `r.spec.list[?7].optMap(x, x.a).value()`,
	} {
		f.Add(text, document)
	}
	f.Fuzz(func(t *testing.T, text, yaml string) {
		doc, err := gaby.ParseYAML([]byte(yaml))
		if err != nil || doc.Check() != nil || len(text) > 1000 {
			return
		}
		program, err := cel.Compile(text, cel.Bool, cel.List, cel.Map)
		if err != nil {
			check(t, text, err)
			return
		}
		in := &expression.Scope{Params: map[string]any{}, Context: map[string]any{}}
		first, err := program.Eval(t.Context(), doc.Value(), in)
		if err != nil {
			check(t, text, err)
		}
		second, again := program.Eval(t.Context(), doc.Value(), in)
		if fmt.Sprint(err) != fmt.Sprint(again) || err == nil &&
			!reflect.DeepEqual(first, second) && !strings.Contains(fmt.Sprint(first), "NaN") {
			t.Errorf("%q gives %v, %v and then %v, %v", text, first, err, second, again)
		}
		if doc.Changed() {
			t.Errorf("%q changed the document", text)
		}
	})
}

// check checks that an error has a position and does not mention internals of the library.
func check(t *testing.T, text string, err error) {
	t.Helper()
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, err := range all {
		e, ok := errors.AsType[*expression.Error](err)
		if !ok {
			t.Errorf("%q: %T %v", text, err, err)
		} else if e.Column < 0 || e.Column > len([]rune(text))+1 ||
			strings.Contains(e.Msg, "internal error") {
			t.Errorf("%q: column %d: %v", text, e.Column, e)
		}
	}
}

// Versions are those of semver.org. Normalized ones may have a leading v, leading zeros and fewer
// parts.
func TestVersions(t *testing.T) {
	for expression, want := range map[string]bool{
		"isSemver('1.2.3')": true, "isSemver('1.2')": false, "isSemver('v1.2.3')": false,
		"isSemver('1.02.3')": false, "isSemver('1.2.3-')": false, "isSemver('1..3')": false,
		"isSemver('1.2.3-rc.1+build.5')": true, "isSemver('1.2.3-rc.01')": false,
		"isSemver('v1', true)": true, "isSemver('01.002', true)": true,
		"isSemver('1..3', true)": false, "isSemver('1.2-rc', true)": false,
		"isSemver('', true)": false, "semver('v1.02', true).minor() == 2": true,
		"semver('1.0.0-rc.2').isLessThan(semver('1.0.0-rc.10'))": true,
		"semver('1.0.0-rc.2').isLessThan(semver('1.0.0'))":       true,
		"semver('1.0.0+a') == semver('1.0.0+b')":                 true,
	} {
		program, err := cel.CompileArgument(expression)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		got, err := program.EvalText(t.Context(), scope())
		if err != nil || got != strconv.FormatBool(want) {
			t.Errorf("%s: %s, %v", expression, got, err)
		}
	}
}
