package process

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// MergeEnv merges lists of "KEY=value" and "KEY", sorted by key. Of one key the last element wins,
// so callers pass defaults first, then the declaration, then the command line (E4).
func MergeEnv(lists ...[]string) ([]string, error) {
	byKey := map[string]string{}
	for _, element := range slices.Concat(lists...) {
		key, _, _ := strings.Cut(element, "=")
		switch {
		case key == "":
			return nil, fmt.Errorf("environment variable %q has no name", element)
		case strings.Contains(element, "\x00"):
			return nil, fmt.Errorf("environment variable %q contains a NUL byte", element)
		}
		byKey[key] = element
	}
	var merged []string
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		merged = append(merged, byKey[key])
	}
	return merged, nil
}

// expandEnv replaces each "KEY" by "KEY=value" with the caller's value. Unset variables are left
// out.
func expandEnv(env []string, lookup func(string) (string, bool)) []string {
	var expanded []string
	for _, element := range env {
		if strings.Contains(element, "=") {
			expanded = append(expanded, element)
		} else if value, ok := lookup(element); ok {
			expanded = append(expanded, element+"="+value)
		}
	}
	return expanded
}

// DeniedEnv returns the names in the environment that a file declares without a value, and whose
// values nobody allowed to pass on. Elements of allowed are names, or "KEY=value".
func DeniedEnv(declared []string, allowed ...[]string) []string {
	var names []string
	for _, element := range slices.Concat(allowed...) {
		name, _, _ := strings.Cut(element, "=")
		names = append(names, name)
	}
	return slices.DeleteFunc(slices.Clone(declared), func(element string) bool {
		return strings.Contains(element, "=") || slices.Contains(names, element)
	})
}

// inherited are the variables of the caller that a program gets (E8).
func inherited() []string {
	return []string{
		"HOME", "LANG", "PATH", "TMPDIR",
		"SYSTEMROOT", // nothing starts on Windows without it
	}
}

// containerDefaults are the variables that every container gets.
func containerDefaults() []string {
	return []string{"LOG_TO_STDERR=true", "STRUCTURED_RESULTS=true"}
}
