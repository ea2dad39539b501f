package schemas

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// AddProblems adds the problems that a schema found in a resource to the result of a
// validation, as details and as failed attributes. With problems, the result does not pass. Problems
// of a value or key with a variable do not count: something else fills it in.
func AddProblems(
	result *api.ValidationResult,
	provider configkit.ResourceProvider,
	doc *gaby.YamlDoc,
	info *api.ResourceInfo,
	problems []jsonschema.Violation,
) {
	problems = slices.DeleteFunc(problems, func(p jsonschema.Violation) bool {
		v := doc.Search(p.FullPath()...).Value()
		return p.Property == "" && v.Kind() == gaby.Scalar && configkit.HasVariable(v.Text()) ||
			p.Keyword == "name" && configkit.HasStandIn(v.Text()) || configkit.HasVariable(v.Key())
	})
	if len(problems) == 0 {
		return
	}
	result.Passed = false
	keys, seen := provider.MergeKeys(info.ResourceType), &yamlpath.FirstByKey{}
	reported := func(segments []string) api.ResolvedPath {
		return yamlpath.ReportedFrom(doc.Value(), segments, nil, keys, "", seen)
	}
	for i := range problems {
		p := &problems[i]
		path := cmp.Or(string(reported(p.Path)), "(root)")
		result.Details = append(result.Details, fmt.Sprintf(
			"Resource %s/%s: %s: %s", info.ResourceType,
			strings.TrimPrefix(string(info.ResourceName), "/"), path, p,
		))
		row := api.AttributeValue{
			AttributeInfo: api.AttributeInfo{
				AttributeIdentifier: api.AttributeIdentifier{
					ResourceInfo: *info, Path: reported(p.FullPath()),
				},
				AttributeMetadata: api.AttributeMetadata{AttributeName: api.AttributeNameNone},
			},
			Reason: p.String(),
		}
		if p.Pos.Line > 0 {
			row.Position = &p.Pos
		}
		result.FailedAttributes = append(result.FailedAttributes, row)
	}
}
