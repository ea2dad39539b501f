package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fctl-dev/fctl"
)

// TestMain lets the test binary be each of the programs: fctl, as a call starts it, and fctl-mcp.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv("FCTL_FORCE_TTY") != "":
		os.Exit(fctl.Main())
	case os.Getenv("FCTL_TEST_MCP") != "":
		main()
	}
	os.Exit(m.Run())
}

// The files of the tests.
const (
	web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n" +
		"spec:\n  replicas: 2 # for now\n  selector: {matchLabels: {app: web}}\n  template:\n" +
		"    metadata: {labels: {app: web}}\n    spec:\n      containers:\n" +
		"        - {name: web, image: 'nginx:1.29'}\n"
	password = "correct-horse-battery"
	secret   = "apiVersion: v1\nkind: Secret\nmetadata: {name: db, namespace: shop}\n" +
		"stringData: {password: " + password + "}\n"
)

// agent connects an agent to a server with a root that has files.
func agent(t *testing.T, flags ...string) (_ *mcp.ClientSession, root string) {
	t.Helper()
	s, root, _ := startServer(t, flags...)
	return s, root
}

func startServer(t *testing.T, flags ...string) (_ *mcp.ClientSession, root string, _ *exec.Cmd) {
	t.Helper()
	top := t.TempDir()
	root = filepath.Join(top, "root")
	for name, text := range map[string]string{
		"root/web.yaml": web, "root/secret.yaml": secret, "root/.git/x.yaml": web,
		"outside/web.yaml": web,
	} {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], append([]string{"--fctl=" + os.Args[0], "--root=" + root},
		flags...)...)
	cmd.Env = append(os.Environ(), "FCTL_TEST_MCP=1")
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // the server may have ended
	return session, root, cmd
}

// object is an object of JSON.
type object = map[string]any

// call calls a tool. It returns the answer as JSON, and whether the tool failed.
func call(t *testing.T, s *mcp.ClientSession, tool string, arguments object) (string, bool) {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err.Error(), true
	}
	if result.IsError {
		text, ok := result.Content[0].(*mcp.TextContent)
		if !ok {
			t.Fatalf("%+v", result.Content)
		}
		return text.Text, true
	}
	text, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), false
}

// steps returns the argument functions with one function.
func steps(function string, arguments ...any) []object {
	return []object{{"function": function, "arguments": arguments}}
}

// TestTools calls each tool once.
func TestTools(t *testing.T) {
	s, root := agent(t, "--allow-write")
	place(t, filepath.Join(root, "a.toml"), "a = 'b'\n")
	for name, c := range map[string]struct {
		tool      string
		arguments object
		want      []string
	}{
		"list": {"list_functions", object{"words": []string{"scale"}}, []string{`"FunctionName":"set-replicas"`}},
		"list in another format": {
			"list_functions",
			object{"toolchain": "AppConfig/TOML"},
			[]string{`"FunctionName":"set-string-path"`},
		},
		"explain": {"explain_function", object{"function": "set-replicas"}, []string{"at least 0"}},
		"read": {
			"read",
			object{"paths": []string{"."}, "functions": steps("get-replicas")},
			[]string{`"Value":2`, `"Line":5`, `"File":"./web.yaml"`},
		},
		"read a text": {
			"read",
			object{"text": "a = 1\n", "format": "AppConfig/TOML", "functions": steps("get-int-path", "*", "a")},
			[]string{`"Value":1`},
		},
		"read a secret": {
			"read",
			object{"paths": []string{"secret.yaml"}, "functions": steps("get-string-path", "v1/Secret", "stringData.password")},
			[]string{"(sensitive)"},
		},
		"read every format": {
			"read",
			object{"paths": []string{"."}, "format": "auto", "functions": steps("get-string-path", "*", "a")},
			[]string{`"File":"./a.toml"`},
		},
		"read where": {
			"read",
			object{"paths": []string{"."}, "where": "ConfigHub.ResourceType = 'v1/Secret'", "functions": steps("get-resources")},
			[]string{"shop/db"},
		},
		"preview": {
			"preview",
			object{"paths": []string{"web.yaml"}, "functions": []object{
				{"function": "set-replicas", "named": object{"replicas": 4}},
			}},
			[]string{`-  replicas: 2 # for now\n+  replicas: 4 # for now\n`},
		},
		"preview a secret": {
			"preview",
			object{"paths": []string{"secret.yaml"}, "functions": steps("set-string-path", "v1/Secret", "stringData.password", "other-horse-battery")},
			[]string{`+stringData: {password: (sensitive, after)}`},
		},
		"preview mutations": {
			"preview",
			object{"paths": []string{"web.yaml"}, "functions": steps("set-replicas", 4), "mutations": true},
			[]string{`spec.replicas: 2 -\u003e 4   by set-replicas`},
		},
		"preview findings": {
			"preview",
			object{"paths": []string{"web.yaml"}, "functions": steps("vet-cel", "r.spec.replicas > 2")},
			[]string{`"messages":"./web.yaml:1:1: apps/v1/Deployment shop/web: vet-cel: `},
		},
		"validate with a function": {
			"validate",
			object{"paths": []string{"web.yaml"}, "functions": steps("vet-cel", "r.spec.replicas > 2")},
			[]string{`"Passed":false`, `"Function":"vet-cel"`, `"File":"./web.yaml"`},
		},
		"validate with a policy": {
			"validate",
			object{"paths": []string{"web.yaml"}, "policies": []string{"restricted"}, "kubernetes": "1.35"},
			[]string{`"Passed":false`, `"Line":11`},
		},
		"validate": {
			"validate",
			object{"text": strings.Replace(web, "replicas: 2", "replicas: two", 1)},
			[]string{`"Passed":false`, "replicas", `"Line":5`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, failed := call(t, s, c.tool, c.arguments)
			for _, want := range c.want {
				if failed || !strings.Contains(got, want) {
					t.Errorf("the answer lacks %s:\n%.2000s", want, got)
				}
			}
			if strings.Contains(got, password) {
				t.Errorf("the answer has a secret value:\n%s", got)
			}
		})
	}
	text, err := os.ReadFile(filepath.Join(root, "web.yaml"))
	if err != nil || string(text) != web {
		t.Errorf("a tool that only reads has changed the file:\n%s%v", text, err)
	}
	got, failed := call(t, s, "apply", object{"paths": []string{"web.yaml"}, "functions": steps("set-replicas", 4)})
	if failed || !strings.Contains(got, "+  replicas: 4") {
		t.Errorf("apply: %s", got)
	}
	text, err = os.ReadFile(filepath.Join(root, "web.yaml"))
	if want := strings.Replace(web, "replicas: 2", "replicas: 4", 1); err != nil || string(text) != want {
		t.Errorf("apply wrote\n%s%v", text, err)
	}
}

// TestRefusals makes calls that must not do what they ask for.
func TestRefusals(t *testing.T) {
	s, root := agent(t, "--timeout=10s", "--max-memory=64MiB")
	outside := filepath.Join(filepath.Dir(root), "outside")
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	paths := func(path string, f []object) object {
		return object{"paths": []string{path}, "functions": f}
	}
	get := steps("get-replicas")
	notBelow := "is not a file or directory below " + root
	for name, c := range map[string]struct {
		tool      string
		arguments object
		want      string
	}{
		"write without the flag": {"apply", paths("web.yaml", steps("set-replicas", 4)), "apply"},
		"above the root":         {"read", paths("../outside/web.yaml", get), notBelow},
		"a full path":            {"read", paths(filepath.Join(outside, "web.yaml"), get), notBelow},
		"through a link":         {"read", paths("link/web.yaml", get), notBelow},
		"git":                    {"read", paths(".git/x.yaml", get), "is in .git"},
		"a pattern":              {"read", paths("../*/web.yaml", get), notBelow},
		"a missing file":         {"read", paths("none.yaml", get), notBelow},
		"no file":                {"read", object{"functions": get}, "paths or a text"},
		"no function":            {"read", paths("web.yaml", []object{}), "functions are missing"},
		"an unknown function":    {"read", paths("web.yaml", steps("get-replica")), "did you mean"},
		"a position in a chain":  {"read", paths("web.yaml", steps("get-replica")), "functions:1:14: "},
		"a format of a file":     {"read", object{"paths": []string{"web.yaml"}, "format": "AppConfig/TOML", "functions": get}, "is a function of Kubernetes"},
		"a file as a directory":  {"plan_links", object{"directory": "web.yaml"}, "web.yaml: "},
		"a flag as a function":   {"read", paths("web.yaml", steps("-i")), "-i"},
		"a flag as a path":       {"read", paths("-i", get), notBelow},
		"a flag as a format":     {"read", object{"text": "a: 1", "format": "x --in-place", "functions": get}, "toolchain"},
		"a file as an argument": {
			"preview", paths("web.yaml", steps("set-annotation", "a", "file:"+filepath.Join(outside, "web.yaml"))),
			"file:",
		},
		"a program": {"preview", paths("web.yaml", steps("exec", "touch", outside+"/x")), "exec"},
		"no YAML":   {"read", object{"text": "a: [", "functions": get}, "1:4"},
		"memory": {
			"preview", paths("web.yaml", steps("set-starlark", "x = ['a' * 1000000]\nfor i in range(40): x = x + x")),
			"./web.yaml:1:1",
		},
		"a policy that is a file": {"validate", object{"paths": []string{"web.yaml"}, "policies": []string{"../outside/web.yaml"}}, "is not one of"},
		"the environment in yq":   {"read", paths("web.yaml", steps("get-yq", "env(HOME)")), "environment"},
		"a file in yq":            {"read", paths("web.yaml", steps("get-yq", "load(\"../outside/web.yaml\")")), "reads files"},
		"a secret in an error":    {"preview", paths("secret.yaml", steps("set-starlark", "fail(r)")), "(sensitive)"},
		"other arguments":         {"read", object{"files": []string{"web.yaml"}}, "files"},
		"another place":           {"plan_links", object{"directory": ".."}, notBelow},
		"no workspace":            {"plan_links", object{}, "no workspace"},
	} {
		t.Run(name, func(t *testing.T) {
			got, failed := call(t, s, c.tool, c.arguments)
			if !failed || !strings.Contains(got, c.want) {
				t.Errorf("failed %v, want %s:\n%.2000s", failed, c.want, got)
			}
			if strings.Contains(got, password) {
				t.Errorf("the error has a secret value:\n%s", got)
			}
		})
	}
	for _, path := range []string{filepath.Join(root, "web.yaml"), filepath.Join(outside, "web.yaml")} {
		if text, err := os.ReadFile(path); err != nil || string(text) != web {
			t.Errorf("%s has changed: %v\n%s", path, err, text)
		}
	}
	if _, err := os.Stat(filepath.Join(outside, "x")); err == nil {
		t.Error("a program has run")
	}
	// The server goes on.
	if got, failed := call(t, s, "read", paths("web.yaml", get)); failed {
		t.Error(got)
	}
}

// place writes a file, and the directories above it.
func place(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestWalks has calls for a whole root: links in it and every .git are left out.
func TestWalks(t *testing.T) {
	s, root := agent(t)
	place(t, filepath.Join(root, "sub", ".git", "hidden.yaml"), strings.ReplaceAll(web, "web", "hidden"))
	place(t, filepath.Join(root, "..", "outside", "web.yaml"), strings.ReplaceAll(web, "web", "hidden"))
	if err := os.Symlink(filepath.Join(root, "..", "outside"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	got, failed := call(t, s, "read", object{"paths": []string{"."}, "functions": steps("get-resources")})
	if failed || !strings.Contains(got, "shop/web") || strings.Contains(got, "hidden") {
		t.Errorf("failed %v: %s", failed, got)
	}
}

// TestWorkspaceAboveTheRoot checks that a workspace is not read if it begins above the root.
func TestWorkspaceAboveTheRoot(t *testing.T) {
	s, root := agent(t)
	if err := os.RemoveAll(filepath.Join(root, ".git")); err != nil { // the search ends there
		t.Fatal(err)
	}
	const definition = "WorkspaceID: b1ee6655-509a-4f73-a3cc-d058a8d8d5e7\nDefaultSpace: default\n"
	const space = "spaces/default/space.yaml"
	marker := filepath.Join(root, "..", "fctl-workspace.yaml")
	place(t, marker, definition)
	place(t, filepath.Join(root, "..", space), "SpaceID: 0f7e0d43-96a5-4c1f-8a8b-0bb2fb3c2c11\nSlug: default\n")
	got, failed := call(t, s, "plan_links", object{})
	if !failed || !strings.Contains(got, "the workspace: ") {
		t.Errorf("failed %v: %s", failed, got)
	}
	if err := os.Rename(marker, filepath.Join(root, "fctl-workspace.yaml")); err != nil {
		t.Fatal(err)
	}
	place(t, filepath.Join(root, space), "SpaceID: 0f7e0d43-96a5-4c1f-8a8b-0bb2fb3c2c11\nSlug: default\n")
	place(t, filepath.Join(root, "sub", "x"), "")
	got, failed = call(t, s, "plan_links", object{"directory": "sub"})
	if failed {
		t.Error(got)
	}
}

// TestApplyInPart has a call that fails for one of two files. The agent sees what was written.
func TestApplyInPart(t *testing.T) {
	s, root := agent(t, "--allow-write")
	place(t, filepath.Join(root, "bad.yaml"), "kind: [\n")
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "apply", Arguments: object{
		"paths": []string{"web.yaml", "bad.yaml"}, "functions": steps("set-replicas", 4),
	}})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, c := range result.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			all.WriteString(text.Text)
		}
	}
	for _, want := range []string{"./bad.yaml:1:7:", "1 of 2 files changed", "+  replicas: 4"} {
		if !result.IsError || !strings.Contains(all.String(), want) {
			t.Errorf("the answer lacks %q:\n%s", want, all.String())
		}
	}
}

// TestLongAnswers checks that an answer which is cut says so, and a writing call still has its end.
func TestLongAnswers(t *testing.T) {
	s, root := agent(t, "--allow-write")
	place(t, filepath.Join(root, "many.yaml"), strings.Repeat(web+"---\n", 1000))
	for _, c := range []struct { // in this order: after apply, the preview finds nothing
		tool      string
		functions []object
	}{
		{"read", steps("get-replicas")},
		{"preview", steps("vet-cel", "r.spec.replicas > 2")},
		{"apply", steps("set-replicas", 4)},
	} {
		got, failed := call(t, s, c.tool, object{"paths": []string{"many.yaml"}, "functions": c.functions})
		if failed || !strings.Contains(got, " more bytes: select less") || len(got) > 400_000 {
			t.Errorf("%s: %d bytes, begin\n%.300s", c.tool, len(got), got)
		}
	}
}

// slow is a call that takes as long as it may: a regular expression cannot be ended.
func slow() *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: "preview", Arguments: object{
		"text": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: " +
			strings.Repeat("a", 2_000_000) + "}\n",
		"functions": steps("search-replace", strings.Repeat("(?:[ab]?){900}", 4)+"c", "x", "true"),
	}}
}

// TestTimeout checks that the error of a call that takes too long names the function, while many
// others run.
func TestTimeout(t *testing.T) {
	s, _ := agent(t, "--timeout=1s")
	ended := make(chan error, 1)
	for range 6 {
		go func() {
			_, err := s.CallTool(t.Context(), &mcp.CallToolParams{
				Name: "list_functions", Arguments: object{"words": []string{"replicas"}},
			})
			ended <- err
		}()
	}
	result, err := s.CallTool(t.Context(), slow())
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := result.Content[0].(*mcp.TextContent); !ok || !result.IsError ||
		!strings.Contains(text.Text, "v1/ConfigMap") || !strings.Contains(text.Text, "search-replace") {
		t.Errorf("%v %+v", result.IsError, result.Content[0])
	}
	for range 6 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
