package krm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
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
	entry := present("name", name, "image", r.Step.Image, "exec", r.Step.Exec, "stderr", r.Stderr)
	entry = append(entry, gaby.Entry{Key: "exitCode", Value: r.ExitCode})
	if len(r.Results) > 0 {
		entry = append(entry, gaby.Entry{
			Key: "results", Value: resultsData(withTextValues(r.Results)),
		})
	}
	return entry
}

// withTextValues returns results whose field values are strings, as a FunctionResultList has them.
func withTextValues(results []Result) []Result {
	texts := make([]Result, len(results))
	for i, r := range results {
		if r.Field != nil {
			f := *r.Field
			f.CurrentValue, f.ProposedValue = textOf(f.CurrentValue), textOf(f.ProposedValue)
			r.Field = &f
		}
		texts[i] = r
	}
	return texts
}

// textOf returns a value as a string, nil for nil. Maps and lists are YAML.
func textOf(value any) any {
	switch v := value.(type) {
	case nil, string:
		return v
	case map[string]any, []any:
		doc, err := gaby.ParseYAML([]byte("x: 0\n"))
		if err == nil {
			if set, err := doc.Set(v, "x"); err == nil {
				return set.Value().YAML()
			}
		}
	}
	return fmt.Sprint(value)
}

// ResultFiles returns the text of results.yaml. With each there are also results-0.yaml,
// results-1.yaml and so on, as kustomize writes them: a list for each function with results.
func ResultFiles(results []*StepResult, exitCode int, each bool) (map[string][]byte, error) {
	text, err := ResultList(results, exitCode)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{"results.yaml": text}
	for _, r := range results {
		if !each || len(r.Results) == 0 {
			continue
		}
		doc, err := gaby.ParseYAML([]byte("x: []\n"))
		if err != nil {
			return nil, err
		}
		list, err := doc.Set(resultsData(r.Results), "x")
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("results-%d.yaml", len(texts)-1)
		texts[name] = []byte(strings.TrimRight(list.Value().YAML(), "\n") + "\n")
	}
	return texts, nil
}
