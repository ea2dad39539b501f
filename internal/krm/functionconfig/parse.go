package functionconfig

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/strict"
)

// Parse reads the FunctionConfigs of a text of YAML or JSON documents, and of lists of them. file
// is the name of the text in positions. The problems are in the order of the text; a Config is
// returned for every object without errors. A document that is something else is an error.
func Parse(text []byte, file string) ([]*Config, []ConfigProblem) {
	p := parseAll(text, file, false, names{})
	return p.Configs(), p.Problems
}

// ParseCluster returns the parts of a List in JSON, as fctl-runner prints the objects of a cluster.
func ParseCluster(text []byte) ([]Part, error) {
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	parts := make([]Part, len(list.Items))
	for i, item := range list.Items {
		var o struct {
			Metadata struct{ Name, Namespace string }
		}
		if err := json.Unmarshal(item, &o); err != nil {
			return nil, err
		}
		parts[i] = ParseObject(item, path.Join(o.Metadata.Namespace, o.Metadata.Name))
	}
	return parts, nil
}

// ParseObject returns the part of an object of a cluster. key names it in place of positions, which
// the text of an API server does not have.
func ParseObject(text []byte, key string) Part {
	p := parseAll(text, key, false, names{})
	for i := range p.Problems {
		p.Problems[i].Pos = api.Position{File: key}
	}
	for _, c := range p.objects {
		c.Pos, c.ImagePos, c.cluster = api.Position{File: key}, api.Position{File: key}, key
	}
	return p
}

// ParseMixed is Parse for a text whose documents of other kinds are skipped.
func ParseMixed(text []byte, file string) ([]*Config, []ConfigProblem) {
	p := parseAll(text, file, true, names{})
	return p.Configs(), p.Problems
}

// Configs returns the configs without errors.
func (p *Part) Configs() []*Config {
	return slices.DeleteFunc(slices.Clone(p.objects), func(c *Config) bool { return c.broken })
}

// names are the configs of the texts that are read together, by namespace and name.
type names map[[2]string]*Config

// parseAll adds the configs to seen.
func parseAll(text []byte, file string, mixed bool, seen names) Part {
	p := Part{Name: file}
	docs, err := gaby.ParseAll(text)
	if err != nil {
		r := &strict.Reader{File: file}
		r.Syntax(err)
		p.text, p.Problems = text, problemsOf(r)
		return p
	}
	objects := 0
	for _, doc := range docs {
		if doc.Check() == nil && (doc.IsNull() || mixed && !isOurs(doc)) {
			continue
		}
		objects++
		config, found := parseObject(doc, file)
		if config == nil || config.Name == "" {
			p.text = text
		} else {
			id := [2]string{config.Namespace, config.Name}
			if first := seen[id]; first != nil {
				found = append(found, sameName(doc, config, first))
			} else {
				seen[id] = config
			}
		}
		p.Problems = append(p.Problems, found...)
		if config != nil {
			config.broken = len(Errors(found)) > 0
			p.objects = append(p.objects, config)
		}
	}
	if objects == 0 && !mixed {
		r := &strict.Reader{File: file}
		r.Report(gaby.Position{Line: 1, Column: 1}, "", "the text has no FunctionConfig")
		p.Problems = problemsOf(r)
	}
	return p
}

// sameName returns the problem that two objects are one for a cluster.
func sameName(doc *gaby.YamlDoc, c, first *Config) ConfigProblem {
	at := doc.Value().Get("metadata").Get("name").Position()
	pos := api.Position{File: c.Pos.File, Line: at.Line, Column: at.Column}
	return c.problem(pos, "metadata.name", Conflict, fmt.Errorf(
		"another FunctionConfig has the name %s, at %s; a cluster keeps the last one only", c.Name,
		first.Pos))
}

// isOurs reports whether a document is, or is meant to be, a FunctionConfig of Porch.
func isOurs(doc *gaby.YamlDoc) bool {
	return IsMeant(doc.Value().Get("apiVersion").Text(), doc.Value().Get("kind").Text())
}

// IsMeant reports whether an object of an apiVersion and a kind is, or is meant to be, a
// FunctionConfig of Porch: one of the two may be missing or misspelled.
func IsMeant(apiVersion, kind string) bool {
	group, _, _ := strings.Cut(apiVersion, "/")
	if group == Group {
		return kind == "" || len(configkit.Suggest(kind, []string{Kind})) > 0
	}
	return kind == Kind && (group == "" || len(configkit.LikelyTypos(group, []string{Group})) > 0)
}

// Decode reads one document, which must be a FunctionConfig. file is the name of its file in
// positions. The Config is nil if it has errors.
func Decode(doc *gaby.YamlDoc, file string) (*Config, []ConfigProblem) {
	config, problems := parseObject(doc, file)
	if len(Errors(problems)) > 0 {
		return nil, problems
	}
	return config, problems
}

// parseObject reads one object. The Config is nil if it is of another kind or version.
func parseObject(doc *gaby.YamlDoc, file string) (*Config, []ConfigProblem) {
	r := &strict.Reader{File: file}
	if err := doc.Check(); err != nil {
		r.Syntax(err)
		return nil, problemsOf(r)
	}
	root := r.Value(doc.Value(), "")
	if name := root.Get("metadata").Get("name").Value; name.Kind() == gaby.Scalar {
		r.Resource = Kind + "/" + name.Text()
	}
	c := &Config{Pos: root.InFile()}
	if !c.read(root) {
		c = nil
	}
	return c, problemsOf(r)
}
