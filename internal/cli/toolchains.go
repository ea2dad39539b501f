package cli

import (
	"context"
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/plan"
	"github.com/fctl-dev/fctl/internal/source"
)

// plans are the chain of a command line, resolved for each toolchain that
// occurs among the files: the same words may mean another function there.
type plans struct {
	resolve func(api.ToolchainType) (*plan.Plan, error)

	mu   sync.Mutex
	made map[api.ToolchainType]resolved
}

type resolved struct {
	chain *plan.Plan
	err   error
}

// of is the chain for a toolchain. It can be called concurrently.
func (c *plans) of(t api.ToolchainType) (*plan.Plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, made := c.made[t]
	if !made {
		r.chain, r.err = c.resolve(t)
		c.made[t] = r
	}
	return r.chain, r.err
}

// plan resolves the chain for the first toolchain of the files for which that
// can be done. When there is none the error is what is wrong for the first. again
// tells resolve that it was called before: flags among the words are set then.
func (j *job) plan(ctx context.Context, resolve func(walk *plan.Walk, again bool) (*plan.Plan, error)) (*plans, error) {
	toolchains, err := j.toolchains(ctx)
	if err != nil {
		return nil, err
	}
	again := false
	c := &plans{made: map[api.ToolchainType]resolved{}, resolve: func(t api.ToolchainType) (*plan.Plan, error) {
		defer func() { again = true }()
		return resolve(j.walk(t), again)
	}}
	for _, j.toolchain = range toolchains {
		if _, err = c.of(j.toolchain); err == nil {
			return c, nil
		}
	}
	j.toolchain = toolchains[0]
	_, err = c.of(j.toolchain)
	return nil, err
}

// toolchains are those of the files that there are functions for, in the order
// of the files.
func (j *job) toolchains(ctx context.Context) ([]api.ToolchainType, error) {
	if t := j.reader.Toolchain; t != "" {
		return []api.ToolchainType{t}, nil
	}
	var known, unknown []api.ToolchainType
	var unsure []source.File
	add := func(t api.ToolchainType, named bool) {
		switch {
		case slices.Contains(known, t):
		case supported(t, j.executor.Toolchains()) == nil:
			known = append(known, t)
		case named: // others are passed over
			unknown = append(unknown, t)
		}
	}
	for _, f := range j.found.Files {
		t, sure := source.ToolchainByName(f.Path)
		switch {
		case f.Format != "":
			t = f.Format
		case !sure:
			unsure = append(unsure, f)
			continue
		}
		add(t, f.Named)
	}
	// Reading tells, and one file is enough to resolve the words for. A pipe among several files is left for the run: it can be read once.
	reader := *j.reader
	reader.RegularOnly = j.found.Several
	for _, f := range unsure {
		if len(known) > 0 {
			break
		}
		unit, err := reader.Unit(ctx, f.Path, f.Unit)
		switch {
		case err == nil:
			add(unit.Toolchain, f.Named)
		case ctx.Err() != nil, !j.found.Several:
			return nil, err
		}
		if !j.found.Several {
			j.unit = unit
		}
	}
	switch {
	case len(known) > 0:
		return known, nil
	case len(unknown) > 0:
		return nil, supported(unknown[0], j.executor.Toolchains())
	}
	return []api.ToolchainType{api.ToolchainKubernetesYAML}, nil
}

const formatsTopic = `A toolchain is a format and the functions for it. --toolchain names it, else the
name of the file decides:

  Kubernetes/YAML        .yaml, .yml, and .json with apiVersion and kind
  AppConfig/JSON         any other .json, .jsonc, .json5
  AppConfig/TOML         .toml
  AppConfig/INI          .ini, .gitconfig, .gitmodules, .git/config
  AppConfig/Properties   .properties
  AppConfig/Env          .env, .env.*
  AppConfig/Text         .txt
  AppConfig/YAML         with --toolchain only
  OpenTofu/HCL           .tf, .tofu, .tfvars, .hcl

-f DIRECTORY takes Kubernetes/YAML only, with --toolchain X the files of X, and
with --toolchain auto the files of every format ('fctl help files').

The generic functions work in all of them, on the same paths, filters, schemas,
mutations, templates and programs; fctl list --toolchain AppConfig/TOML lists
them. In every format a change of one value changes that value's text and
nothing else: comments, order, alignment, quotes, escapes, the spelling of
numbers, blank lines and line ends stay, and what is new is written as its
neighbours are.

A file of application configuration is one resource. What it is called and of
which type it is stands in its configHub block; without one it is called NoName
and its type is NoSchema:

  [configHub]
  configName = "checkout"
  configSchema = "ShopSettings"

JSON        RFC 8259. Comments and trailing commas can be in .jsonc and .json5
            files, and in .json5 files all that the json5 package of Node reads.
            In .json files they are errors.
TOML        1.0, as Python's tomllib reads it; 1.1 is read too. Dates and times
            are strings.
INI         As Python's configparser reads it by default, interpolation aside:
            quotes, # and ; are part of a value, and comments have lines of
            their own. A number, true or false with a blank and # after it is
            that value, with a remark that stays. As git config reads it in
            .gitconfig, .gitmodules and .git/config files, and when a section
            has a name in quotes or every key follows one tab: there, values
            have quotes and escapes, and comments follow them. [a.b] is the map
            b in the map a. Keys do not nest and must be in a section.
Properties  As Java's Properties.load reads them: # is part of a value, and
            comments have lines of their own. A number, true or false with a
            blank and # after it is that value, with a remark that stays. Keys
            nest at their dots, and numbers from 0 on make lists: features.0,
            features.1.
Env         As dotenv (of Node), godotenv, docker compose and the shell read it:
            export, quotes, values of several lines, # after a blank. What is
            written means the same to all of them: a value that needs both kinds
            of quotes is an error, and so is # in a comment. A $ is text, in
            single quotes, unless the value had the same variable before. Where
            a value had \n, and for new lines of one in a text with CRLF, \n is
            written, which the shell does not know. All values are strings.
Text        The string text, of which text#3 is the third line. YAML between two
            lines --- at the beginning is front matter, whose entries stand
            beside text.
HCL         Every block is a resource: its type is the first of two labels, or
            the block type when it has fewer, its name the last label.
            Expressions are strings, "${var.cidr}", that no function looks into
            unasked. The types and labels of blocks are $block, $type and $name;
            search-replace skips them, as it skips keys. Blocks with the same
            type and name, such as several locals blocks, are one resource: a
            value is set in the block that has it, else in the first.
            --kind selects by type: --kind module, --kind aws_subnet.

In INI and Properties only true, false and whole numbers are not strings: 007
and 1.0 are, so that they stay as they are.

Where comments have lines of their own, set-path-comment writes one directly
above the key, below those that are there; '' removes all of them.
`
