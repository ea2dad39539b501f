package fctl_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fctl-dev/fctl"
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1 # enough at night
`

func setReplicas(n any) api.FunctionInvocationList {
	return api.FunctionInvocationList{{
		FunctionName: "set-replicas",
		Arguments:    []api.FunctionArgument{{Value: n}},
	}}
}

func ExampleDo() {
	result, err := fctl.Do(context.Background(), fctl.Options{
		Paths: []string{"-"},
		In:    strings.NewReader(deployment),
		Out:   os.Stdout,
		Chain: api.FunctionInvocationList{
			{
				FunctionName: "set-replicas",
				Arguments:    []api.FunctionArgument{{ParameterName: "replicas", Value: 5}},
			},
			{
				FunctionName: "set-annotation",
				Arguments:    []api.FunctionArgument{{Value: "example.com/team"}, {Value: "shop"}},
			},
		},
	})
	for _, c := range result.Files[0].Changes {
		fmt.Print(c.Position.Line, " ", c.Path, ": ", c.Mutation.Value)
	}
	fmt.Println(err)
	// Output:
	// apiVersion: apps/v1
	// kind: Deployment
	// metadata:
	//   name: web
	//   annotations:
	//     example.com/team: shop
	// spec:
	//   replicas: 5 # enough at night
	// 6 metadata.annotations.example~1com/team: shop
	// 8 spec.replicas: 5
	// <nil>
}

// TestDoIsLimited checks that Do ends large expressions at the default limits.
func TestDoIsLimited(t *testing.T) {
	for program, want := range map[string]string{
		`x = "a" * (64 << 20) + "a" * (64 << 20)`: "sum would be a text of more than",
		"x = [0] * (1 << 40)":                     "repetition would be a list of more than",
	} {
		_, err := fctl.Do(t.Context(), fctl.Options{
			Paths: []string{"-"}, In: strings.NewReader(deployment),
			Chain: api.FunctionInvocationList{{
				FunctionName: "set-starlark", Arguments: []api.FunctionArgument{{Value: program}},
			}},
		})
		failure, ok := errors.AsType[*api.Failure](err)
		if !ok || !strings.Contains(failure.Message, want) || failure.Hint == "" {
			t.Errorf("%s: %v", program, err)
		}
	}
}

// TestDoLeavesAnEndlessExpression runs one that does not end when its time is over: Do returns an
// error while it goes on.
func TestDoLeavesAnEndlessExpression(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const long = limit.DefaultTime + time.Minute
		endless := handler.FunctionRegistration{
			FunctionSignature: api.FunctionSignature{
				FunctionName: "never-ends", Description: "Wait", Mutating: true, Hermetic: true,
				FunctionType: api.FunctionTypeCustom,
			},
			Function: func(fc *api.FunctionContext, documents gaby.Container,
				_ []api.FunctionArgument, _ []byte,
			) (gaby.Container, any, error) {
				defer limit.Start(fc.Context(), nil).End()
				time.Sleep(long)
				return documents, nil, nil
			},
		}
		began := time.Now()
		_, err := fctl.Do(t.Context(), fctl.Options{
			Paths: []string{"-"}, In: strings.NewReader(deployment),
			Functions: []fctl.Option{fctl.WithFunctions(api.ToolchainKubernetesYAML, endless)},
			Chain:     api.FunctionInvocationList{{FunctionName: "never-ends"}},
		})
		if _, limited := errors.AsType[*limit.Error](err); !limited || time.Since(began) >= long {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		time.Sleep(long) // all goroutines must end in the test
	})
}

func TestDo(t *testing.T) {
	t.Run("writes files in place", func(t *testing.T) {
		dir := t.TempDir()
		for _, name := range []string{"a.yaml", "b.yaml"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(deployment),
				0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out strings.Builder
		result, err := fctl.Do(t.Context(),
			fctl.Options{
				Paths: []string{"."}, Dir: dir, InPlace: true, Chain: setReplicas(7),
				Out: &out,
			})
		if err != nil || len(result.Files) != 2 || !result.Files[1].Changed || !result.Passed ||
			out.Len() > 0 {
			t.Errorf("%+v, %v, %s", result, err, &out)
		}
		text, err := os.ReadFile(filepath.Join(dir, "b.yaml"))
		if want := strings.Replace(deployment, "replicas: 1", "replicas: 7",
			1); string(text) != want {
			t.Errorf("got %s, %v", text, err)
		}
	})
	t.Run("reports every problem", func(t *testing.T) {
		var errOut strings.Builder
		result, err := fctl.Do(t.Context(),
			fctl.Options{
				Paths: []string{"-"}, In: strings.NewReader("a: [\n"),
				Chain: setReplicas(7), ErrOut: &errOut,
			})
		var f *api.Failure
		if !errors.As(err, &f) || f.Class != api.FailureInput || result.Files[0].Changed ||
			!strings.Contains(errOut.String(), "<stdin>:") {
			t.Errorf("%+v, %v, %s", result, err, &errOut)
		}
	})
	t.Run("reports whether validations pass", func(t *testing.T) {
		result, err := fctl.Do(t.Context(), fctl.Options{
			Paths: []string{"-"}, In: strings.NewReader(deployment),
			Chain: api.FunctionInvocationList{{
				FunctionName: "vet-cel",
				Arguments:    []api.FunctionArgument{{Value: "r.spec.replicas > 1"}},
			}},
		})
		if err != nil || result.Passed {
			t.Errorf("%+v, %v", result, err)
		}
	})
	for name, c := range map[string]struct {
		options fctl.Options
		want    string
	}{
		"no paths": {fctl.Options{Chain: setReplicas(7)}, "Paths are missing"},
		"no chain": {
			fctl.Options{Paths: []string{"-"}},
			"the list of invocations is empty",
		},
		"two outputs": {
			fctl.Options{Paths: []string{"-"}, InPlace: true, DryRun: true},
			"exclude each other",
		},
		"unknown format": {fctl.Options{Paths: []string{"-"}, Format: "xml"}, "xml"},
		"unknown function": {
			fctl.Options{
				Paths: []string{"-"},
				Chain: api.FunctionInvocationList{{FunctionName: "set-replica"}},
			},
			`unknown function "set-replica"`,
		},
		"bad argument": {
			fctl.Options{Paths: []string{"-"}, Chain: setReplicas("many")},
			"replicas",
		},
		"bad expression": {fctl.Options{
			Paths: []string{"-"}, Where: "a =",
			Chain: setReplicas(7),
		}, "--where-resource"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := fctl.Do(t.Context(), c.options); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
