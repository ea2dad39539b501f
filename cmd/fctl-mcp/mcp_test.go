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
	return session, root
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
	for name, c := range map[string]struct {
		tool      string
		arguments object
		want      string
	}{
		"write without the flag": {"apply", paths("web.yaml", steps("set-replicas", 4)), "apply"},
		"above the root":         {"read", paths("../outside/web.yaml", get), "is not below"},
		"a full path":            {"read", paths(filepath.Join(outside, "web.yaml"), get), "is not below"},
		"through a link":         {"read", paths("link/web.yaml", get), "is not below"},
		"git":                    {"read", paths(".git/x.yaml", get), "is in .git"},
		"a pattern":              {"read", paths("../*/web.yaml", get), "patterns"},
		"a missing file":         {"read", paths("none.yaml", get), "does not exist"},
		"no file":                {"read", object{"functions": get}, "paths or a text"},
		"no function":            {"read", paths("web.yaml", []object{}), "functions are missing"},
		"an unknown function":    {"read", paths("web.yaml", steps("get-replica")), "did you mean"},
		"a flag as a function":   {"read", paths("web.yaml", steps("-i")), "-i"},
		"a flag as a path":       {"read", paths("-i", get), "does not exist"},
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
		"other arguments": {"read", object{"files": []string{"web.yaml"}}, "files"},
		"another place":   {"plan_links", object{"directory": ".."}, "is not below"},
		"no workspace":    {"plan_links", object{}, "no workspace"},
	} {
		t.Run(name, func(t *testing.T) {
			got, failed := call(t, s, c.tool, c.arguments)
			if !failed || !strings.Contains(got, c.want) {
				t.Errorf("failed %v, want %s:\n%.2000s", failed, c.want, got)
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
