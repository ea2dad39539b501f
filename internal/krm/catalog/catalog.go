// Package catalog has the functions of the published catalogue of KRM functions in Go. They read
// the published functionConfig and give the published results; they are written from the public
// documentation.
//
// Invariants:
//
//   - A function edits the documents of the items in place, so that what it was not asked to change
//     keeps its bytes. A second run on its own result changes nothing.
//   - A function uses no programs, network, clock or environment, and no files but the schemas that
//     the functionConfig of kubeconform names, below the directory of the resources.
//   - A function that fails returns an error; the error is a result too, because that is what the
//     published functions give.
//   - Nothing is built before a function is looked up.
//
// Layer: systems.
package catalog

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// entry is a function of the catalogue.
type entry struct {
	name string
	// series are the versions that the function replaces, without their last number.
	series []string
	brief  string
	// doc is the documentation of the functionConfig.
	doc string
	run krm.Function
}

// Describe returns a one-line description and the documentation of a function, "" if it is not in
// the catalogue.
func Describe(name string) (brief, doc string) {
	for _, e := range entries() {
		if e.name == name {
			return e.brief, e.doc
		}
	}
	return "", ""
}

// Names returns the names of all functions, sorted.
func Names() []string {
	var names []string
	for _, e := range entries() {
		names = append(names, e.name)
	}
	slices.Sort(names)
	return names
}

// Series returns the series of versions that a function replaces, such as v0.2; nil if it is not
// in the catalogue.
func Series(name string) []string {
	for _, e := range entries() {
		if e.name == name {
			return e.series
		}
	}
	return nil
}

// equalities has a function and a text in each line: first how many of the answers that were recorded
// of the published program it gives, then each known difference.
//
//go:embed equality.tsv
var equalities string

// Explain returns the versions of a function, how equal it is to the published program and in which
// points it differs, one in a line.
func Explain(name string) string {
	var b strings.Builder
	what := "equal answers: "
	for line := range strings.Lines(equalities) {
		if of, text, _ := strings.Cut(line, "\t"); of == name {
			b.WriteString(what + text)
			what = "difference: "
		}
	}
	return "versions: " + strings.Join(Series(name), ", ") + ", latest, unstable\n" + b.String()
}

// CheckConfig returns what is wrong with the data of a ConfigMap that is the functionConfig of a
// function. It finds nothing in that of a function that is not in the catalogue.
func CheckConfig(ctx context.Context, name, version string, data gaby.Entries) error {
	e := find(name, version)
	if e == nil {
		return nil
	}
	config, err := krm.ConfigMapOf(data)
	if err != nil {
		return err
	}
	return e.run(ctx, &krm.ResourceList{FunctionConfig: config, Checked: true})
}

// Find returns the function with the given name for a version: v0.2 and v0.2.3 are of the series
// v0.2; "", latest and unstable are every version.
func Find(name, version string) (krm.Function, bool) {
	e := find(name, version)
	if e == nil {
		return nil, false
	}
	return reported(e.run), true
}

func find(name, version string) *entry {
	for _, e := range entries() {
		if e.name == name && e.has(version) {
			return &e
		}
	}
	return nil
}

func (e *entry) has(version string) bool {
	if slices.Contains([]string{"", "latest", "unstable"}, version) {
		return true
	}
	if !strings.HasPrefix(version, "v") {
		version = "v" + version
	}
	for _, s := range e.series {
		last, ok := strings.CutPrefix(version, s)
		if ok && (last == "" || last[0] == '.' && !strings.ContainsAny(last[1:], ".-+")) {
			return true
		}
	}
	return false
}

// reported makes the error of a function a result, unless it has an error result already. That it
// reached a limit is not a result: it says nothing about the resources. After a passedError the
// function succeeds.
func reported(run krm.Function) krm.Function {
	return func(ctx context.Context, list *krm.ResourceList) error {
		err := run(ctx, list)
		if passed, ok := errors.AsType[*passedError](err); ok {
			if fnresult.Worst(list.Results) != fnresult.SeverityError {
				result := fnresult.Result{Message: passed.Error(), Severity: fnresult.SeverityError}
				if list.FunctionConfig != nil {
					result.ResourceRef = reference(&krm.Item{Doc: list.FunctionConfig})
				}
				list.Results = append(list.Results, result)
			}
			return nil
		}
		_, limited := errors.AsType[*limit.Error](err)
		if err == nil || limited || fnresult.Worst(list.Results) == fnresult.SeverityError ||
			ctx.Err() != nil {
			return err
		}
		for _, problem := range configkit.Unjoin(err) {
			list.Results = append(list.Results, fnresult.Result{
				Message: problem.Error(), Severity: fnresult.SeverityError,
			})
		}
		return err
	}
}

// passedError is what a published program reports before it ends with status 0. The resources are
// as they were.
type passedError struct{ error }

// Unwrap returns the error.
func (e *passedError) Unwrap() error { return e.error }

// errFailed is the error of functions that put what is wrong into results.
var errFailed = errors.New("the function found errors")

// entries returns the catalogue.
func entries() []entry {
	return []entry{
		{
			"apply-replacements",
			[]string{"v0.1"},
			"Copy values from one resource to others",
			docReplacements, applyReplacements,
		},
		{
			"apply-setters",
			[]string{"v0.1", "v0.2", "v0.3"},
			"Set the fields that have a setter comment",
			docSetters, applySetters,
		},
		{
			"create-setters",
			[]string{"v0.1"},
			"Add setter comments to fields that have a value",
			docSetters, createSetters,
		},
		{
			"ensure-name-substring",
			[]string{"v0.1", "v0.2"},
			"Add a prefix or suffix to names",
			docNameSubstring, ensureNameSubstring,
		},
		{
			"kubeconform",
			[]string{"v0.1"},
			"Validate resources by their schemas",
			docKubeconform, kubeconform,
		},
		{"list-setters", []string{"v0.1"}, "List the setters of fields", docNoConfig, listSetters},
		{
			"remove-local-config-resources",
			[]string{"v0.1"},
			"Remove resources that are never applied to a cluster", docNoConfig, removeLocalConfig,
		},
		{
			"search-replace",
			[]string{"v0.1", "v0.2"},
			"Search for fields, and set their values or comments",
			docSearchReplace, searchReplace,
		},
		{
			"set-annotations",
			[]string{"v0.1"},
			"Set annotations of all resources",
			docAnnotations, setAnnotations,
		},
		{
			"set-image",
			[]string{"v0.1", "v0.2"},
			"Set the name, tag or digest of images",
			docImage, setImage,
		},
		{
			"set-labels",
			[]string{"v0.1", "v0.2"},
			"Set labels of all resources, and their selectors",
			docLabels, setLabels,
		},
		{
			"set-namespace",
			[]string{"v0.1", "v0.2", "v0.3", "v0.4"},
			"Set the namespace of all resources",
			docNamespace, setNamespace,
		},
		{
			"starlark",
			[]string{"v0.4", "v0.5"},
			"Run a Starlark program on the resources",
			docStarlark, runStarlark,
		},
		{"upsert-resource", []string{"v0.1", "v0.2"}, "Add or replace resources", docUpsert, upsertResource},
	}
}
