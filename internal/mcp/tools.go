package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/policies"
)

type (
	request = mcp.CallToolRequest
	result  = mcp.CallToolResult
)

func (s *Server) listFunctions(ctx context.Context, _ *request, in Words) (*result, Answer, error) {
	words := append([]string{"list", "-o", "json"}, toolchain(in.Toolchain)...)
	return s.answer(ctx, call{words: append(append(words, "--"), in.Words...), values: true})
}

func (s *Server) explainFunction(ctx context.Context, _ *request, in Name) (*result, Answer, error) {
	words := append([]string{"explain"}, toolchain(in.Toolchain)...)
	return s.answer(ctx, call{words: append(words, "--", in.Function)})
}

// toolchain returns the flag for a toolchain.
func toolchain(name string) []string {
	if name == "" {
		return nil
	}
	return []string{"--toolchain=" + name}
}

func (s *Server) read(ctx context.Context, _ *request, in Chain) (*result, Answer, error) {
	return s.do(ctx, in, call{words: []string{"do", "-o", "output"}, values: true})
}

func (s *Server) preview(ctx context.Context, _ *request, in Preview) (*result, Answer, error) {
	form := "diff"
	if in.Mutations {
		form = "mutations"
	}
	return s.do(ctx, in.Chain, call{words: []string{"do", "-o", form}})
}

func (s *Server) apply(ctx context.Context, _ *request, in Chain) (*result, Answer, error) {
	if len(in.Paths) == 0 {
		return nil, Answer{}, errors.New("paths are missing: a text cannot be written")
	}
	return s.do(ctx, in, call{words: []string{"do", "-i", "--diff"}})
}

func (s *Server) validate(ctx context.Context, _ *request, in Checks) (*result, Answer, error) {
	c := call{words: []string{"vet", "--report=json"}, values: true}
	for _, policy := range in.Policies {
		if !slices.Contains(policies.Names(), policy) { // it would be a file, perhaps of another root
			return nil, Answer{}, fmt.Errorf("policy %q is not one of %s", policy,
				strings.Join(policies.Names(), ", "))
		}
		c.words = append(c.words, "--policy="+policy)
	}
	if in.Kubernetes != "" {
		c.words = append(c.words, "--kubernetes-version="+in.Kubernetes)
	}
	return s.run(ctx, Chain{Source: in.Source, Functions: in.Functions}, c)
}

func (s *Server) planLinks(ctx context.Context, _ *request, in Place) (*result, Answer, error) {
	dir, err := s.below(in.Directory)
	if err != nil {
		return nil, Answer{}, err
	}
	// The workspace may begin above dir. Other problems with it are those that fctl finds.
	if top, err := workspace.Find(dir, false); err == nil {
		if _, err := s.below(top); err != nil {
			return nil, Answer{}, fmt.Errorf("the workspace: %w", err)
		}
	}
	words := []string{"link", "plan", "-o", "json", "--directory=" + s.shown(dir)}
	return s.answer(ctx, call{words: words, values: true})
}

// do runs a chain that is not empty.
func (s *Server) do(ctx context.Context, in Chain, c call) (*result, Answer, error) {
	if len(in.Functions) == 0 {
		return nil, Answer{}, errors.New("functions are missing")
	}
	return s.run(ctx, in, c)
}

// run runs a chain. It is given in a file, so that an argument is never a flag.
func (s *Server) run(ctx context.Context, in Chain, c call) (_ *result, _ Answer, err error) {
	if err := s.source(&c, in.Source); err != nil {
		return nil, Answer{}, err
	}
	if len(in.Functions) == 0 {
		return s.answer(ctx, c)
	}
	text, err := chainText(in.Functions)
	if err != nil {
		return nil, Answer{}, err
	}
	dir, err := os.MkdirTemp("", "fctl-mcp-")
	if err != nil {
		return nil, Answer{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	chain := filepath.Join(dir, "chain.json")
	if err := os.WriteFile(chain, text, 0o600); err != nil {
		return nil, Answer{}, err
	}
	c.chain = s.shown(chain)
	c.words = append(c.words, "--functions="+c.chain)
	return s.answer(ctx, c)
}

// chainText returns the text of a file with a chain.
func chainText(chain []Step) ([]byte, error) {
	type step struct {
		Function  string `json:"function"`
		Arguments any    `json:"arguments,omitempty"`
	}
	steps := make([]step, len(chain))
	for i, f := range chain {
		steps[i].Function = f.Function
		switch {
		case len(f.Arguments) > 0 && len(f.Named) > 0:
			return nil, fmt.Errorf("%s: arguments and named exclude each other", f.Function)
		case len(f.Named) > 0:
			steps[i].Arguments = f.Named
		case len(f.Arguments) > 0:
			steps[i].Arguments = f.Arguments
		}
	}
	return json.Marshal(steps)
}

// source adds what a call runs on.
func (s *Server) source(c *call, in Source) error {
	if in.Where != "" {
		c.words = append(c.words, "--where-resource="+in.Where)
	}
	c.words = append(c.words, toolchain(in.Format)...)
	switch {
	case len(in.Paths) > 0 && in.Text != "":
		return errors.New("paths and text exclude each other")
	case len(in.Paths) > 0:
		c.words = append(c.words, "-R")
		for _, path := range in.Paths {
			full, err := s.below(path)
			if err != nil {
				return err
			}
			c.words = append(c.words, "--filename="+s.shown(full))
		}
	case in.Text == "":
		return errors.New("paths or a text are missing")
	default:
		c.stdin = in.Text
		c.words = append(c.words, "--filename=-")
	}
	return nil
}

// below returns the full path of a file or directory, which must be below a root after links. The
// error does not say whether something else exists.
func (s *Server) below(path string) (string, error) {
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(s.Roots[0], path)
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		for _, root := range s.Roots {
			inside, err := filepath.Rel(root, real)
			if err != nil || !filepath.IsLocal(inside) {
				continue
			}
			if files.HasGit(filepath.ToSlash(inside)) {
				return "", fmt.Errorf("%s is in .git", path)
			}
			return real, nil
		}
	}
	return "", fmt.Errorf("%s is not a file or directory below %s", path, strings.Join(s.Roots, " or "))
}

// shown returns a path as answers show it: relative to the first root, where fctl runs.
func (s *Server) shown(full string) string {
	if inside, err := filepath.Rel(s.Roots[0], full); err == nil && filepath.IsLocal(inside) {
		return "." + string(filepath.Separator) + inside
	}
	return full
}
