package report

import (
	"bytes"
	"strings"

	"github.com/fctl-dev/fctl/api"
)

// renderNames prints the changed resources as kubectl names them, each name once. Of a chain that
// changes nothing it prints those for which a function returned a value or a finding.
func renderNames(_ Terminal, r Result) (Rendered, error) {
	switch {
	case !mutates(r.Signatures):
		r.Changed = returned(r.Response.Outputs)
	case !r.Response.Success || !r.Response.Changed:
		return Rendered{}, nil
	}
	var b bytes.Buffer
	seen := map[string]bool{}
	for _, info := range r.Changed {
		if name := shortName(info); !seen[name] {
			seen[name] = true
			b.WriteString(name + "\n")
		}
	}
	return Rendered{text: Chunks{b.Bytes()}}, nil
}

// shortName returns kind.group/name, or kind/name without a group; /name is left out if there is
// none. Types of other toolchains have no group and stay as they are.
func shortName(info api.ResourceInfo) string {
	kind := string(info.ResourceType)
	if parts := strings.Split(kind, "/"); len(parts) > 1 {
		kind = strings.ToLower(parts[len(parts)-1])
		if len(parts) == 3 {
			kind += "." + parts[0]
		}
	}
	if info.ResourceNameWithoutScope == "" {
		return kind
	}
	return kind + "/" + string(info.ResourceNameWithoutScope)
}

// returned returns the resources that outputs are about.
func returned(outputs api.OutputList) []api.ResourceInfo {
	var all []api.ResourceInfo
	rows := func(list api.AttributeValueList) {
		for i := range list {
			all = append(all, list[i].ResourceInfo)
		}
	}
	for _, o := range outputs {
		switch v := o.Value.(type) {
		case api.AttributeValueList:
			rows(v)
		case api.ValidationResultList:
			for i := range v {
				rows(v[i].FailedAttributes)
				for _, l := range v[i].Locations {
					t, name, _ := strings.Cut(l.Resource, " ")
					all = append(all, api.ResourceInfo{
						ResourceType: api.ResourceType(t),
						ResourceNameWithoutScope: api.ResourceName(
							name[strings.LastIndexByte(name, '/')+1:]),
					})
				}
			}
		case api.ResourceInfoList:
			all = append(all, v...)
		case api.ResourceList:
			for i := range v {
				all = append(all, v[i].ResourceInfo)
			}
		}
	}
	return all
}
