package functest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
)

// testCase is a case as read from its directory.
type testCase struct {
	name      string
	dir       string
	extension string // of the input file, with the dot
	input     []byte
	chain     api.FunctionInvocationList
}

// load reads the cases of the suite, sorted by name.
func (s Suite) load() ([]testCase, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return nil, err
	}
	var cases []testCase
	var problems []error
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		c := testCase{name: entry.Name(), dir: filepath.Join(s.Dir, entry.Name())}
		if err := c.load(s.Dir); err != nil {
			problems = append(problems, err)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		problems = append(problems, fmt.Errorf("%s: the directory has no cases", s.Dir))
	}
	return cases, errors.Join(problems...)
}

// load reads the chain and the input of a case. above is the directory of the suite.
func (c *testCase) load(above string) error {
	path := filepath.Join(c.dir, "chain")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		chain, err := handler.ParseChain(line)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		c.chain = append(c.chain, chain...)
	}
	if len(c.chain) == 0 {
		return fmt.Errorf("%s: the chain has no function", path)
	}
	for _, dir := range []string{c.dir, above} {
		inputs, err := filepath.Glob(filepath.Join(dir, "in.*"))
		if err != nil {
			return err
		}
		switch len(inputs) {
		case 0:
			continue
		case 1:
			c.extension = filepath.Ext(inputs[0])
			c.input, err = os.ReadFile(inputs[0])
			return err
		}
		return fmt.Errorf("%s: there are several inputs: %s", dir, strings.Join(inputs, ", "))
	}
	return fmt.Errorf("%s: no input file, neither here nor in the directory above", c.dir)
}

// uncovered returns the functions of the suite that no case runs.
func (s Suite) uncovered(cases []testCase) []string {
	return slices.DeleteFunc(slices.Clone(s.Functions), func(name string) bool {
		return slices.ContainsFunc(cases, func(c testCase) bool {
			return slices.ContainsFunc(c.chain, func(i api.FunctionInvocation) bool {
				return i.FunctionName == name
			})
		})
	})
}

// check runs a case and returns a problem for each deviation from its golden files and from the
// signature of its last function. If update is set, it first writes the golden files.
func (s Suite) check(ctx context.Context, c testCase, update bool) (problems []string, err error) {
	response, err := s.invoke(ctx, c, c.input, c.chain)
	if err != nil {
		return nil, err
	}
	got, err := c.result(response)
	if err != nil {
		return nil, err
	}
	if update {
		if err := c.write(got); err != nil {
			return nil, err
		}
	}
	if problems, err = c.compare(got); err != nil {
		return nil, err
	}
	again, err := s.invoke(ctx, c, c.input, c.chain)
	if err != nil {
		return nil, err
	}
	second, err := c.result(again)
	if err != nil {
		return nil, err
	}
	if !got.equal(second) {
		problems = append(problems,
			"a second run on the same input has a different result")
	}
	last := c.chain[len(c.chain)-1:]
	signature, known := s.Executor.Signature(s.toolchain(), last[0].FunctionName)
	if response.Success && known && signature.Mutating && signature.Idempotent {
		onResult, err := s.invoke(ctx, c, response.ConfigData, last)
		if err != nil {
			return nil, err
		}
		if onResult.Changed {
			problems = append(problems,
				difference(fmt.Sprintf("%s says that it is idempotent, but changes its own result",
					last[0].FunctionName),
					string(response.ConfigData), string(onResult.ConfigData)))
		}
	}
	return problems, nil
}

func (s Suite) toolchain() api.ToolchainType {
	if s.Toolchain == "" {
		return api.ToolchainKubernetesYAML
	}
	return s.Toolchain
}

// invoke runs a chain on data as a unit named like the case.
func (s Suite) invoke(
	ctx context.Context, c testCase, data []byte, chain api.FunctionInvocationList,
) (*handler.Result, error) {
	request := &api.FunctionInvocationRequest{
		FunctionContext:     s.Context,
		ConfigData:          data,
		StopOnError:         true,
		FunctionInvocations: chain,
	}
	request.ToolchainType = s.toolchain()
	if request.UnitSlug == "" {
		request.UnitSlug = c.name
	}
	return s.Executor.Run(ctx, request, handler.Options{AllowExternal: s.AllowExternal})
}

// caseResult has the texts that a case made. An empty text corresponds to a missing file.
type caseResult struct {
	data   string // "" if it did not change
	output string
	notes  string
	errors []string
}

// result returns the texts that a response is compared by.
func (c *testCase) result(response *handler.Result) (caseResult, error) {
	var r caseResult
	for _, failure := range response.Failures {
		text := failure.Error()
		if failure.Hint != "" {
			text += " (hint: " + failure.Hint + ")"
		}
		r.errors = append(r.errors, text)
	}
	for _, note := range response.Notes {
		r.notes += note.String() + "\n"
	}
	if response.Changed && response.Success { // as on a command line, a failed chain has no result
		r.data = string(response.ConfigData)
	}
	for _, output := range response.Outputs {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(output.Value); err != nil {
			return r, fmt.Errorf("output %s: %w", output.OutputType, err)
		}
		r.output += b.String()
	}
	return r, nil
}

func (r caseResult) equal(other caseResult) bool {
	return r.data == other.data && r.output == other.output && r.notes == other.notes &&
		slices.Equal(r.errors, other.errors)
}

// read returns the contents of a golden file, or "" if the file does not exist.
func read(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}
