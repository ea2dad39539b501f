package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// grpcurl runs grpcurl, a client that shares no code with this module. It is a pinned tool.
func grpcurl(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command("go", append([]string{
		"tool", "-modfile=../../tools.mod", "grpcurl", "-plaintext",
	}, args...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as everything else that is built
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

// TestGrpcurl calls `fctl-runner serve` with a client of others, by the descriptor that the server
// has and by the checked-in file.
func TestGrpcurl(t *testing.T) {
	if _, stderr, err := grpcurl(t, "-version"); err != nil {
		t.Skipf("grpcurl cannot be built: %v %s", err, stderr)
	}
	failing := script(t, "cat >/dev/null; echo why >&2; exit 3\n")
	path := configFile(t, t.TempDir(), "  goExecutor: {tags: [v1]}\n"+
		"  binaryExecutor: {tags: [v2], path: function}\n")
	s := startServe(t, "--reflection", "--function-configs", path, "--allow-exec",
		"--functions", filepath.Dir(failing))
	list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" +
		"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n" +
		"functionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {name: f}, data: {app: x}}\n"
	body := func(image, tag string) string {
		text, err := json.Marshal(map[string]string{
			"resource_list": base64.StdEncoding.EncodeToString([]byte(list)), "image": image,
			"Tag": tag,
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const method = "evaluator.FunctionEvaluator/EvaluateFunction"
	file := []string{"-import-path", "../evaluator", "-proto", "evaluator.proto"}
	for _, c := range []struct {
		name   string
		source []string
		words  []string
		want   string // in the decoded answer, or in the error after "!"
	}{
		{
			"evaluate, with reflection", nil,
			[]string{"-d", body("set-labels:v1", ""), s.address, method},
			"labels: {app: x}",
		},
		{
			"evaluate, with the file", file,
			[]string{"-d", body("set-labels:v1", ""), s.address, method},
			"labels: {app: x}",
		},
		{
			"a range of versions", file,
			[]string{"-d", body("set-labels", "<2"), s.address, method},
			"labels: {app: x}",
		},
		{
			"not started", file,
			[]string{"-d", body("missing:v1", ""), s.address, method},
			"!Code: NotFound\n  Message: nothing here can start",
		},
		{
			"failed", file,
			[]string{"-d", body("set-labels:v2", ""), s.address, method},
			"!failed: exit status 3\nwhy",
		},
		{
			"a wrong name", file,
			[]string{"-d", body("set-labels:", ""), s.address, method},
			"!Code: InvalidArgument",
		},
		{"health", nil, []string{
			"-d", `{"service":"` + evaluator.FunctionEvaluator_ServiceDesc.ServiceName + `"}`, s.address,
			"grpc.health.v1.Health/Check",
		}, `"status": "SERVING"`},
		{
			"list", nil,
			[]string{s.address, "list"},
			"evaluator.FunctionEvaluator\nfctl.runner.v1.Explainer\ngrpc.health.v1.Health\n" +
				"grpc.reflection.v1.ServerReflection\n",
		},
		{
			"describe", nil,
			[]string{s.address, "describe", "evaluator.EvaluateFunctionRequest"},
			"bytes resource_list = 1;\n  string image = 2;\n  string Tag = 3;",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, err := grpcurl(t, append(append([]string{}, c.source...),
				c.words...)...)
			want, fails := strings.CutPrefix(c.want, "!")
			var answer struct{ ResourceList []byte }
			if json.Unmarshal([]byte(stdout), &answer) == nil && answer.ResourceList != nil {
				stdout = string(answer.ResourceList)
			}
			if fails != (err != nil) || !strings.Contains(stdout+stderr, want) {
				t.Errorf("%v\n%s%s", err, stdout, stderr)
			}
		})
	}
	hidden := startServe(t)
	if _, _, err := grpcurl(t, hidden.address, "list"); err == nil {
		t.Error("a server without reflection lists its services")
	}
}
