package kubernetes

import (
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
)

func TestEnvAssignments(t *testing.T) {
	pairs := func(texts ...string) []api.FunctionArgument {
		args := []api.FunctionArgument{{ParameterName: parameterContainerName, Value: "no-pair"}}
		for _, text := range texts {
			args = append(args, api.FunctionArgument{ParameterName: parameterPair, Value: text})
		}
		return args
	}
	got, err := envAssignments(pairs("A=b=c", "B=", `C=""`, "D-", `E="x"`, "F=-", "G-=x"))
	want := []assignment{
		{name: "A", value: "b=c"},
		{name: "B", emptied: true},
		{name: "C"},
		{name: "D", remove: true},
		{name: "E", value: `"x"`},
		{name: "F", value: "-"},
		{name: "G-", value: "x"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %+v", err, got)
	}
	_, err = envAssignments(pairs("A", "-", "=x", "A B=x", "OK=1", ""))
	if err == nil || strings.Count(err.Error(), "\n") != 4 {
		t.Errorf("not every malformed pair is reported: %v", err)
	}
}
