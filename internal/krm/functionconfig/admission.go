package functionconfig

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/strict"
)

// APIServers returns the names of API servers that NewAdmission knows, by the definition of
// FunctionConfig that they have.
func APIServers() []string { return []string{"fctl", "porch"} }

// Admission decides about objects as an API server does that has a definition of FunctionConfig and
// gets the objects from kubectl, which has it refuse unknown fields.
type Admission struct{ schema *jsonschema.Schema }

// NewAdmission returns an Admission that decides as one of APIServers does.
func NewAdmission(server string) (*Admission, error) {
	definition := CRD()
	if server == "porch" {
		definition = expanded(porchTemplate)
	}
	doc, err := gaby.ParseYAML([]byte(definition))
	if err != nil {
		return nil, err
	}
	set, err := new(schemas.Library).Set("", cel.NewRuleCompiler())
	if err == nil {
		err = set.AddDefinition(doc.Value())
	}
	if err != nil {
		return nil, err
	}
	schema, err := set.Schema(api.ResourceType(APIVersion + "/" + Kind))
	return &Admission{schema}, err
}

// Check returns why the API server refuses the FunctionConfigs of a text. mixed skips documents of
// other kinds. accepted is the number of those that it does not refuse.
func (a *Admission) Check(ctx context.Context, text []byte, file string, mixed bool,
) (problems []ConfigProblem, accepted int, err error) {
	docs, err := gaby.ParseAll(text)
	if err != nil {
		r := &strict.Reader{File: file}
		r.Syntax(err)
		return problemsOf(r), 0, nil
	}
	for _, doc := range docs {
		if doc.IsNull() || mixed && !isOurs(doc) {
			continue
		}
		found, err := a.object(ctx, doc.Value(), file)
		if err != nil {
			return nil, 0, err
		}
		if len(found) == 0 {
			accepted++
		}
		for _, p := range found {
			p.Server = true
			problems = append(problems, p)
		}
	}
	return problems, accepted, nil
}

// object returns why the API server refuses an object.
func (a *Admission) object(ctx context.Context, v gaby.Value, file string) ([]ConfigProblem, error) {
	r := &strict.Reader{File: file}
	if v.Kind() != gaby.Map {
		r.Report(v.Position(), "", "a %s is expected", Kind)
		return problemsOf(r), nil
	}
	meta := v.Get("metadata")
	name := meta.Get("name")
	if name.Kind() == gaby.Scalar {
		r.Resource = Kind + "/" + name.Text()
	}
	if version, kind := v.Get("apiVersion"), v.Get("kind"); version.Text() != APIVersion || kind.Text() != Kind {
		r.Report(v.Position(), APIVersion+"/"+Kind, "an API server has no %s/%s", version.Text(), kind.Text())
		return problemsOf(r), nil
	}
	switch text, isText := name.Data().(string); {
	case isText && text != "" && !isSubdomain(text):
		r.Report(name.Position(), "", "metadata.name: %q is not a name of lower-case letters, digits, \".\" "+
			"and \"-\"", text).Failure.Path = "metadata.name"
	case (!name.Exists() || text == "") && meta.Get("generateName").Text() == "":
		r.Report(v.Position(), "", "metadata.name is missing").Failure.Path = "metadata.name"
	}
	found, err := a.schema.Check(ctx, v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	// The API server evaluates rules only about objects of the right form.
	isRule := func(p jsonschema.Violation) bool { return p.Keyword == "x-kubernetes-validations" }
	if !slices.ContainsFunc(found, func(p jsonschema.Violation) bool { return !isRule(p) }) {
		isRule = func(jsonschema.Violation) bool { return false }
	}
	for i := range found {
		p := &found[i]
		if isRule(*p) {
			continue
		}
		path := strings.Join(p.FullPath(), ".")
		r.Report(p.Pos, p.Hint, "%s: %s", path, p.Message).Failure.Path = path
	}
	return problemsOf(r), nil
}
