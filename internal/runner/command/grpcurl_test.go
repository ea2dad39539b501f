package command

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
	"github.com/fctl-dev/fctl/internal/runner/server"
)

// grpcurl runs grpcurl, a client that shares no code with this module. It is a pinned tool.
func grpcurl(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command("go", append([]string{
		"tool", "-modfile=../../tools.mod", "grpcurl", "-plaintext",
	}, args...)...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

func TestGrpcurl(t *testing.T) {
	if _, stderr, err := grpcurl(t, "-version"); err != nil {
		t.Skipf("grpcurl cannot be built: %v %s", err, stderr)
	}
	address := serve(t, evaluate(testEvaluator), server.Options{Reflection: true})
	body, err := json.Marshal(map[string]string{
		"resource_list": base64.StdEncoding.EncodeToString([]byte(emptyList)), "image": "f:v1",
	})
	if err != nil {
		t.Fatal(err)
	}
	const method = "evaluator.FunctionEvaluator/EvaluateFunction"
	want := base64.StdEncoding.EncodeToString([]byte(emptyList))
	// Once with the descriptor that the server has, once with the checked-in file.
	for _, source := range [][]string{
		nil, {"-import-path", "../evaluator", "-proto", "evaluator.proto"},
	} {
		args := append(append([]string{}, source...), "-d", string(body), address, method)
		stdout, stderr, err := grpcurl(t, args...)
		if err != nil || !strings.Contains(stdout, want) {
			t.Fatalf("%v %v\n%s%s", source, err, stdout, stderr)
		}
	}
	stdout, stderr, err := grpcurl(t, address, "list")
	if err != nil || stdout != "evaluator.FunctionEvaluator\ngrpc.health.v1.Health\n"+
		"grpc.reflection.v1.ServerReflection\n" {
		t.Errorf("list: %v\n%s%s", err, stdout, stderr)
	}
	stdout, _, _ = grpcurl(t, "-d", `{"service":"`+evaluator.ServiceName+`"}`, address,
		"grpc.health.v1.Health/Check")
	if !strings.Contains(stdout, "SERVING") {
		t.Errorf("health: %s", stdout)
	}
	if _, stderr, err = grpcurl(t, "-d", `{"image":"missing"}`, address, method); err == nil ||
		!strings.Contains(stderr, "Code: NotFound") {
		t.Errorf("missing: %v %s", err, stderr)
	}
	stdout, _, _ = grpcurl(t, address, "describe", "evaluator.EvaluateFunctionRequest")
	for _, field := range []string{
		"bytes resource_list = 1;", "string image = 2;", "string Tag = 3;",
	} {
		if !strings.Contains(stdout, field) {
			t.Errorf("%q is missing:\n%s", field, stdout)
		}
	}
	hidden := serve(t, evaluate(testEvaluator), server.Options{})
	if _, _, err := grpcurl(t, hidden, "list"); err == nil {
		t.Error("a server without reflection lists its services")
	}
}
