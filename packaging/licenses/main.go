// Command licenses prints the modules that programs are built from, with their licenses and the texts
// of these, which a release has to ship. It fails if a module has no license that may be shipped.
//
//	go run ./packaging/licenses ./cmd/fctl ./cmd/fctl-runner
//
// Layer: programs.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/process"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	err := errors.Join(run(out, os.Args[1:]), out.Flush())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// license is the text of a license in a file of a module.
type license struct {
	name, text string
}

// module is a module that a program has code of.
type module struct {
	path, version string
	licenses      map[string]license // by file
}

// run prints the licenses of the modules of all systems for which releases are built.
func run(out io.Writer, programs []string) error {
	text, err := goCommand("", "env", "GOROOT")
	if err != nil {
		return err
	}
	goroot := strings.TrimSpace(text)
	std := &module{path: "std", version: runtime.Version(), licenses: map[string]license{}}
	if err := std.read(goroot, goroot); err != nil {
		return err
	}
	modules := map[string]*module{"std": std}
	for _, system := range []string{"linux", "darwin", "windows"} {
		if err := add(modules, system, programs); err != nil {
			return err
		}
	}
	return write(out, slices.SortedFunc(maps.Values(modules),
		func(a, b *module) int { return cmp.Compare(a.path, b.path) }))
}

// add adds the modules of the packages that the programs have on a system, and the licenses in the
// directories of these packages and above them.
func add(modules map[string]*module, system string, programs []string) error {
	text, err := goCommand(system, append([]string{
		"list", "-deps", "-f",
		"{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}",
	}, programs...)...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		parts := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(parts) != 4 {
			continue
		}
		m := modules[parts[0]]
		if m == nil {
			m = &module{path: parts[0], version: parts[1], licenses: map[string]license{}}
			modules[parts[0]] = m
		}
		root, dir := parts[2], parts[3]
		for ; strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
			if err := m.read(root, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// goCommand returns the output of the go command for a system, "" for this one.
func goCommand(system string, words ...string) (string, error) {
	var out strings.Builder
	tool := process.Tool{Words: append([]string{"go"}, words...), Stdout: &out, Stderr: os.Stderr}
	if system != "" {
		tool.Env = []string{"GOOS=" + system}
	}
	if err := tool.Run(context.Background()); err != nil {
		return "", fmt.Errorf("go %s: %w", words[0], err)
	}
	return out.String(), nil
}

// read reads the licenses in a directory of a module.
func (m *module) read(root, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	file := regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents)s?([-.].*)?$`)
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		name, _ := filepath.Rel(root, path)
		if _, known := m.licenses[name]; known || entry.IsDir() || !file.MatchString(entry.Name()) ||
			strings.HasSuffix(name, ".go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m.licenses[name] = license{nameOf(string(text)), strings.TrimSpace(string(text))}
	}
	return nil
}

// nameOf returns the SPDX identifiers of the licenses whose texts a file has, or "".
func nameOf(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	has := func(part string) bool { return strings.Contains(text, part) }
	var names []string
	for _, one := range []struct {
		name  string
		found bool
	}{
		{"Apache-2.0", has("Apache License") && has("Version 2.0")},
		{"MIT", has("Permission is hereby granted, free of charge")},
		{"BSD-3-Clause", has("Redistributions of source code must retain") &&
			(has("Neither the name") || has("The names of its contributors may not"))},
		{"BSD-2-Clause", has("Redistributions of source code must retain") &&
			!has("Neither the name") && !has("The names of its contributors may not")},
		{"ISC", has("Permission to use, copy, modify, and/or distribute this software")},
		{"MPL-2.0", has("Mozilla Public License") && has("2.0")},
		{"Unlicense", has("This is free and unencumbered software released into the public domain")},
		{"GPL", has("GNU GENERAL PUBLIC LICENSE") || has("GNU LESSER GENERAL PUBLIC LICENSE") ||
			has("GNU AFFERO GENERAL PUBLIC LICENSE")},
	} {
		if one.found {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, " AND ")
}

// write prints the list and the texts, each of which is printed once.
func write(out io.Writer, modules []*module) error {
	var problems []error
	modulesOf := map[string][]string{} // by text
	var texts []string
	for _, m := range modules {
		names := map[string]bool{}
		for _, file := range slices.Sorted(maps.Keys(m.licenses)) {
			l := m.licenses[file]
			if modulesOf[l.text] == nil {
				texts = append(texts, l.text)
			}
			modulesOf[l.text] = append(modulesOf[l.text], strings.TrimSpace(m.path+" "+m.version)+" "+file)
			if l.name != "" {
				names[l.name] = true
			}
		}
		list := strings.Join(slices.Sorted(maps.Keys(names)), ", ")
		switch {
		case list == "":
			problems = append(problems, fmt.Errorf("%s: no license is found", m.path))
		case strings.Contains(list, "GPL"):
			problems = append(problems, fmt.Errorf("%s: %s must not be shipped", m.path, list))
		}
		fmt.Fprintf(out, "%s %s\n", strings.TrimSpace(m.path+" "+m.version), list) //nolint:errcheck // Flush returns it
	}
	for _, text := range texts {
		fmt.Fprintf(out, "\n%s\n%s\n\n%s\n", strings.Repeat("-", 80), //nolint:errcheck // Flush returns it
			strings.Join(modulesOf[text], "\n"), text)
	}
	return errors.Join(problems...)
}
