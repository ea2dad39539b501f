package server

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/server/frame"
)

func BenchmarkInvoke(b *testing.B) {
	body, _ := os.ReadFile("/work/shared/conformance/http/set-replicas.request.json")
	e := functions.NewStandardExecutor()
	f := frame.Frame{Name: []byte("Kubernetes/YAML"), Body: body}
	if a := invoke(context.Background(), e, f); a.Number != 200 {
		b.Fatal(string(a.Body))
	}
	b.ReportAllocs()
	for b.Loop() {
		invoke(context.Background(), e, f)
	}
}

func BenchmarkDecode(b *testing.B) {
	body, _ := os.ReadFile("/work/shared/conformance/http/set-replicas.request.json")
	b.ReportAllocs()
	for b.Loop() {
		var r api.FunctionInvocationRequest
		if err := json.Unmarshal(body, &r); err != nil {
			b.Fatal(err)
		}
	}
}
