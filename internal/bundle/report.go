package bundle

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/out"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// Report is a result as JSON has it. It has no rendered objects and no secret values.
type Report struct {
	Bundle    string                `json:"bundle"`
	Namespace string                `json:"namespace"`
	File      string                `json:"file"`
	Condition smithv1.ConditionType `json:"condition"`
	// Retriable says, of the condition Error, that a retry may succeed.
	Retriable       bool                     `json:"retriable"`
	Resources       []ResourceReport         `json:"resources"`
	ObjectsToDelete []smithv1.ObjectToDelete `json:"objectsToDelete"`
	Plugins         []smithv1.PluginStatus   `json:"plugins"`
}

// ResourceReport is the result of a resource as JSON has it.
type ResourceReport struct {
	Name      smithv1.ResourceName   `json:"name"`
	Status    smithv1.ConditionType  `json:"status"`
	Reason    string                 `json:"reason,omitempty"`
	Message   string                 `json:"message,omitempty"`
	BlockedBy []smithv1.ResourceName `json:"blockedBy,omitempty"`
	Group     string                 `json:"group"`
	Version   string                 `json:"version"`
	Kind      string                 `json:"kind"`
	Object    string                 `json:"object"` // its name
	Rendered  bool                   `json:"rendered"`
	Observed  bool                   `json:"observed"`
	Outdated  []string               `json:"outdated,omitempty"` // paths
	Assumed   bool                   `json:"assumed,omitempty"`
	Retriable bool                   `json:"retriable"`
	External  bool                   `json:"external"`
	Errors    []ErrorReport          `json:"errors,omitempty"`
}

// ErrorReport is an error as JSON has it.
type ErrorReport struct {
	Message  string       `json:"message"`
	Hint     string       `json:"hint,omitempty"`
	Position api.Position `json:"position"`
}

// Report returns the result for JSON.
func (r *Result) Report() Report {
	condition, retriable := r.Condition()
	report := Report{
		Bundle: r.Bundle.Name, Namespace: r.Bundle.Namespace, File: r.Bundle.File,
		Condition: condition, Retriable: condition == smithv1.Error && retriable,
		Resources: []ResourceReport{}, ObjectsToDelete: r.objectsToDelete(), Plugins: r.Plugins,
	}
	if report.Plugins == nil {
		report.Plugins = []smithv1.PluginStatus{}
	}
	for _, res := range r.Resources {
		one := ResourceReport{
			Name: res.Resource.Name, Status: res.Status, Reason: res.reason(), Message: res.Message,
			BlockedBy: res.BlockedBy, Group: res.masked(res.GVK.Group),
			Version: res.masked(res.GVK.Version), Kind: res.masked(res.GVK.Kind),
			Object: res.masked(res.Name), Rendered: res.Rendered(),
			Observed: res.actual.Exists(), Outdated: res.Outdated, Assumed: res.Assumed,
			Retriable: res.Retriable, External: res.External,
		}
		for _, f := range res.Errors {
			one.Errors = append(one.Errors, ErrorReport{f.Message, f.Hint, f.Pos})
		}
		report.Resources = append(report.Resources, one)
	}
	return report
}

func (r *Result) objectsToDelete() []smithv1.ObjectToDelete {
	list := []smithv1.ObjectToDelete{}
	for _, o := range r.ToDelete {
		list = append(list, smithv1.ObjectToDelete{
			Group: o.Group, Version: o.Version, Kind: o.Kind, Name: o.Name,
		})
	}
	return list
}

// reason returns the reason of the condition of a resource.
func (res *ResourceResult) reason() string {
	switch {
	case res.Status == smithv1.Blocked:
		return smithv1.ReasonDependenciesNotReady
	case res.Status == smithv1.Error && res.Retriable:
		return smithv1.ReasonRetriableError
	case res.Status == smithv1.Error:
		return smithv1.ReasonTerminalError
	}
	return ""
}

// Text returns the result as a table.
func (r *Result) Text() string {
	var b strings.Builder
	condition, _ := r.Condition()
	fmt.Fprintf(&b, "Bundle %s in namespace %s: %s\n", r.Bundle.Name, r.Bundle.Namespace, condition)
	table := out.Table{Indent: "  "}
	for _, res := range r.Resources {
		message := res.Message
		if res.Status == smithv1.Error {
			message = res.reason() + ", internal"
			if res.External {
				message = res.reason() + ", external"
			}
		}
		object := strings.TrimSpace(res.Describe())
		if object == "" {
			object = "-"
		}
		table.Rows = append(table.Rows, []string{
			string(res.Resource.Name), string(res.Status), object, message,
		})
	}
	b.WriteString(table.String())
	for _, o := range r.ToDelete {
		fmt.Fprintf(&b, "  to be deleted once the Bundle is ready: %s\n", o.Key)
	}
	return b.String()
}

// Status returns the status of the Bundle as a controller would write it, without times.
func (r *Result) Status() *smithv1.BundleStatus {
	status := &smithv1.BundleStatus{ObjectsToDelete: r.objectsToDelete(), PluginStatuses: r.Plugins}
	condition, retriable := r.Condition()
	of := func(is smithv1.ConditionType, reason, message string) []smithv1.Condition {
		list := []smithv1.Condition{}
		for _, t := range smithv1.ConditionTypes() {
			c := smithv1.Condition{Type: t, Status: "False"}
			if t == is {
				c.Status, c.Reason, c.Message = "True", reason, message
			}
			list = append(list, c)
		}
		return list
	}
	reason := ""
	if condition == smithv1.Error {
		reason = smithv1.ReasonTerminalError
		if retriable {
			reason = smithv1.ReasonRetriableError
		}
	}
	status.Conditions = of(condition, reason, "")
	for _, res := range r.Resources {
		message := res.Message
		var texts []string
		for _, f := range res.Errors {
			texts = append(texts, f.Message)
		}
		if len(texts) > 0 {
			message = strings.Join(texts, "; ")
		}
		status.ResourceStatuses = append(status.ResourceStatuses, smithv1.ResourceStatus{
			Name: res.Resource.Name, Conditions: of(res.Status, res.reason(), message),
		})
	}
	return status
}

// WithStatus returns the document of the Bundle with its status. mask replaces secret values in
// messages.
func (r *Result) WithStatus(mask func(string) string) ([]byte, error) {
	doc, err := gaby.ParseYAML([]byte(r.Bundle.value.Doc().Content()))
	if err != nil {
		return nil, err
	}
	status := r.Status()
	conditions := func(list []smithv1.Condition) []any {
		var entries []any
		for _, c := range list {
			e := gaby.Entries{
				{Key: "type", Value: string(c.Type)},
				{Key: "status", Value: c.Status},
			}
			if c.Reason != "" {
				e = append(e, gaby.Entry{Key: "reason", Value: c.Reason})
			}
			if c.Message != "" {
				e = append(e, gaby.Entry{Key: "message", Value: mask(c.Message)})
			}
			entries = append(entries, e)
		}
		return entries
	}
	var resources, deleted, plugins []any
	for _, s := range status.ResourceStatuses {
		resources = append(resources, gaby.Entries{
			{Key: "name", Value: string(s.Name)},
			{Key: "conditions", Value: conditions(s.Conditions)},
		})
	}
	for _, o := range status.ObjectsToDelete {
		deleted = append(deleted, gaby.Entries{
			{Key: "group", Value: o.Group},
			{Key: "version", Value: o.Version},
			{Key: "kind", Value: o.Kind},
			{Key: "name", Value: o.Name},
		})
	}
	for _, p := range status.PluginStatuses {
		plugins = append(plugins, gaby.Entries{
			{Key: "name", Value: string(p.Name)},
			{Key: "group", Value: p.Group},
			{Key: "version", Value: p.Version},
			{Key: "kind", Value: p.Kind},
			{Key: "status", Value: p.Status},
		})
	}
	all := gaby.Entries{{Key: "conditions", Value: conditions(status.Conditions)}}
	for _, e := range []gaby.Entry{
		{Key: "resourceStatuses", Value: resources},
		{Key: "objectsToDelete", Value: deleted},
		{Key: "pluginStatuses", Value: plugins},
	} {
		if len(e.Value.([]any)) > 0 { //nolint:forcetypeassert // made above
			all = append(all, e)
		}
	}
	if _, err := doc.Set(all, "status"); err != nil {
		return nil, err
	}
	return doc.BytesWithNewline(), nil
}
