package krm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// Chain returns a Function that runs a chain of fctl's own functions on the documents of a list.
// The outputs of the chain become results. request has the chain and no data.
func Chain(executor *functions.Executor, request *api.FunctionInvocationRequest) Function {
	return func(ctx context.Context, list *ResourceList) error {
		docs := list.Docs()
		items := make(map[any]*Item, len(docs))
		for _, item := range list.Items {
			items[item.Doc.Identity()] = item
		}
		result, err := executor.Run(ctx, request, handler.Options{Documents: docs})
		if err != nil {
			return err
		}
		results := outputResults(result)
		addFiles(results, list.Items)
		list.Results = append(list.Results, results...)
		var problems []error
		for _, f := range result.Failures {
			problems = append(problems, inFile(f, list.Items))
		}
		if result.ValidationFailed {
			problems = append(problems, errors.New("a validation did not pass"))
		}
		if err := errors.Join(problems...); err != nil {
			return err
		}
		list.Items = list.Items[:0:0]
		for _, doc := range result.Documents {
			item := items[doc.Identity()]
			if item == nil {
				item = &Item{Doc: doc, Index: appendIndex}
			}
			list.Items = append(list.Items, item)
		}
		return nil
	}
}

// inFile returns a failure with the file of its resource, if only one item has that name.
func inFile(f *api.Failure, items []*Item) error {
	var named []*Item
	for _, item := range items {
		h, _ := item.Doc.Header()
		if f.Resource == h.APIVersion+"/"+h.Kind+" "+h.Namespace+"/"+h.Name {
			named = append(named, item)
		}
	}
	if len(named) == 1 && named[0].file != nil {
		return named[0].located(f)
	}
	return f
}

// addFiles adds to results the files of the resources that they are about.
func addFiles(results []fnresult.Result, items []*Item) {
	if !slices.ContainsFunc(results, func(r fnresult.Result) bool { return r.ResourceRef != nil }) {
		return
	}
	byName := make(map[fnresult.ResourceRef]*Item, len(items))
	for _, item := range items {
		if h, err := item.Doc.Header(); err == nil && item.Path != "" {
			byName[fnresult.ResourceRef{
				APIVersion: h.APIVersion, Kind: h.Kind, Name: h.Name, Namespace: h.Namespace,
			}] = item
		}
	}
	for i := range results {
		if ref := results[i].ResourceRef; ref != nil {
			if item := byName[*ref]; item != nil {
				results[i].File = &fnresult.FileRef{Path: item.Path, Index: max(item.Index, 0)}
			}
		}
	}
}

// outputResults returns the outputs and notes of a chain as results.
func outputResults(result *handler.Result) []fnresult.Result {
	var results []fnresult.Result
	for _, o := range result.Outputs {
		switch v := o.Value.(type) {
		case api.ValidationResultList:
			for i := range v {
				results = append(results, validationResults(&v[i])...)
			}
		case api.ValidationResult:
			results = append(results, validationResults(&v)...)
		case api.AttributeValueList:
			for i := range v {
				r := attributeResult(&v[i])
				r.Severity, r.Message = fnresult.SeverityInfo, fmt.Sprint(fnresult.TextOf(v[i].Value))
				results = append(results, r)
			}
		default:
			text, err := json.Marshal(v)
			if err != nil {
				text = []byte(err.Error())
			}
			results = append(results, fnresult.Result{Message: string(text), Severity: fnresult.SeverityInfo})
		}
	}
	for _, note := range result.Notes {
		results = append(results, fnresult.Result{Message: note.Text(), Severity: fnresult.SeverityWarning})
	}
	return results
}

// validationResults returns what a validation found wrong.
func validationResults(v *api.ValidationResult) []fnresult.Result {
	if v.Passed {
		return nil
	}
	var results []fnresult.Result
	for i := range v.FailedAttributes {
		a := &v.FailedAttributes[i]
		r := attributeResult(a)
		r.Severity, r.Message = fnresult.SeverityError, a.Reason
		for _, issue := range a.Issues {
			if r.Message == "" {
				r.Message = issue.Message
			}
		}
		if r.Message == "" {
			r.Message = v.FunctionName + " did not pass"
		}
		results = append(results, r)
	}
	if len(results) == 0 {
		for i, detail := range v.Details {
			r := fnresult.Result{}
			if i < len(v.Locations) {
				t, name, _ := strings.Cut(v.Locations[i].Resource, " ")
				r.ResourceRef = refOf(t, name)
			}
			r.Message, r.Severity = detail, fnresult.SeverityError
			results = append(results, r)
		}
	}
	if len(results) == 0 {
		message := v.Reason
		if message == "" {
			message = v.FunctionName + " did not pass"
		}
		results = append(results, fnresult.Result{Message: message, Severity: fnresult.SeverityError})
	}
	return results
}

// attributeResult returns a result about a value, without message.
func attributeResult(a *api.AttributeValue) fnresult.Result {
	r := fnresult.Result{ResourceRef: refOf(string(a.ResourceType), string(a.ResourceName))}
	if a.Path != "" {
		r.Field = &fnresult.ResultField{Path: string(a.Path), CurrentValue: a.Value}
	}
	return r
}

// refOf returns the resource of a type with a name, which has the namespace before a slash. It is nil
// without a type.
func refOf(resourceType, name string) *fnresult.ResourceRef {
	i := strings.LastIndexByte(resourceType, '/')
	if i < 0 {
		return nil
	}
	ref := &fnresult.ResourceRef{APIVersion: resourceType[:i], Kind: resourceType[i+1:], Name: name}
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		ref.Namespace, ref.Name = namespace, name
	}
	return ref
}
