package api_test

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
)

func ExampleInvocationLabel() {
	fmt.Println(api.InvocationLabel("set-replicas", ""))
	fmt.Println(api.InvocationLabel("set-replicas", "scale-shop"))
	// Output:
	// set-replicas
	// set-replicas (scale-shop)
}

func ExampleWorseScore() {
	fmt.Println(api.WorseScore("Low", "High"))
	fmt.Println(api.WorseScore("Low", ""))
	// Output:
	// High
	// Low
}
