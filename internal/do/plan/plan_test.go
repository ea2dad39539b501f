package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/settings"
)

// registry is a set of functions that checks the number of arguments and rejects the value bad.
type registry map[string]api.FunctionSignature

func testRegistry() registry {
	r := registry{}
	add := func(name string, varArgs bool, parameters ...string) {
		s := api.FunctionSignature{FunctionName: name, VarArgs: varArgs}
		for _, p := range parameters {
			s.Parameters = append(s.Parameters,
				api.FunctionParameter{ParameterName: p, Required: true})
		}
		s.RequiredParameters = len(parameters)
		r[name] = s
	}
	add("get-size", false)
	add("set-size", false, "size")
	add("set-pair", false, "first", "second")
	add("set-many", true, "value")
	add("set-tree", false, "tree", "list")
	r["set-size"].Parameters[0].DeprecatedNames = []string{"old-size"}
	r["set-tree"].Parameters[0].DataType, r["set-tree"].Parameters[1].DataType = api.DataTypeYAML,
		api.DataTypeAttributeValueList
	return r
}

func (r registry) Toolchains() []api.ToolchainType {
	return []api.ToolchainType{api.ToolchainKubernetesYAML}
}

func (r registry) Signature(_ api.ToolchainType, name string) (api.FunctionSignature, bool) {
	s, ok := r[name]
	return s, ok
}

func (r registry) Signatures(api.ToolchainType) []api.FunctionSignature {
	var all []api.FunctionSignature
	for _, name := range []string{"get-size", "set-many", "set-pair", "set-size", "set-tree"} {
		all = append(all, r[name])
	}
	return all
}

func (r registry) ValidateInvocation(_ api.ToolchainType,
	i api.FunctionInvocation,
) (api.FunctionInvocation, error) {
	s := r[i.FunctionName]
	if n := len(i.Arguments); n < s.RequiredParameters || n > len(s.Parameters) && !s.VarArgs {
		return i, &handler.ArgumentError{
			Function: i.FunctionName,
			Message:  fmt.Sprintf("got %d arguments", n),
		}
	}
	var problems []error
	for _, a := range i.Arguments {
		if a.Value == "bad" {
			problems = append(problems,
				&handler.ArgumentError{
					Function:  i.FunctionName,
					Parameter: s.Parameters[0].ParameterName, Value: a.Value, Message: "is bad",
					HintText: "use good",
				})
		}
	}
	return i, errors.Join(problems...)
}

// flags has --color VALUE, -o VALUE and --quiet.
type flags struct{ got []string }

func (f *flags) Recognize(words []string) int {
	name, _, hasValue := strings.Cut(words[0], "=")
	switch {
	case name == "--quiet", (name == "--color" || name == "-o") && hasValue:
		return 1
	case name == "--color", name == "-o":
		return min(2, len(words))
	}
	return 0
}

func (f *flags) set(flag *plan.FlagWords) {
	if words := flag.Words; len(words) == 1 && words[0] != "--quiet" &&
		!strings.Contains(words[0], "=") {
		flag.Problem = diag.Usage("%s needs a value", words[0])
		return
	}
	f.got = append(f.got, flag.Words...)
}

func (f *flags) Names() []string { return []string{"color", "quiet"} }

func resolve(words string) (*plan.Plan, *flags, error) {
	f := &flags{}
	w := &plan.Resolver{
		Functions: testRegistry(), Flags: f,
		ReadFile: func(path string) ([]byte, error) {
			if path == "missing" {
				return nil, diag.Input("./missing", "", errors.New("no such file"))
			}
			return []byte("content of " + path), nil
		},
	}
	split := w.Split(strings.Fields(words))
	for _, flag := range split.Flags {
		f.set(flag)
	}
	p, err := w.Resolve(split)
	return p, f, err
}

// text formats a chain as name(parameter=value ...), with an evaluator before its value.
func text(p *plan.Plan) string {
	var links []string
	for _, i := range p.Invocations {
		var args []string
		for _, a := range i.Arguments {
			arg := fmt.Sprint(a.Value)
			if a.Evaluator != "" {
				arg = a.Evaluator + "{" + arg + "}"
			}
			if a.ParameterName != "" {
				arg = a.ParameterName + "=" + arg
			}
			args = append(args, arg)
		}
		link := i.FunctionName + "(" + strings.Join(args, " ") + ")"
		if i.WhereResource != "" {
			link += " where " + i.WhereResource
		}
		if i.Name != "" {
			link += " called " + i.Name
		}
		links = append(links, link)
	}
	return strings.Join(links, " ")
}

func TestResolve(t *testing.T) {
	for words, want := range map[string]string{
		"get-size":                        "get-size()",
		"set-size 5":                      "set-size(5)",
		"set-size -5":                     "set-size(-5)",
		"set-size -":                      "set-size(-)",
		"set-size --size=5":               "set-size(size=5)",
		"set-size --size 5":               "set-size(size=5)",
		"set-size --size --size":          "set-size(size=--size)",
		"set-size --size=":                "set-size(size=)",
		"set-pair --second=a=b --first x": "set-pair(second=a=b first=x)",
		"set-size 5 then get-size then set-pair a b": "set-size(5) get-size() set-pair(a b)",
		"set-pair --color never a --quiet b -o json": "set-pair(a b)|--color never --quiet -o json",
		"set-pair -- --color then":                   "set-pair(--color then)",
		"set-pair a -- -- ":                          "set-pair(a --)",
		"set-size text:then":                         "set-size(then)",
		"set-size text:text:x":                       "set-size(text:x)",
		"set-size file:a.txt":                        "set-size(content of a.txt)",
		"set-size --size=file:-":                     "set-size(size=content of -)",
		"set-size template:{{.UnitSlug}}":            "set-size(template{{{.UnitSlug}}})",
		"set-size cel:1+1":                           "set-size(cel{1+1})",
		"set-size -- template:x":                     "set-size(template:x)",
		"set-size -- file:a.txt":                     "set-size(file:a.txt)",
		"set-size -- text:a":                         "set-size(text:a)",
		"set-size -- cel:1+1":                        "set-size(cel:1+1)",
		"set-size file://a.txt":                      "set-size(file://a.txt)",
		"set-size --size=file:///etc/hosts":          "set-size(size=file:///etc/hosts)",
		"set-size -- --size=5":                       "set-size(size=5)",
		"set-size -- --old-size=5":                   "set-size(old-size=5)",
		"set-size -- --size=cel:1+1":                 "set-size(size=cel{1+1})",
		"set-pair -- --v=3 --second=b":               "set-pair(--v=3 second=b)",
		"set-pair -- --second -5":                    "set-pair(--second -5)",
		"set-size other:x":                           "set-size(other:x)",
		"set-many a get-size b":                      "set-many(a get-size b)",
	} {
		t.Run(words, func(t *testing.T) {
			p, f, err := resolve(words)
			if err != nil {
				t.Errorf("%s: %v", words, err)
				return
			}
			got := text(p)
			if len(f.got) > 0 {
				got += "|" + strings.Join(f.got, " ")
			}
			if got != want {
				t.Errorf("%s: got %s, want %s", words, got, want)
			}
			if len(p.Signatures) != len(p.Invocations) {
				t.Errorf("%s: %d signatures", words, len(p.Signatures))
			}
		})
	}
}

func TestProblems(t *testing.T) {
	for words, want := range map[string]string{
		"set-siz 5": "fctl: unknown function \"set-siz\"\nhint: did you mean set-size?\n",
		"zzz 5":     "fctl: unknown function \"zzz\"\nhint: 'fctl list' shows the functions\n",
		"zzz --any=1 then set-size bad": "fctl: unknown function \"zzz\"\n" +
			"hint: 'fctl list' shows the functions\nfctl: set-size: argument size: is bad\n" +
			"hint: use good\n",
		"set-size --siz=5": "fctl: set-size: --siz is neither a parameter of " +
			"this function nor a flag\nhint: did you mean --size?\n",
		"set-size --colour=x": "fctl: set-size: --colour is neither a parameter of " +
			"this function nor a flag\nhint: did you mean --color?\n",
		"set-size --zzzzzz": "fctl: set-size: --zzzzzz is neither a parameter of " +
			"this function nor a flag\nhint: to use it as a value, write '--' before it: " +
			"set-size ... -- --zzzzzz\n",
		"set-size --size":               "fctl: set-size: --size needs a value\n",
		"set-size --size then get-size": "fctl: set-size: --size needs a value\n",
		"set-size 5 --color":            "fctl: --color needs a value\n",
		"set-size":                      "fctl: set-size: got 0 arguments\n",
		"set-size 5 get-size": "fctl: set-size: got 2 arguments\n" +
			"hint: get-size is a function; to run it next, write: then get-size\n",
		"set-size file:missing": "./missing: set-size: no such file\n" +
			"hint: for the literal text, write text:file:missing\n",
		"set-pair bad bad then set-siz bad": "fctl: set-pair: argument first: is bad\n" +
			"hint: use good\nfctl: set-pair: argument first: is bad\n" +
			"fctl: unknown function \"set-siz\"\nhint: did you mean set-size?\n",
		"then get-size": "fctl: a function is missing before the first 'then'\n",
		"get-size then": "fctl: a function is missing after the last 'then'\n" +
			"hint: for the argument 'then' write text:then\n",
		"get-size then then get-size": "fctl: a function is missing between two 'then'\n" +
			"hint: for the argument 'then' write text:then\n",
		"get-size then then": "fctl: a function is missing between two 'then'\n" +
			"hint: for the argument 'then' write text:then\nfctl: a function is missing after " +
			"the last 'then'\n",
		"set-size then --color=red": "fctl: set-size: got 0 arguments\n" +
			"fctl: a function is missing after the last 'then'\n" +
			"hint: for the argument 'then' write text:then\n",
		"get-size then --": "fctl: a function is expected after 'then', not " +
			"'--'\nhint: put '--' after the function: then FUNCTION -- ARGUMENT\n",
		"get-size then -- set-size 5": "fctl: a function is expected after 'then', not " +
			"'--'\nhint: put '--' after the function: then set-size -- ARGUMENT\n",
		"zzz --color": "fctl: --color needs a value\n" +
			"fctl: unknown function \"zzz\"\nhint: 'fctl list' shows the functions\n",
	} {
		t.Run(words, func(t *testing.T) {
			p, _, err := resolve(words)
			list, ok := errors.AsType[diag.List](err)
			if !ok {
				t.Errorf("%s: got %v, %v", words, p, err)
				return
			}
			var b strings.Builder
			if err := list.Write(&b, diag.Style{}); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, b.String()); d != "" {
				t.Errorf("%s: (-want +got)\n%s", words, d)
			}
		})
	}
}

func TestClassesOfProblems(t *testing.T) {
	_, _, err := resolve("set-size file:missing then zzz")
	var classes []api.FailureClass
	for _, f := range diag.Failures(err, 0) {
		classes = append(classes, f.Class)
	}
	if !slices.Equal(classes, []api.FailureClass{api.FailureInput, api.FailureUsage}) {
		t.Errorf("got %v", classes)
	}
}

func TestDeprecatedParameterIsNoted(t *testing.T) {
	p, _, err := resolve("set-size --old-size 5")
	if err != nil || len(p.Notes) != 1 ||
		p.Notes[0].String() != "set-size: the parameter name old-size is deprecated, it is "+
			"called size now" {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestAVarargThatNamesAFunctionIsNoted(t *testing.T) {
	p, _, err := resolve("set-many a set-size 5")
	if err != nil || len(p.Notes) != 1 || !strings.Contains(p.Notes[0].Message, "then set-size") {
		t.Fatalf("got %+v, %v", p, err)
	}
	for _, quiet := range []string{
		"set-many a --value=set-size", "set-many a text-of-set-size",
		"set-pair a set-size",
	} {
		t.Run(quiet, func(t *testing.T) {
			if p, _, err := resolve(quiet); err != nil || len(p.Notes) != 0 {
				t.Errorf("%s: got %+v, %v", quiet, p, err)
			}
		})
	}
}

func TestCheckUnit(t *testing.T) {
	w := &plan.Resolver{Functions: testRegistry()}
	for _, c := range []struct {
		unit, words, message, hint string
	}{
		{"My Unit (1) #2@x.y_z-", "get-size", "", ""},
		{"set-sizee", "5", `unknown function "set-sizee"`, "did you mean set-size?"},
		{"set-size", "get-size", "", ""}, // a unit with the name of a function
		{"", "get-size", "the unit name is empty", ""},
		{
			"a/b", "get-size", "unit name 'a/b' contains invalid characters",
			"fctl do -f d.yaml -f a/b get-size processes both files",
		},
		{
			"größe", "get-size", "unit name 'größe' contains invalid characters",
			"letters, digits, blanks and -_.()@# are allowed",
		},
	} {
		t.Run(c.unit, func(t *testing.T) {
			problem := w.CheckUnit("d.yaml", c.unit, strings.Fields(c.words))
			if problem == nil {
				problem = &api.Failure{}
			}
			if problem.Message != c.message || problem.Hint != c.hint {
				t.Errorf("%s %s: got %q, %q", c.unit, c.words, problem.Message, problem.Hint)
			}
		})
	}
}

func TestContext(t *testing.T) {
	s := &settings.Settings{Space: "default", UnitLabels: map[string]string{"Tier": "front"}}
	c := plan.Context(s)("My Unit", api.ToolchainKubernetesYAML)
	if c.UnitSlug != "my unit" || c.SpaceSlug != "default" || c.UnitLabels["Tier"] != "front" ||
		!c.NotLive {
		t.Errorf("got %+v", c)
	}
	// computed with uuid.uuid5(uuid.NAMESPACE_URL, "https://fctl.dev/unit/default/my unit") of
	// Python
	if c.UnitID != "f2704724-f2f6-5f83-af2c-cdc82e6dc80d" ||
		c.SpaceID != "b93463e7-fbf1-59a3-a7d8-f0e8c97a4c56" {
		t.Errorf("unit %s, space %s", c.UnitID, c.SpaceID)
	}
	s.UnitID = "5837950a-619e-44da-9b75-f957c2aee14c"
	if c := plan.Context(s)("x", ""); c.UnitID != s.UnitID {
		t.Errorf("a given id is not used: %s", c.UnitID)
	}
}
