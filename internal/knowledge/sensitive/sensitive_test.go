package sensitive_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
)

func find(texts ...string) *sensitive.Values {
	var data [][]byte
	for _, text := range texts {
		data = append(data, []byte(text))
	}
	return sensitive.Find(k8skit.Converter{}, k8skit.New(), data)
}

const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\n"

func TestTextsAreMaskedLineByLine(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{
			"comments between and after", "data: # a\n  # b\n  k: v # c\n  # d\n# e\ntype: x\n",
			"data: # (sensitive)\n  # (sensitive)\n  k: (sensitive) # (sensitive)\n" +
				"  # (sensitive)\n# e\ntype: x\n",
		},
		{
			"lines", "stringData:\n  k: |-  # a\n    one\n\n      two\n",
			"stringData:\n  k: |-  (sensitive)\n    (sensitive)\n\n      (sensitive)\n",
		},
		{
			"a plain scalar over lines", "data:\n  k: one\n    two\n",
			"data:\n  k: (sensitive)\n    (sensitive)\n",
		},
		{
			"flow style", "data: {a: b, \"c#d\": 'e', f: [g, {h: i}]} # j\n",
			"data: {a: (sensitive), \"c#d\": (sensitive), f: [(sensitive), {h: (sensitive)}]} # " +
				"(sensitive)\n",
		},
		{
			"repeated keys", "data: {a: b}\ndata: {a: c}\n",
			"data: {a: (sensitive)}\ndata: {a: (sensitive)}\n",
		},
		{"an alias", "x: &a {b: c}\ndata: *a\n", "x: &a {b: (sensitive)}\ndata: (sensitive)\n"},
		{
			"merged keys", "x: &a {b: c}\ndata:\n  <<: *a\n",
			"x: &a {b: (sensitive)}\ndata:\n  <<: (sensitive)\n",
		},
		{
			"carriage returns", "data:\r\n  k: v\r\ntype: x\r\n",
			"data:\r\n  k: (sensitive)\r\ntype: x\r\n",
		},
		{"nothing there", "data:\n  k:\n  l: \"\"\n", "data:\n  k:\n  l: (sensitive)\n"},
		{"no line end", "data: {a: b", ""},
		{
			"unreadable", "data:\n  k: v: w\n  - {x\nkind: Secret\n",
			"data:\n  k: (sensitive)\n  - (sensitive)\nkind: Secret\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			values := find(secret + c.body)
			if c.want == "" {
				return // it must not panic
			}
			_, got, _ := strings.Cut(string(values.Text(sensitive.Before)), "\n")
			_, got, _ = strings.Cut(got, "\n")
			_, got, _ = strings.Cut(got, "\n")
			if got != c.want {
				t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
			}
		})
	}
}

func TestChangedValuesHaveMasksOfTheirOwn(t *testing.T) {
	values := find(secret+"data: {a: b, c: d, e: f}\n", secret+"data: {a: b, c: x, g: h}\n")
	before, after := string(values.Text(sensitive.Before)), string(values.Text(sensitive.After))
	if want := secret +
		"data: {a: (sensitive), c: (sensitive, before), e: (sensitive)}\n"; before != want {
		t.Errorf("before: %s", before)
	}
	if want := secret +
		"data: {a: (sensitive), c: (sensitive, after), g: (sensitive)}\n"; after != want {
		t.Errorf("after: %s", after)
	}
}

func TestAResourceOfAnotherKindNow(t *testing.T) {
	configMap := strings.Replace(secret, "Secret", "ConfigMap", 1)
	if got := string(find(
		secret+"data: {a: b}\n", configMap+"data: {a: c}\n",
	).Text(sensitive.After)); !strings.Contains(
		got, "a: (sensitive, after)",
	) {
		t.Errorf("the Secret is a ConfigMap now: %s", got)
	}
	both := secret + "data: {a: b}\n---\n" + configMap + "data: {a: visible}\n"
	if got := string(find(both, both).Text(sensitive.After)); !strings.Contains(got, "visible") {
		t.Errorf("the ConfigMap has the name of a Secret: %s", got)
	}
	if find(configMap+"data: {a: b}\n", "x: Secret\n") != nil {
		t.Error("secrets were found where there are none")
	}
}

func TestKindsWithEscapes(t *testing.T) {
	for _, kind := range []string{
		`"\x53ecret"`, `"Se\u0063ret"`, "\"Sec\\\n  ret\"", `"Secre\U00000074"`,
	} {
		t.Run(kind, func(t *testing.T) {
			values := find(
				"apiVersion: v1\nkind: " + kind + "\nmetadata: {name: db}\ndata: {a: bcdef}\n",
			)
			if got := values.Message("got bcdef"); got != "got (sensitive)" {
				t.Errorf("%s: %s", kind, got)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	values := find(secret + `data: {plain: hunter2!, coded: c3VwZXItc2VjcmV0}
stringData: {pin: 4711, one: 7, word: fox, flag: "true", octal: 0012345, grouped: 1_234_567, float: 2.50, long: "The quick brown fox jumps over the lazy dog", quoted: "a\"b\nc-d-e-f"}
`)
	for message, want := range map[string]string{
		`got hunter2!, not that`:              `got (sensitive), not that`,
		`"hunter2!" is bad`:                   `"(sensitive)" is bad`,
		`decoded super-secret`:                `decoded (sensitive)`,
		`encoded aHVudGVyMiE=`:                `encoded (sensitive)`,
		`pin 4711, 47112 and 14711`:           `pin (sensitive), 47112 and 14711`,
		`1 of 7 is true`:                      `1 of 7 is true`,
		`got "7"`:                             `got "(sensitive)"`,
		`a fox, foxes`:                        `a (sensitive), foxes`,
		`"The quick brown f… (43 characters)`: `(sensitive)`,
		`"The quick brown"… (43 characters)`:  `"(sensitive)"`,
		`the brown fox jumps over`:            `the (sensitive)`,
		`"a\"b\nc-d-e-f" does not match`:      `"(sensitive)" does not match`,
		`nothing to hide, "really"`:           `nothing to hide, "really"`,
		`value 5349 is an int`:                `value (sensitive) is an int`,
		`value 1234567 is an int`:             `value (sensitive) is an int`,
		`value 2.5 is a float`:                `value (sensitive) is a float`,
	} {
		t.Run(message, func(t *testing.T) {
			if got := values.Message(message); got != want {
				t.Errorf("%s: got %s, want %s", message, got, want)
			}
		})
	}
	if got, want := values.About(
		"v1/Secret", "stringData.one", `stringData.one: got 7, "unknown" is 17`,
	), `stringData.one: got (sensitive), "(sensitive)" is 17`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	comment := find(secret + "data:\n  # - see / the vault\n  k: dj1\n")
	if got, want := comment.About(
		"v1/Secret", "data.k", `value dj1 at data.k; get-path reads it / vault`,
	), `value (sensitive) at data.k; get-path reads it / (sensitive)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := (*sensitive.Values)(nil).About("v1/Secret", "data", "hunter2!"); got != "hunter2!" {
		t.Errorf("got %s", got)
	}
}

// TestValuesInWords checks that whole values are masked next to letters, and that parts are only if
// they are long.
func TestValuesInWords(t *testing.T) {
	values := find(secret + "stringData: {password: SuperS3cretPassword, short: zq9, pw: hunt3r2, " +
		"word: foxtrot, coded: the-keeper-of-keys-is-a-long-value}\n")
	for _, c := range []struct{ text, message, copied string }{
		{"-pSuperS3cretPassword", "-p(sensitive)", "-p(sensitive)"},
		{"xSuperS3cretPasswordy", "x(sensitive)y", "x(sensitive)y"},
		{"U3VwZXJTM2NyZXRQYXNzd29yZA==9", "(sensitive)9", "(sensitive)9"},
		{"9U3VwZXJTM2NyZXRQYXNzd29yZA==", "9(sensitive)", "9(sensitive)"},
		{"éSuperS3cretPassword", "é(sensitive)", "é(sensitive)"},
		{"-phunt3r2x", "-p(sensitive)x", "-p(sensitive)x"},
		{`x\nSuperS3cretPassword`, `x\n(sensitive)`, `x\n(sensitive)`},
		{`x\nhunt3r2`, `x\n(sensitive)`, `x\n(sensitive)`},
		{`x\nfoxtrot`, `x\n(sensitive)`, `x\nfoxtrot`},
		{`x\tzq9`, `x\t(sensitive)`, `x\tzq9`},
		{"foxtrots", "foxtrots", "foxtrots"},
		{"xSuperS3cretPa", "xSuperS3cretPa", "xSuperS3cretPa"},
		{"bathe-keeper-of-keys-is-no", "bathe(sensitive)no", "bathe(sensitive)no"},
	} {
		t.Run(c.text, func(t *testing.T) {
			if got := values.Message(c.text); got != c.message {
				t.Errorf("message %s: got %s, want %s", c.text, got, c.message)
			}
			if got := values.Copied(c.text); got != c.copied {
				t.Errorf("copied %s: got %s, want %s", c.text, got, c.copied)
			}
		})
	}
}

func TestValues(t *testing.T) {
	values := find(secret + "data: {a: b}\n")
	info := api.ResourceInfo{ResourceType: "v1/Secret", ResourceName: "/db"}
	for _, c := range [][3]string{
		{"data.a", "x", sensitive.Mask},
		{"data", "{a: b, c: [1, {d: e}]}", "{a: (sensitive), c: [(sensitive), {d: (sensitive)}]}"},
		{"data", "{a: b", sensitive.Mask},
		{"data", "a: &x b\nc: *x\n", sensitive.Mask},
		{"data.a", "", ""},
		{"type", "Opaque", "Opaque"},
		{"metadata.annotations", "{team: core}", "{team: core}"},
		{
			"metadata.annotations",
			"{team: core, kubectl.kubernetes.io/last-applied-configuration: x}",
			"{team: core, kubectl.kubernetes.io/last-applied-configuration: (sensitive)}",
		},
	} {
		t.Run(c[1], func(t *testing.T) {
			if got := values.Value(info, api.ResolvedPath(c[0]), c[1]); got != c[2] {
				t.Errorf("%s %s: got %s, want %s", c[0], c[1], got, c[2])
			}
		})
	}
}

// TestWordsOfMessagesAboutSecrets checks that a message about a value keeps its own words if a
// secret text contains them, but not if they are a whole value.
func TestWordsOfMessagesAboutSecrets(t *testing.T) {
	values := find(
		secret + `data: {sentence: "it is not the valid key of 4711 men", word: string}` + "\n",
	)
	for message, want := range map[string]string{
		`"it is not the valid key of 4711 men" is not a valid byte`: `"(sensitive)" is not a ` +
			`valid byte`,
		`expected a key that is valid, got 4711`: `expected a key that is valid, got (sensitive)`,
		`bad string`:                             `bad (sensitive)`,
		`4711 men is all of it`:                  `(sensitive) is all of it`,
	} {
		t.Run(message, func(t *testing.T) {
			if got := values.About("v1/Secret", "data.sentence", message); got != want {
				t.Errorf("%s: %s, want %s", message, got, want)
			}
		})
	}
}
