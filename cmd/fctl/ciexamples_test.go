package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// unlabelled is a manifest whose selector is not that of its Pods: one finding.
const unlabelled = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: wbe}
    spec:
      containers:
        - {name: web, image: nginx:1.27}
`

// repository makes a directory with the manifests of a repository and returns it with the path of
// this repository.
func repository(t *testing.T, manifest string) (dir, root string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("not run: the example is for a shell")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	put(t, filepath.Join(dir, "apps", "web.yaml"), manifest)
	put(t, filepath.Join(dir, "fctl-chain.yaml"),
		text(t, filepath.Join(root, "examples", "ci", "fctl-chain.yaml")))
	return dir, root
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// definition reads a YAML file into T.
func definition[T any](t *testing.T, path ...string) (v T) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text(t, filepath.Join(path...))), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// runIn runs a program in a directory, outside of any CI system, and checks its status and a part of
// its output, which it returns.
func runIn(t *testing.T, dir string, env []string, status int, part string, words ...string) string {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "HOME="+filepath.Join(dir, ".git", "home"), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=",
		"CI=", "GITHUB_ACTIONS=", "GIT_CONFIG_GLOBAL=/dev/null"), env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status ||
		!strings.Contains(string(out), part) {
		t.Errorf("%q ends with %v, want status %d and %q\n%s", words, err, status, part, out)
	}
	return string(out)
}

func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("not run: %s is not installed", program)
	}
}

// TestPreCommitHooks runs pre-commit with the hooks of this repository and the example's
// configuration, and the fctl of the test in place of one that pre-commit builds.
func TestPreCommitHooks(t *testing.T) {
	dir, root := repository(t, unlabelled)
	needs(t, "git")
	needs(t, "pre-commit")
	hooks := t.TempDir()
	put(t, filepath.Join(hooks, ".pre-commit-hooks.yaml"),
		text(t, filepath.Join(root, ".pre-commit-hooks.yaml")))
	const commit = `git init -q && git add . && git -c user.name=a -c user.email=a@example.com commit -q -m a
git tag v0.1.0`
	runIn(t, hooks, nil, 0, "", "sh", "-ec", commit)
	config := text(t, filepath.Join(root, "examples", "ci", "pre-commit-config.yaml"))
	put(t, filepath.Join(dir, ".pre-commit-config.yaml"), strings.NewReplacer(
		"https://github.com/fctl-dev/fctl", hooks, "- id: fctl-vet", "- id: fctl-vet\n        language: system",
		"- id: fctl-do", "- id: fctl-do\n        language: system",
	).Replace(config))
	out := runIn(t, dir, nil, 1, "files were modified by this hook", "sh", "-ec",
		commit+"\npre-commit run --all-files")
	for _, part := range []string{"fctl do", "fctl vet", "apps/web.yaml:9:24: ", "1 finding"} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
	if got := text(t, filepath.Join(dir, "apps", "web.yaml")); !strings.Contains(got,
		"team: shop") || !strings.Contains(got, "registry.example.com/library/nginx:1.27}") {
		t.Errorf("chain did not run:\n%s", got)
	}
}

// step is a step of a composite action.
type step struct {
	Name, Run string
	Env       map[string]string
}

// TestGitHubAction runs the steps of action.yml as the example's workflow does, with a release in a
// directory. An archive with another checksum is not installed.
func TestGitHubAction(t *testing.T) {
	dir, root := repository(t, unlabelled)
	for _, program := range []string{"bash", "curl"} {
		needs(t, program)
	}
	action := definition[struct {
		Inputs map[string]any
		Runs   struct{ Steps []step }
	}](t, root, "action.yml")
	workflow := definition[struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				With map[string]string
			}
		}
	}](t, root, "examples", "ci", "github.yml")
	uses := workflow.Jobs["vet"].Steps[1]
	for input := range uses.With {
		if action.Inputs[input] == nil {
			t.Errorf("action has no input %s", input)
		}
	}
	tag := strings.TrimPrefix(uses.Uses, "fctl-dev/fctl@")
	release := filepath.Join(dir, "releases", tag)
	archive := filepath.Join(release, fmt.Sprintf("fctl_%s_%s_%s.tar.gz", tag[1:], runtime.GOOS,
		runtime.GOARCH))
	fctl, err := exec.LookPath("fctl")
	if err != nil {
		t.Fatal(err)
	}
	sum := releaseOf(t, archive, "#!/bin/sh\nexec '"+fctl+"' \"$@\"\n")
	sums := filepath.Join(release, "checksums.txt")
	env := []string{
		"FCTL_RELEASES=file://" + filepath.Dir(release), "GITHUB_ACTION_PATH=" + root,
		"RUNNER_TEMP=" + filepath.Join(dir, "temp"), "GITHUB_PATH=" + filepath.Join(dir, "path"),
		"VERSION=" + tag, "VET=" + uses.With["vet"] + "\n", "SARIF=" + uses.With["sarif"],
	}
	install := []string{"bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", action.Runs.Steps[0].Run}
	put(t, sums, strings.Repeat("0", 64)+"  "+filepath.Base(archive)+"\n")
	runIn(t, dir, env, 1, "does not have the checksum of the release", install...)
	put(t, sums, sum+"  "+filepath.Base(archive)+"\n")
	runIn(t, dir, env, 0, "temp/fctl/fctl "+tag, install...)
	runIn(t, dir, append(env, "VERSION=main"), 1, `"main" is not a tag such as v0.1.0`, install...)
	vet := action.Runs.Steps[1].Run
	runIn(t, dir, append(env, "GITHUB_ACTIONS=true", "CI=true",
		"PATH="+strings.TrimSpace(text(t, filepath.Join(dir, "path")))+":"+os.Getenv("PATH")), 1,
		"::error file=apps/web.yaml,line=7,col=24,title=vet-semantics", append(install[:6:6], vet)...)
	if !json.Valid([]byte(text(t, filepath.Join(dir, uses.With["sarif"])))) {
		t.Error("SARIF file is not JSON")
	}
}

// releaseOf writes an archive with a program and returns its checksum.
func releaseOf(t *testing.T, path, program string) string {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	archive := tar.NewWriter(zip)
	if err := archive.WriteHeader(&tar.Header{
		Name: "fctl", Mode: 0o755, Size: int64(len(program)),
	}); err != nil {
		t.Fatal(err)
	}
	_, err := archive.Write([]byte(program))
	for _, err := range []error{err, archive.Close(), zip.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	put(t, path, b.String())
	return fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))
}

// TestWorkflowsCallTargets checks that the targets which workflows and the release call exist.
func TestWorkflowsCallTargets(t *testing.T) {
	root := filepath.Join("..", "..")
	files, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	makefile := text(t, filepath.Join(root, "Makefile"))
	for _, file := range append(files, filepath.Join(root, ".goreleaser.yaml")) {
		definition[map[string]any](t, file)
		for line := range strings.Lines(text(t, file)) {
			words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "- "))
			if len(words) > 1 && words[0] == "run:" {
				words = words[1:]
			}
			if len(words) == 0 || words[0] != "make" {
				continue
			}
			for _, target := range words[1:] {
				if !strings.Contains(makefile, "\n"+target+":") {
					t.Errorf("%s: the Makefile has no target %s", file, target)
				}
			}
		}
	}
}

// TestGitLabExample runs the script of the job as a runner does.
func TestGitLabExample(t *testing.T) {
	dir, root := repository(t, unlabelled)
	job := definition[struct {
		Vet struct {
			Script    []string
			Artifacts struct{ Reports map[string]string }
		}
	}](t, root, "examples", "ci", "gitlab-ci.yml").Vet
	runIn(t, dir, nil, 1, "", "sh", "-ec", strings.Join(job.Script, "\n"))
	var quality []map[string]any
	if err := json.Unmarshal([]byte(text(t, filepath.Join(dir, job.Artifacts.Reports["codequality"]))),
		&quality); err != nil || len(quality) != 1 {
		t.Errorf("%v: %v", err, quality)
	}
	var suites struct {
		Suites []struct {
			Failures int `xml:"failures,attr"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(text(t, filepath.Join(dir, job.Artifacts.Reports["junit"]))),
		&suites); err != nil || len(suites.Suites) != 1 || suites.Suites[0].Failures != 1 {
		t.Errorf("%v: %v", err, suites)
	}
}

// TestTektonExample runs the step of the task with the parameters' defaults and with others.
func TestTektonExample(t *testing.T) {
	dir, root := repository(t, unlabelled)
	task := definition[struct {
		Spec struct {
			Params []struct{ Name, Default string }
			Steps  []struct{ Command, Args []string }
		}
	}](t, root, "examples", "ci", "tekton-task.yaml")
	run := func(path string, status int, part string) {
		t.Helper()
		step := task.Spec.Steps[0]
		words := []string{filepath.Base(step.Command[0])}
		for _, word := range step.Args {
			words = append(words, strings.ReplaceAll(word, "$(params.path)", path))
		}
		runIn(t, dir, nil, status, part, words...)
	}
	run(task.Spec.Params[0].Default, 1, "1 finding")
	put(t, filepath.Join(dir, "good", "web.yaml"), strings.ReplaceAll(unlabelled, "wbe", "web"))
	run("good", 0, "0 findings")
}

// TestHelmExample runs the post-renderer on manifests as Helm gives them, and with Helm if it is
// installed.
func TestHelmExample(t *testing.T) {
	dir, root := repository(t, unlabelled)
	script := filepath.Join(root, "examples", "ci", "helm", "post-renderer.sh")
	const want = "registry.example.com/library/nginx:1.27" // Helm 4 prints it in quotes
	runIn(t, dir, nil, 0, want, "sh", "-c", `"$0" fctl-chain.yaml <apps/web.yaml`, script)
	needs(t, "helm")
	put(t, filepath.Join(dir, "chart", "Chart.yaml"), "apiVersion: v2\nname: web\nversion: 1.0.0\n")
	put(t, filepath.Join(dir, "chart", "templates", "web.yaml"),
		strings.ReplaceAll(unlabelled, "name: web\nspec", "name: {{ .Release.Name }}\nspec"))
	const render = `case $(helm version --template '{{.Version}}') in
v3*) renderer=$0/post-renderer.sh ;;
*) renderer=fctl && helm plugin install "$0" ;;
esac
helm template shop chart --post-renderer "$renderer" --post-renderer-args fctl-chain.yaml`
	out := runIn(t, dir, nil, 0, want, "sh", "-ec", render, filepath.Dir(script))
	if !strings.Contains(out, "name: shop") {
		t.Errorf("chart was not rendered:\n%s", out)
	}
}

// TestArgoCDExample runs the commands of the plugin in the directory of an application, and checks
// the repository server with the sidecar.
func TestArgoCDExample(t *testing.T) {
	dir, root := repository(t, unlabelled)
	example := filepath.Join(root, "examples", "ci", "argocd")
	plugin := definition[struct {
		Spec struct {
			Discover struct{ FileName string }
			Generate struct{ Command, Args []string }
		}
	}](t, example, "plugin.yaml").Spec
	if _, err := os.Stat(filepath.Join(dir, plugin.Discover.FileName)); err != nil {
		t.Error(err)
	}
	words := append([]string{filepath.Base(plugin.Generate.Command[0])}, plugin.Generate.Args...)
	out := runIn(t, dir, nil, 0, "registry.example.com/library/nginx:1.27}", words...)
	if err := yaml.Unmarshal([]byte(out), new(any)); err != nil || strings.Contains(out, "note:") {
		t.Errorf("%v: %s", err, out)
	}
	put(t, filepath.Join(dir, "server.yaml"), strings.NewReplacer("wbe", "web",
		"name: web\nspec", "name: argocd-repo-server\nspec").Replace(unlabelled)+
		"      volumes: [{name: var-files, emptyDir: {}}, {name: plugins, emptyDir: {}}]\n")
	runIn(t, dir, nil, 0, "argocd-cmp-server", "sh", "-ec", `fctl do -q server.yaml patch "file:$0" >patched.yaml
fctl vet patched.yaml vet-schemas vet-semantics
cat patched.yaml`, filepath.Join(example, "sidecar.yaml"))
}

// TestFluxExample checks manifests with their variables, and without the ConfigMap that has them.
func TestFluxExample(t *testing.T) {
	dir, root := repository(t, unlabelled)
	if err := os.CopyFS(filepath.Join(dir, "flux"),
		os.DirFS(filepath.Join(root, "examples", "ci", "flux"))); err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, nil, 0, "0 findings", "sh", "flux/check.sh", "flux/apps", "flux/cluster-settings.yaml", "out")
	if got := text(t, filepath.Join(dir, "out", "flux", "apps", "web.yaml")); !strings.Contains(got,
		"namespace: shop\n") || !strings.Contains(got, "replicas: 3\n") {
		t.Errorf("variables have no values:\n%s", got)
	}
	put(t, filepath.Join(dir, "empty.env"), "other=1\n")
	runIn(t, dir, nil, 4, "namespace", "sh", "flux/check.sh", "flux/apps", "empty.env")
	runIn(t, dir, nil, 0, "0 findings", "fctl", "vet", "-f", "flux/cluster.yaml", "vet-schemas")
}
