package policies_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/policies"
)

// The fixtures of the Pod Security Standards are data of this module. The test reads them from the
// module cache and imports nothing, so that fctl does not depend on Kubernetes.
const (
	fixturesModule  = "k8s.io/pod-security-admission@v0.36.3"
	fixturesVersion = "v1.35" // the latest version that the module has fixtures for
)

// rulesOf returns the rules that correspond to a check of Kubernetes, by the prefix of its
// fixtures.
func rulesOf(fixture string) []string {
	return map[string][]string{
		"allowprivilegeescalation":   {"privilege-escalation"},
		"apparmorprofile":            {"app-armor", "app-armor-annotations"},
		"capabilities_baseline":      {"capabilities"},
		"capabilities_restricted":    {"add-capabilities", "drop-capabilities"},
		"hostnamespaces":             {"host-namespaces"},
		"hostpathvolumes":            {"host-path-volumes"},
		"hostports":                  {"host-ports"},
		"hostprobesandhostlifecycle": {"host-probes"},
		"privileged":                 {"privileged"},
		"procmount":                  {"proc-mount", "proc-mount-always"},
		"procmount_restricted":       {"proc-mount-always"},
		"restrictedvolumes":          {"host-path-volumes", "volume-types"},
		"runasnonroot":               {"run-as-non-root", "run-as-non-root-pod"},
		"runasuser":                  {"run-as-user"},
		"seccompprofile_baseline":    {"seccomp"},
		"seccompprofile_restricted":  {"seccomp-profile", "seccomp"},
		"selinuxoptions":             {"se-linux"},
		"sysctls":                    {"sysctls"},
		"windowshostprocess":         {"host-process"},
	}[strings.TrimRight(fixture, "0123456789")]
}

// TestStandards compares the verdicts of the policies with those of Kubernetes on its own fixtures,
// for a Pod and for the same pod in the template of every built-in type.
func TestStandards(t *testing.T) {
	root := fixtures(t)
	executor := functions.NewStandardExecutor()
	n := 0
	for _, level := range []string{"baseline", "restricted"} {
		t.Run(level, func(t *testing.T) {
			chain := policy(t, executor, level)
			for _, verdict := range []string{"pass", "fail"} {
				files, err := filepath.Glob(filepath.Join(root, level, fixturesVersion, verdict,
					"*.yaml"))
				if err != nil || len(files) == 0 {
					t.Fatalf("no fixtures: %v", err)
				}
				for _, file := range files {
					n++
					text, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					name := strings.TrimSuffix(filepath.Base(file), ".yaml")
					for kind, manifest := range inEveryKind(string(text)) {
						failed := broken(t, executor, chain, manifest)
						switch want := rulesOf(name); {
						case verdict == "pass" && len(failed) > 0:
							t.Errorf("%s: %s as %s: %v", level, name, kind, failed)
						case verdict == "fail" &&
							!slices.ContainsFunc(want, func(rule string) bool {
								return slices.Contains(failed, rule)
							}):
							t.Errorf("%s: %s as %s: %v, want %v", level, name, kind, failed, want)
						}
					}
				}
			}
		})
	}
	t.Logf("%d fixtures", n)
}

func fixtures(t *testing.T) string {
	out, err := exec.Command("go", "mod", "download", "-json", fixturesModule).Output()
	var module struct{ Dir string }
	if err == nil && json.Unmarshal(out, &module) == nil && module.Dir != "" {
		return filepath.Join(module.Dir, "test", "testdata")
	}
	t.Skipf("the module %s, which has the fixtures, is not available: %v", fixturesModule, err)
	return ""
}

func policy(t *testing.T, executor *functions.Executor, name string) *plan.Plan {
	t.Helper()
	text, _ := policies.Text(name)
	resolver := &plan.Resolver{Toolchain: api.ToolchainKubernetesYAML, Functions: executor}
	chain, err := resolver.Invocations(plan.ChainText{Bytes: text, Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

// broken returns the rules that a manifest breaks.
func broken(t *testing.T, executor *functions.Executor, chain *plan.Plan,
	manifest string,
) []string {
	t.Helper()
	response, err := executor.Run(t.Context(), &api.FunctionInvocationRequest{
		ConfigData: []byte(manifest), FunctionInvocations: chain.Invocations,
	}, handler.Options{})
	if err != nil || !response.Success {
		t.Fatal(err, response.ErrorMessages, manifest)
	}
	var results api.ValidationResultList
	for _, o := range response.Outputs {
		list, _ := o.Value.(api.ValidationResultList)
		results = append(results, list...)
	}
	var rules []string
	for _, r := range results {
		if !r.Passed {
			rules = append(rules, chain.Invocations[r.Index].Name)
		}
	}
	return rules
}

// inEveryKind returns the manifest of a Pod, and those of the types with a template for the pod.
func inEveryKind(pod string) map[string]string {
	all := map[string]string{"Pod": pod}
	_, body, _ := strings.Cut(pod, "metadata:\n")
	for _, k := range []struct{ kind, apiVersion, path string }{
		{"PodTemplate", "v1", ""},
		{"ReplicationController", "v1", "spec"},
		{"Deployment", "apps/v1", "spec"},
		{"StatefulSet", "apps/v1", "spec"},
		{"DaemonSet", "apps/v1", "spec"},
		{"ReplicaSet", "apps/v1", "spec"},
		{"Job", "batch/v1", "spec"},
		{"CronJob", "batch/v1", "spec.jobTemplate.spec"},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\nmetadata:\n  name: test\n", k.apiVersion, k.kind)
		indent := ""
		if k.path != "" {
			for key := range strings.SplitSeq(k.path, ".") {
				fmt.Fprintf(&b, "%s%s:\n", indent, key)
				indent += "  "
			}
		}
		fmt.Fprintf(&b, "%stemplate:\n%s  metadata:\n", indent, indent)
		for line := range strings.Lines(body) {
			b.WriteString(indent + "  " + line)
		}
		all[k.kind] = b.String()
	}
	return all
}
