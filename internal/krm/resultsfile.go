package krm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// ResultList returns the results of steps as the text of a FunctionResultList, as kpt writes it:
// the functions that ran, in order, the failed one included.
func ResultList(results []*StepResult, exitCode int) ([]byte, error) {
	doc, err := gaby.ParseYAML([]byte("apiVersion: kpt.dev/v1\nkind: FunctionResultList\n" +
		"metadata:\n  name: fnresults\nexitCode: " + strconv.Itoa(exitCode) + "\n"))
	if err != nil {
		return nil, err
	}
	var items []any
	for _, r := range results {
		if r.Skipped != "" {
			continue
		}
		items = append(items, r.entry(""))
	}
	if len(items) > 0 {
		if _, err := doc.Set(items, "items"); err != nil {
			return nil, err
		}
	}
	return doc.Bytes(), nil
}

// entry returns what a function did, as kpt writes it.
func (r *StepResult) entry(name string) gaby.Entries {
	entry := fnresult.Present("name", name, "image", r.Step.Image, "exec", r.Step.Exec, "stderr",
		strings.TrimSuffix(r.Stderr, "\n"))
	entry = append(entry, gaby.Entry{Key: "exitCode", Value: r.ExitCode})
	if len(r.Results) > 0 {
		entry = append(entry, gaby.Entry{
			Key: "results", Value: fnresult.Data(fnresult.AsKpt(r.Results)),
		})
	}
	return entry
}

// ResultsFile is the name of the file with the results of all functions.
const ResultsFile = "results.yaml"

// ResultFiles returns the text of results.yaml. With each there are also results-0.yaml,
// results-1.yaml and so on, as kustomize writes them: a list for each function with results.
func ResultFiles(results []*StepResult, exitCode int, each bool) (map[string][]byte, error) {
	text, err := ResultList(results, exitCode)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{ResultsFile: text}
	for _, r := range results {
		if !each || len(r.Results) == 0 {
			continue
		}
		doc, err := gaby.ParseYAML([]byte("x: []\n"))
		if err != nil {
			return nil, err
		}
		list, err := doc.Set(fnresult.Data(r.Results), "x")
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("results-%d.yaml", len(texts)-1)
		texts[name] = []byte(strings.TrimRight(list.Value().YAML(), "\n") + "\n")
	}
	return texts, nil
}
