package functions_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

const deployment = `# shop front
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 3 # enough
  paused: false
  template:
    spec:
      containers:
        - name: web
          image: "nginx:1.26" # pinned
        - name: side.car
          image: example.com:5000/proxy@sha256:0123456789abcdef0123456789abcdef
          env:
            - {name: A, value: "1"}
        - image: busybox
`

const service = `---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  ports:
    - port: 80
      name: http
`

// invoke runs "function arg arg; function ..." on data.
func invoke(t *testing.T, data, line string) *handler.Result {
	t.Helper()
	request := &api.FunctionInvocationRequest{ConfigData: []byte(data), StopOnError: true}
	for call := range strings.SplitSeq(line, ";") {
		words, err := shellwords.Split(call)
		if err != nil {
			t.Fatal(err)
		}
		invocation := api.FunctionInvocation{FunctionName: words[0]}
		for _, word := range words[1:] {
			invocation.Arguments = append(invocation.Arguments, api.FunctionArgument{Value: word})
		}
		request.FunctionInvocations = append(request.FunctionInvocations, invocation)
	}
	r, err := functions.NewStandardExecutor().Run(t.Context(), request, handler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// failures formats the failures of a result.
func failures(r *handler.Result) string {
	var texts []string
	for _, f := range r.Failures {
		texts = append(texts, f.Error())
	}
	return strings.Join(texts, "\n")
}

func TestSettersChangeNothingElse(t *testing.T) {
	both := deployment + service
	for _, c := range []struct{ line, from, to string }{
		{"set-replicas 5", "replicas: 3 # enough", "replicas: 5 # enough"},
		{"set-container-image web nginx:1.27", `"nginx:1.26" # pinned`, `"nginx:1.27" # pinned`},
		{
			"set-image side.car a/b:c",
			"example.com:5000/proxy@sha256:0123456789abcdef0123456789abcdef", "a/b:c",
		},
		{
			"set-string-path apps/v1/Deployment spec.template.spec.containers.?name=web.image " +
				"nginx:2",
			`"nginx:1.26"`, `"nginx:2"`,
		},
		{
			"set-string-path apps/v1/Deployment spec.template.spec.containers.0.image#uri " +
				"example.com/nginx",
			`"nginx:1.26"`, `"example.com/nginx:1.26"`,
		},
		{
			"set-string-path * spec.template.spec.containers.*.image#reference :9",
			"\"nginx:1.26\" # pinned\n        - name: side.car\n" +
				"          image: example.com:5000/proxy@sha256:0123456789abcdef0123456789abcdef\n" +
				"          env:\n            - {name: A, value: \"1\"}\n        - image: busybox\n",
			"\"nginx:9\" # pinned\n        - name: side.car\n" +
				"          image: example.com:5000/proxy:9\n" +
				"          env:\n            - {name: A, value: \"1\"}\n" +
				"        - image: busybox:9\n",
		},
		{
			"set-string-path apps/v1/Deployment spec.template.spec.dnsPolicy None", "busybox\n",
			"busybox\n      dnsPolicy: None\n",
		},
		{
			"set-string-path apps/v1/Deployment metadata.labels.app~1kubernetes~1io/name web",
			"namespace: shop\n",
			"namespace: shop\n  labels:\n    app.kubernetes.io/name: web\n",
		},
		{"set-int-path v1/Service spec.ports.?port=80.port 81", "port: 80", "port: 81"},
		{"set-bool-path apps/v1/Deployment spec.paused true", "paused: false", "paused: true"},
		{"set-replicas 5; set-replicas 3", "", ""},
		{"set-replicas 3", "", ""},
		{
			"set-string-path apps/v1/Deployment spec.template.spec.containers.?name=gone.image x",
			"", "",
		},
		{
			"set-bool-path apps/v1/Deployment " +
				"spec.template.spec.containers.0.securityContext.|runAsNonRoot true",
			"", "",
		},
	} {
		t.Run(c.line, func(t *testing.T) {
			r := invoke(t, both, c.line)
			want := both
			if c.from != "" {
				want = strings.Replace(both, c.from, c.to, 1)
				if want == both {
					t.Fatalf("%s: the text to replace is not there", c.line)
				}
			}
			if got := string(r.ConfigData); got != want || !r.Success ||
				r.Changed != (want != both) {
				t.Errorf(
					"%s (changed %t): %s\n%s\nwant:\n%s", c.line, r.Changed, failures(r), got, want,
				)
			}
		})
	}
}

func TestGetters(t *testing.T) {
	both := service + "---\n" + deployment
	for _, c := range []struct{ line, want string }{
		{"get-replicas", `spec.replicas replicas int 3 "enough" 18:13`},
		{
			"get-image web",
			`spec.template.spec.containers.?name=web.image container-image string "nginx:1.26" ` +
				`"pinned" 24:18`,
		},
		{
			"get-container-image side.car",
			`spec.template.spec.containers.?name=side~1car.image container-image string ` +
				`"example.com:5000/proxy@sha256:0123456789abcdef0123456789abcdef" "" 26:18`,
		},
		{"get-container-image gone", ``},
		{
			"get-string-path apps/v1/Deployment spec.template.spec.containers.2.image",
			`spec.template.spec.containers.2.image container-image string "busybox" "" 29:18`,
		},
		{
			"get-string-path apps/v1/Deployment spec.template.spec.containers.*.image#uri",
			`spec.template.spec.containers.2.image#uri container-repository-uri string "busybox" "" 29:18
spec.template.spec.containers.?name=side~1car.image#uri container-repository-uri string "example.com:5000/proxy" "" 26:18
spec.template.spec.containers.?name=web.image#uri container-repository-uri string "nginx" "pinned" 24:18`,
		},
		{
			"get-string-path apps/v1/Deployment spec.template.spec.containers.*.env.*.value",
			`spec.template.spec.containers.?name=side~1car.env.?name=A.value none string "1" "" ` +
				`28:32`,
		},
		{"get-int-path * spec.ports.*.port", `spec.ports.?port=80.port none int 80 "" 8:13`},
		{
			"get-string-path * kind",
			"kind none string \"Deployment\" \"\" 13:7\nkind none string \"Service\" \"\" 3:7",
		},
		{"get-bool-path apps/v1/Deployment spec.paused", `spec.paused none bool false "" 19:11`},
	} {
		t.Run(c.line, func(t *testing.T) {
			r := invoke(t, both, c.line)
			if !r.Success || r.Changed || len(r.Outputs) != 1 {
				t.Errorf(
					"%s: %s, changed %t, %d outputs", c.line, failures(r), r.Changed,
					len(r.Outputs),
				)
				return
			}
			var lines []string
			for _, row := range r.Outputs[0].Value.(api.AttributeValueList) {
				value, _ := json.Marshal(row.Value)
				comment, _ := json.Marshal(row.Comment)
				lines = append(
					lines,
					strings.Join([]string{
						string(row.Path), string(row.AttributeName), string(row.DataType),
						string(value), string(comment), row.Position.String(),
					}, " "),
				)
			}
			if got := strings.Join(lines, "\n"); got != c.want {
				t.Errorf("%s:\n%s\nwant:\n%s", c.line, got, c.want)
			}
		})
	}
}

func TestRowsAsJSON(t *testing.T) {
	r := invoke(t, deployment, "get-image web")
	got, err := json.Marshal(r.Outputs[0].Value)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"ResourceName":"shop/web","ResourceNameWithoutScope":"web",` +
		`"ResourceType":"apps/v1/Deployment","ResourceCategory":"Resource",` +
		`"Path":"spec.template.spec.containers.?name=web.image","AttributeName":"container-image","DataType":"string","Value":"nginx:1.26","Comment":"pinned","Index":0,"FunctionName":"get-image","Position":{"Line":14,` +
		`"Column":18}}]`
	if string(got) != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
}

func TestGetResources(t *testing.T) {
	for form, want := range map[string]string{
		"yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n" +
			"    - port: 80\n      name: http\n",
		"json": `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},` +
			`"spec":{"ports":[{"name":"http","port":80}]}}`,
		"native": service,
		"none":   "",
	} {
		t.Run(form, func(t *testing.T) {
			r := invoke(t, deployment+service, "get-resources "+form)
			list := r.Outputs[0].Value.(api.ResourceList)
			if len(list) != 2 || list[0].ResourceName != "shop/web" ||
				list[1].ResourceName != "/web" {
				t.Fatalf("%s: %v", form, list)
			}
			if list[1].ResourceBody != want {
				t.Errorf("%s: %q, want %q", form, list[1].ResourceBody, want)
			}
		})
	}
	if r := invoke(t, deployment, "get-resources"); !strings.HasPrefix(
		r.Outputs[0].Value.(api.ResourceList)[0].ResourceBody, "# shop front\napiVersion",
	) {
		t.Errorf("the head comment is lost: %v", r.Outputs[0].Value)
	}
}

func TestFailuresAreLocated(t *testing.T) {
	const base = "&anchor"
	aliased := strings.Replace(
		deployment, "template:", "base: "+base+" {replicas: 1}\n  other: *anchor\n  template:", 1,
	)
	for _, c := range []struct{ data, line, want string }{
		{
			deployment, "set-int-path apps/v1/Deployment spec.template 1",
			"11:5: set-int-path: apps/v1/Deployment shop/web: value (map) at path spec.template " +
				"cannot be converted to int",
		},
		{
			deployment, "set-int-path apps/v1/Deployment spec.replicas.deeper 1",
			"8:13: set-int-path: apps/v1/Deployment shop/web: value 3 at path spec.replicas " +
				"cannot be converted to map",
		},
		{
			deployment, "set-int-path apps/v1/Deployment spec.template.spec.containers.* 1",
			"13:11: set-int-path: apps/v1/Deployment shop/web: value (map) at path " +
				"spec.template.spec.containers.?name=web cannot be converted to int\n" +
				"15:11: set-int-path: apps/v1/Deployment shop/web: value (map) at path " +
				"spec.template.spec.containers.?name=side~1car cannot be converted to int\n" +
				"19:11: set-int-path: apps/v1/Deployment shop/web: value (map) at path " +
				"spec.template.spec.containers.2 cannot be converted to int",
		},
		{
			deployment, "set-replicas -1",
			"set-replicas: argument replicas: -1 is out of range, it must be at least 0",
		},
		{
			deployment, "set-string-path apps/v1/Deployment a..b x",
			"set-string-path: argument path: path a..b: column 3: a segment is empty",
		},
		{
			deployment, "set-string-path apps/v1/Deployment spec.x#a..b x",
			"set-string-path: argument path: path spec.x#a..b: column 10: a segment is empty",
		},
	} {
		t.Run(c.line, func(t *testing.T) {
			r := invoke(t, c.data, c.line)
			if got := failures(r); got != c.want || r.Changed {
				t.Errorf("%s:\n%s\nwant:\n%s", c.line, got, c.want)
			}
		})
	}
	r := invoke(t, aliased, "set-int-path apps/v1/Deployment spec.other.replicas 2")
	if len(r.Failures) != 1 || r.Failures[0].Path != "spec.other.replicas" ||
		r.Failures[0].Pos.Line == 0 || r.Failures[0].Hint == "" {
		t.Errorf("an edit below an alias: %+v", r.Failures)
	}
	if r := invoke(t, deployment+"  bad: [\n", "set-replicas 4"); len(r.Failures) != 1 ||
		r.Failures[0].Class != api.FailureInput || r.Failures[0].Pos.Line < 20 {
		t.Errorf("invalid YAML in a visited document: %+v", r.Failures)
	}
	broken := service + "  bad: [\n" + "---\n" + deployment
	if r := invoke(t, broken, "set-replicas 4"); !r.Success ||
		!strings.HasPrefix(string(r.ConfigData), service+"  bad: [\n---\n") {
		t.Errorf(
			"invalid YAML in a document that is not visited: %s\n%s", failures(r), r.ConfigData,
		)
	}
}

func TestImageReferences(t *testing.T) {
	for image, valid := range map[string]bool{
		"nginx:1": true, "a/b/c:latest": true, "localhost:5000/x:1": true, "Example.com/x:1": true,
		"x@sha256:0123456789abcdef0123456789abcdef":   true,
		"x:1@sha256:0123456789abcdef0123456789abcdef": true,
		"nginx": true, "localhost:5000/x": true, "${IMAGE}": true,
		"${REGISTRY}/x:${TAG:-1.0}": true, "x:${TAG}": true,
		"": false, "$IMAGE": false, "${IMAGE": false, "${A B}": false, "Nginx:1": false,
		"a b:1": false, ":1": false, "x:": false, "x@sha256:12": false, "https://x/y:1": false,
		"a//b:1": false,
	} {
		t.Run(image, func(t *testing.T) {
			_, err := functions.NewStandardExecutor().ValidateInvocation(
				api.ToolchainKubernetesYAML,
				api.FunctionInvocation{
					FunctionName: "set-container-image",
					Arguments:    []api.FunctionArgument{{Value: "*"}, {Value: image}},
				})
			if (err == nil) != valid {
				t.Errorf("%s: %v", image, err)
			}
		})
	}
}

func TestBuiltInRegistrationsAreValid(t *testing.T) {
	if err := functions.NewStandardExecutor().Check(); err != nil {
		t.Error(err)
	}
}

func TestSignatures(t *testing.T) {
	e := functions.NewStandardExecutor()
	last := ""
	for _, s := range e.Signatures(api.ToolchainKubernetesYAML) {
		if s.FunctionName <= last {
			t.Errorf("%s after %s", s.FunctionName, last)
		}
		last = s.FunctionName
		if len(s.Examples) == 0 {
			t.Errorf("%s has no example", s.FunctionName)
		}
		if !s.Mutating && s.OutputInfo == nil {
			t.Errorf("%s neither changes nor returns anything", s.FunctionName)
		}
		if line, _, _ := strings.Cut(s.Description, "\n"); line != strings.TrimSpace(line) ||
			strings.HasSuffix(line, ".") || line[0] < 'A' || line[0] > 'Z' {
			t.Errorf(
				"%s: a description begins with a line without a final period: %s", s.FunctionName,
				line,
			)
		}
	}
	s, ok := e.Signature(api.ToolchainKubernetesYAML, "set-image")
	if !ok || s.AliasOf != "set-container-image" || s.FunctionName != "set-image" {
		t.Errorf("set-image: %+v", s)
	}
	if _, ok := e.Signature(api.ToolchainKubernetesYAML, "set-nothing"); ok {
		t.Error("set-nothing exists")
	}
}

func TestUnsupportedToolchain(t *testing.T) {
	_, err := functions.NewStandardExecutor().Run(t.Context(), &api.FunctionInvocationRequest{
		FunctionContext: api.FunctionContext{ToolchainType: "No/Such"},
	}, handler.Options{})
	if err == nil || err.Error() != "unsupported ToolchainType No/Such" {
		t.Errorf("%v", err)
	}
}

func TestDialectFollowsFileName(t *testing.T) {
	for file, accepted := range map[string]bool{
		"a.json": false, "-": false, "a.jsonc": true, "a.json5": true, "": true,
	} {
		t.Run(file, func(t *testing.T) {
			r, err := functions.NewStandardExecutor().Run(t.Context(),
				&api.FunctionInvocationRequest{
					FunctionContext: api.FunctionContext{ToolchainType: api.ToolchainAppConfigJSON},
					FileName:        file,
					ConfigData: []byte(
						"{\"a\": 1, // one\n}\n",
					), FunctionInvocations: api.FunctionInvocationList{{
						FunctionName: "set-path",
						Arguments:    []api.FunctionArgument{{Value: "a"}, {Value: "2"}},
					}},
				}, handler.Options{})
			switch {
			case err != nil || r.Success != accepted:
				t.Errorf("%q: %v, %v", file, r, err)
			case accepted && string(r.ConfigData) != "{\"a\": 2, // one\n}\n":
				t.Errorf("%q: %s", file, r.ConfigData)
			}
		})
	}
}
