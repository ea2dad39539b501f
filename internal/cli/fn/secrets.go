package fn

import (
	"bytes"
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// hidden are the resources with secret values that a run has read or that its functions gave.
type hidden struct {
	lock   sync.Mutex // packages are rendered in parallel
	texts  [][]byte
	has    map[string]bool
	shown  map[shownItem]bool // resources whose names messages may have
	values *sensitive.Values  // of the first of texts
	found  int                // how many these are
}

type shownItem struct {
	path string
	gaby.Header
}

// hide masks the secret values of resources in everything that people read from here on.
func (r *runner) hide(items []*krm.Item) {
	r.hidden.lock.Lock()
	defer r.hidden.lock.Unlock()
	if r.hidden.has == nil {
		r.hidden.has, r.hidden.shown = map[string]bool{}, map[shownItem]bool{}
	}
	kinds, known := r.provider.SensitiveKinds(), len(r.hidden.texts)
	for _, item := range items {
		h, _ := item.Doc.Header()
		if shown := (shownItem{item.Path, h}); !r.hidden.shown[shown] {
			r.hidden.shown[shown] = true
			info, _ := r.provider.ResourceInfo(item.Doc)
			r.app.Show(item.Path, api.ResourceMutationList{{Resource: info}})
		}
		if h.Kind != "" && !slices.ContainsFunc(kinds, func(secret string) bool {
			return secret == string(api.ResourceTypeAny) || secret == h.Kind
		}) {
			continue
		}
		text := item.Doc.BytesWithNewline()
		if !item.Doc.IsDocument() { // in a list, of which this is the text of the item alone
			text = slices.Concat(item.Doc.Bytes(), []byte("\n"))
		}
		if r.hidden.has[string(text)] {
			continue
		}
		r.hidden.has[string(text)] = true
		r.hidden.texts = append(r.hidden.texts, text)
	}
	if more := r.hidden.texts[known:]; len(more) > 0 && !r.showSecrets {
		r.app.Hide(r.sensitive(more), false)
	}
}

// hideList is hide for a list and its functionConfig, which may be a Secret too.
func (r *runner) hideList(list *krm.ResourceList) {
	items := list.Items
	if list.FunctionConfig != nil {
		items = append(slices.Clone(items), &krm.Item{Doc: list.FunctionConfig})
	}
	r.hide(items)
}

func (r *runner) sensitive(texts [][]byte) *sensitive.Values {
	return r.executor.Sensitive(api.ToolchainKubernetesYAML,
		[][]byte{bytes.Join(texts, []byte("---\n"))})
}

// isSecret reports whether a text has secret values, or copies of those that hide got.
func (r *runner) isSecret(text []byte) bool {
	return r.sensitive([][]byte{text}) != nil || r.known().Copied(string(text)) != string(text)
}

// heard notes the functionConfigs of functions: what a function writes because they say so is not a
// copy of a secret value.
func (r *runner) heard(results []*krm.StepResult) {
	known := r.known()
	for _, result := range results {
		if config := result.Step.Config; known != nil && config != nil {
			if text := config.Bytes(); r.sensitive([][]byte{text}) == nil {
				known.Said(text)
			}
		}
	}
}

// secrets returns the secret values that must be masked.
func (r *runner) secrets() *sensitive.Values {
	if r.showSecrets {
		return nil
	}
	return r.known()
}

// known returns the secret values that hide got.
func (r *runner) known() *sensitive.Values {
	r.hidden.lock.Lock()
	defer r.hidden.lock.Unlock()
	if r.hidden.found < len(r.hidden.texts) {
		r.hidden.values, r.hidden.found = r.sensitive(r.hidden.texts), len(r.hidden.texts)
	}
	return r.hidden.values
}

// mask masks secret values in what a function said.
func (r *runner) mask(s *krm.StepResult) {
	secrets := r.secrets()
	r.maskResults(s.Results)
	s.Stderr = secrets.Message(s.Stderr)
	for i := range s.Notes {
		s.Notes[i] = secrets.Message(s.Notes[i])
	}
}

func (r *runner) maskResults(results []fnresult.Result) {
	secrets := r.secrets()
	for i := range results {
		result := &results[i]
		var of api.ResourceType
		var path api.ResolvedPath
		if result.ResourceRef != nil {
			ref := *result.ResourceRef
			of = api.ResourceType(ref.APIVersion + "/" + ref.Kind)
			ref.APIVersion, ref.Kind = secrets.Copied(ref.APIVersion), secrets.Copied(ref.Kind)
			ref.Name, ref.Namespace = secrets.Copied(ref.Name), secrets.Copied(ref.Namespace)
			result.ResourceRef = &ref
		}
		if result.Field != nil {
			field := *result.Field
			path = api.ResolvedPath(field.Path)
			field.Path = secrets.Copied(field.Path)
			field.CurrentValue = secrets.AboutValue(of, path, field.CurrentValue)
			field.ProposedValue = secrets.AboutValue(of, path, field.ProposedValue)
			result.Field = &field
		}
		if result.File != nil {
			file := *result.File
			file.Path = secrets.Copied(file.Path)
			result.File = &file
		}
		result.Message = secrets.About(of, path, result.Message)
		tags := result.Tags
		result.Tags = nil
		for key, value := range tags {
			if result.Tags == nil {
				result.Tags = map[string]string{}
			}
			result.Tags[secrets.Copied(key)] = secrets.About(of, path, value)
		}
	}
}

// masked returns an error whose messages have no secret values.
func (r *runner) masked(err error) error {
	secrets := r.secrets()
	if err == nil || secrets == nil {
		return err
	}
	return diag.List(secrets.Failures(diag.Failures(err, api.FailureFunction)))
}
