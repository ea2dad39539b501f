package fn

import (
	"bytes"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
)

// hide masks the secret values of resources in everything that people read from here on.
func (r *runner) hide(items []*krm.Item) {
	if r.showSecrets {
		return
	}
	texts := make([][]byte, len(items))
	for i, item := range items {
		texts[i] = item.Doc.BytesWithNewline()
	}
	values := r.executor.Sensitive(api.ToolchainKubernetesYAML,
		[][]byte{bytes.Join(texts, []byte("---\n"))})
	r.app.Hide(values, false)
	if values != nil {
		r.secrets = values
	}
}

// mask masks secret values in what a function said.
func (r *runner) mask(s *krm.StepResult) {
	r.maskResults(s.Results)
	s.Stderr = r.secrets.Message(s.Stderr)
	for i := range s.Notes {
		s.Notes[i] = r.secrets.Message(s.Notes[i])
	}
}

func (r *runner) maskResults(results []krm.Result) {
	for i := range results {
		result := &results[i]
		var of api.ResourceType
		var path api.ResolvedPath
		if result.ResourceRef != nil {
			ref := *result.ResourceRef
			of = api.ResourceType(ref.APIVersion + "/" + ref.Kind)
			ref.APIVersion, ref.Kind = r.secrets.Copied(ref.APIVersion), r.secrets.Copied(ref.Kind)
			ref.Name, ref.Namespace = r.secrets.Copied(ref.Name), r.secrets.Copied(ref.Namespace)
			result.ResourceRef = &ref
		}
		if result.Field != nil {
			field := *result.Field
			path = api.ResolvedPath(field.Path)
			field.Path = r.secrets.Copied(field.Path)
			field.CurrentValue = r.secrets.AboutValue(of, path, field.CurrentValue)
			field.ProposedValue = r.secrets.AboutValue(of, path, field.ProposedValue)
			result.Field = &field
		}
		if result.File != nil {
			file := *result.File
			file.Path = r.secrets.Copied(file.Path)
			result.File = &file
		}
		result.Message = r.secrets.About(of, path, result.Message)
		tags := result.Tags
		result.Tags = nil
		for key, value := range tags {
			if result.Tags == nil {
				result.Tags = map[string]string{}
			}
			result.Tags[r.secrets.Copied(key)] = r.secrets.About(of, path, value)
		}
	}
}

// masked returns an error whose messages have no secret values.
func (r *runner) masked(err error) error {
	if err == nil || r.secrets == nil {
		return err
	}
	return diag.List(r.secrets.Failures(diag.Failures(err, api.FailureFunction)))
}
