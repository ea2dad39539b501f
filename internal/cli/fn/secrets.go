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
		if ref := result.ResourceRef; ref != nil {
			of = api.ResourceType(ref.APIVersion + "/" + ref.Kind)
		}
		if result.Field == nil {
			result.Message = r.secrets.About(of, "", result.Message)
			continue
		}
		field := *result.Field
		path := api.ResolvedPath(field.Path)
		result.Message = r.secrets.About(of, path, result.Message)
		field.CurrentValue = r.secrets.AboutValue(of, path, field.CurrentValue)
		field.ProposedValue = r.secrets.AboutValue(of, path, field.ProposedValue)
		result.Field = &field
	}
}

// masked returns an error whose messages have no secret values.
func (r *runner) masked(err error) error {
	if err == nil || r.secrets == nil {
		return err
	}
	return diag.List(r.secrets.Failures(diag.Failures(err, api.FailureFunction)))
}
