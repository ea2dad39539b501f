package main

import (
	"strings"
	"testing"
)

func TestLicenses(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby granted,\n  free of charge, to any person":  "MIT",
		"Redistributions of source code must retain ...":                  "BSD-2-Clause",
		"Redistributions of source code must retain ... Neither the name": "BSD-3-Clause",
		"Apache License\n  Version 2.0, January 2004":                     "Apache-2.0",
		"All rights reserved, and nothing else is said about the program": "",
	} {
		if got := nameOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestUnshippable checks that copyleft and modules without a license are problems, and that a text of
// several modules is printed once.
func TestUnshippable(t *testing.T) {
	of := func(text string) map[string]license {
		return map[string]license{"LICENSE": {nameOf(text), text}}
	}
	const mit = "Permission is hereby granted, free of charge"
	var out strings.Builder
	err := write(&out, []*module{
		{"a.example/one", "v1.0.0", of(mit)},
		{"a.example/two", "v1.2.0", of(mit)},
		{"b.example/three", "v1.0.0", of("GNU GENERAL PUBLIC LICENSE")},
		{"c.example/four", "v0.1.0", nil},
	})
	const want = "b.example/three: GPL must not be shipped\nc.example/four: no license is found"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if text := out.String(); !strings.HasPrefix(text, "a.example/one v1.0.0 MIT\n") ||
		strings.Count(text, mit) != 1 || !strings.Contains(text, "\na.example/two v1.2.0 LICENSE\n") {
		t.Error(text)
	}
}
