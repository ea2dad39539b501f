package template_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/template"
)

func render(text string) (string, error) {
	program, err := template.Compile(text)
	if err != nil {
		return "", err
	}
	fc := &api.FunctionContext{
		UnitSlug: "My Unit", SpaceSlug: "shop", RevisionNum: 7,
		UnitLabels: map[string]string{"tier": "web"}, ApprovedBy: []string{"ann"},
	}
	return program.Render(fc, map[string]any{
		"zone": "eu", "empty": "", "list": []any{1, "b"}, "map": map[string]any{"k": 1000000},
	})
}

func TestRender(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain",
		"{{.UnitSlug}}-{{.SpaceSlug}}@{{.Params.zone}} {{.RevisionNum}}": "My Unit-shop@eu 7",
		`{{.UnitSlug}}<&>"`: `My Unit<&>"`,
		"{{.UnitSlug | normalizeName}} {{.SpaceSlug | toUpper}} {{toLower .UnitSlug}}":       "my-unit SHOP my unit",
		`{{trimPrefix .UnitSlug "My "}} {{trimSuffix .UnitSlug "Unit"}}|{{trimSpace " x "}}`: "Unit My |x",
		`{{.UnitSlug | replace "My" "Our"}} {{.Params.empty | default "none"}} {{.Params.zone | ` +
			`default "none"}}`: "Our Unit none eu",
		`{{.UnitSlug | quote}} {{.Params.map | toJson}} {{"hi" | b64enc}}`: `"My Unit" {"k":1000000} aGk=`,
		"{{.Params.list | toYaml}}":                                        "- 1\n- b",
		`{{index .UnitLabels "tier"}}{{index .UnitLabels "none"}} {{index .Params.list 1}} ` +
			`{{index .Params.map "k"}} {{index .ApprovedBy 0}}`: "web b 1000000 ann",
		"{{range $i, $x := .Params.list}}{{$i}}{{$x}};{{end}}":                                    "01;1b;",
		`{{printf "%s 5%%!" "%!d"}}`:                                                              "%!d 5%!",
		`{{define "x"}}<{{.}}>{{end}}{{template "x" .SpaceSlug}}{{if .NotLive}}a{{else}}b{{end}}`: "<shop>b",
		`{{range .Params.list}}{{else}}none{{end}}{{with .UnitLabels.tier}}{{.}}{{end}}`:          "web",
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := render(text); err != nil || got != want {
				t.Errorf("%s: %q, %v, want %q", text, got, err, want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a {{":      "template: column 3: unclosed action",
		"a {{ .X ":  "template: column 3: unclosed action",
		"{{if .X}}": "template: column 10: unexpected EOF",
		"{{.UnitSlug | toUppr}}": `template: column 15: function "toUppr" not defined (did you ` +
			`mean toUpper?)`,
		"{{env}}": `template: column 3: function "env" not defined (the ` +
			`functions are b64enc, default, index, normalizeName, quote, replace, toJson, ` +
			`toLower, toUpper, toYaml, trimPrefix, trimSpace, trimSuffix)`,
		"{{fctlRound}}": `template: column 3: function "fctlRound" not defined (the ` +
			`functions are b64enc, default, index, normalizeName, quote, replace, toJson, ` +
			`toLower, toUpper, toYaml, trimPrefix, trimSpace, trimSuffix)`,
		"x\n{{end}}":   "template: line 2, column 1: unexpected {{end}}",
		`{{$x}}`:       `template: column 3: undefined variable "$x"`,
		"{{.UnitSlg}}": "template: column 3: unknown field UnitSlg (did you mean UnitSlug?)",
		"{{.Unit}}": "template: column 3: unknown field Unit (did you mean " +
			"UnitSlug, UnitID or UnitLabels?)",
		"ü{{.Param.x}}": "template: column 4: unknown field Param (did you mean Params?)",
		"{{.Params.zon}}": `template: column 10: map has no entry for key "zon" (did ` +
			`you mean zone?)`,
		`{{index .Params "none"}}`: `template: column 3: error calling index: map has no entry ` +
			`for key "none"`,
		`{{index .ApprovedBy 3}}`: `template: column 3: error calling index: index 3 of a ` +
			`list of 1`,
		`{{index .SpaceSlug.x 3}}`: "template: column 19: unknown field x (the fields are " +
			"ToolchainType, UnitSlug, ",
		`{{.UnitLabels.none}}`: `template: column 14: map has no entry for key "none"`,
		`{{.Context}}`:         "template: column 3: unknown field Context",
		`{{printf "%d" "web"}}`: "template: column 3: error calling printf: the verbs of \"%d\" do " +
			`not fit the arguments: "%!d(string=web)"`,
		"{{define `a`}}{{range 300}}{{end}}{{end}}{{range 1000}}{{template `a`}}{{end}}": "template: column 3: too many rounds of ranges and templates",
		"{{range 300000}}{{end}}": "template: column 3: too many rounds of ranges and templates",
		"{{range 2000}}{{range 2000}}{{end}}{{end}}": "template: column 3: too many " +
			"rounds of ranges and templates",
		`{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`: "template: ",
		"{{range 90000}}abcdefghijklmnopqrst{{end}}": "template: the result has more " +
			"than 1048576 bytes",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := render(text)
			if err == nil {
				t.Errorf("%s: no error", text)
				return
			}
			if got := shown(t, text, err); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		})
	}
}

func shown(t *testing.T, text string, err error) string {
	t.Helper()
	e, ok := errors.AsType[*expression.Error](err)
	if !ok {
		t.Fatalf("%q: %T %v", text, err, err)
	}
	if e.Column < 0 || e.Column > len([]rune(text))+1 {
		t.Errorf("%q: column %d: %v", text, e.Column, err)
	}
	if e.Hint != "" {
		return e.Error() + " (" + e.Hint + ")"
	}
	return e.Error()
}

func TestNormalizeName(t *testing.T) {
	for text, want := range map[string]string{
		"My Deployment (2)": "my-deployment-2", "--x--": "x", "Ünit": "nit", "": "",
	} {
		t.Run(text, func(t *testing.T) {
			if got := template.NormalizeName(text); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		})
	}
}

func FuzzRender(f *testing.F) {
	for _, text := range []string{
		"{{.UnitSlug | normalizeName}}", `{{index .Params "list" 1 | default 3}}`,
		"{{range $i, $x := .Params.list}}{{break}}{{end}}", "{{", "{{if x}}{{else with .}}",
		"a\n{{.Params.q}}", `{{define "x"}}{{end}}{{block "y" .}}{{.}}{{end}}`,
		"{{/* c */ -}} {{- 1 }}", `{{"\x" | printf "%s"}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 300 {
			return
		}
		first, err := render(text)
		if err != nil {
			shown(t, text, err)
		}
		if second, again := render(text); first != second || (err == nil) != (again == nil) {
			t.Errorf("%q gives %q, %v and then %q, %v", text, first, err, second, again)
		}
	})
}
