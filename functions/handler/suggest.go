package handler

import "github.com/fctl-dev/fctl/configkit"

// Suggest finds the names most similar to what was typed, at most three, best first; see [configkit.Suggest].
func Suggest(typed string, names []string) []string { return configkit.Suggest(typed, names) }
