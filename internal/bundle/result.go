package bundle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// Result is what became of a Bundle.
type Result struct {
	Bundle *Bundle
	// Resources are in the order in which they were processed.
	Resources []*ResourceResult
	// ToDelete are observed objects that the Bundle controls and does not declare.
	ToDelete []*Observed
	// Plugins are those that the Bundle uses, by name.
	Plugins []smithv1.PluginStatus
}

// ResourceResult is what became of a resource.
type ResourceResult struct {
	Resource *Resource
	GVK      plugin.GroupVersionKind // of the object, as far as it is known
	Name     string                  // of the object, as far as it is known
	// Status is Blocked, InProgress, Ready or Error.
	Status smithv1.ConditionType
	// Message says why it is not ready.
	Message   string
	BlockedBy []smithv1.ResourceName
	Errors    diag.List
	// Retriable says that a retry may succeed, External that the user can mend the error.
	Retriable, External bool
	Notes               []api.Note
	// Origins are the values that references and plugins made.
	Origins []Origin
	// Outdated are the paths at which the observed object is not as it was rendered.
	Outdated []string
	// Assumed says that the resource only counts as ready.
	Assumed bool

	key     Key           // of the object, once it is rendered
	doc     *gaby.YamlDoc // the rendered object
	actual  gaby.Value    // the observed object
	secrets []string      // values that messages must not show
	mask    func(string) string
	crlf    bool
	noRule  bool // no rule says whether the object is ready
	// madeUp has the types of the values of the object that only a cluster has, by their paths.
	madeUp map[string]string
	// isScaled says that something else decides the replicas of the observed object.
	isScaled bool
	// waits is why the resource fails now, if it counts as ready in a simulation.
	waits diag.List
}

// Rendered reports whether there is an object to write.
func (res *ResourceResult) Rendered() bool {
	return res.doc != nil && (res.Status == smithv1.Ready || res.Status == smithv1.InProgress)
}

// Bytes returns the rendered object as text that ends in a newline.
func (res *ResourceResult) Bytes() []byte {
	text := res.doc.BytesWithNewline()
	if !res.crlf {
		return text
	}
	return []byte(strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n", "\r\n"))
}

// seen returns the object that references and plugins see: the observed one, or else the rendered
// one, which counts as ready then.
func (res *ResourceResult) seen() gaby.Value {
	if res.actual.Exists() {
		return res.actual
	}
	if res.doc == nil { // in a simulation
		return gaby.Value{}
	}
	return res.doc.Value()
}

// Waits returns why the object cannot be rendered before a step of a simulation.
func (res *ResourceResult) Waits() diag.List { return res.waits }

// Describe returns the kind and name of the object, with secret values masked.
func (res *ResourceResult) Describe() string {
	return res.masked(res.GVK.Kind + " " + res.Name)
}

// masked returns a part of the identity of the object, without secret values if one was put into
// it. Otherwise it is what the Bundle says, even if a Secret happens to have the same text.
func (res *ResourceResult) masked(text string) string {
	isPart := func(o Origin) bool {
		path := strings.Join(o.Path, ".")
		return o.reference.secret &&
			slices.Contains([]string{"apiVersion", "kind", "metadata", "metadata.name"}, path)
	}
	if res.mask == nil || !slices.ContainsFunc(res.Origins, isPart) {
		return text
	}
	return res.mask(text)
}

// fail adds an error that only a change of the Bundle can mend.
func (res *ResourceResult) fail(pos api.Position, hint string, err error) {
	res.failAs(false, pos, hint, err)
}

// failAs adds an error. The errors of a resource are retriable if all of them are.
func (res *ResourceResult) failAs(retriable bool, pos api.Position, hint string, err error) {
	if len(res.Errors) == 0 {
		res.Retriable, res.External = true, true
	}
	res.Retriable = res.Retriable && retriable
	res.Status = smithv1.Error
	res.Errors = append(res.Errors, &api.Failure{
		Class: api.FailureFunction, Pos: pos, Resource: string(res.Resource.Name),
		Message: strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; "), Hint: hint,
		Err: err,
	})
}

// hideSecrets masks secret values in everything that people read.
func (res *ResourceResult) hideSecrets() {
	if len(res.secrets) == 0 {
		return
	}
	var texts []string
	for _, s := range res.secrets {
		texts = append(texts, spellings(s)...)
	}
	// a value that is part of another one must not leave the rest of it
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(texts))
	for _, s := range texts {
		if len(s) > 2 {
			pairs = append(pairs, s, sensitive.Mask)
		}
	}
	mask := strings.NewReplacer(pairs...).Replace
	res.mask = mask
	res.Message = mask(res.Message)
	res.Outdated = slices.Clone(res.Outdated)
	for i := range res.Outdated {
		res.Outdated[i] = mask(res.Outdated[i])
	}
	for _, f := range slices.Concat(res.Errors, res.waits) {
		f.Message, f.Hint, f.Err = mask(f.Message), mask(f.Hint), nil
	}
	for i := range res.Notes {
		res.Notes[i].Message = mask(res.Notes[i].Message)
	}
}

// spellings returns the texts in which a message can have a secret value: as it is, quoted, and
// line by line, because messages have one line.
func spellings(secret string) []string {
	texts := []string{secret}
	for line := range strings.Lines(secret) {
		line = strings.TrimSpace(line)
		quoted := strconv.Quote(line)
		texts = append(texts, line, quoted[1:len(quoted)-1])
	}
	quoted := strconv.Quote(secret)
	return append(texts, quoted[1:len(quoted)-1])
}

// Secrets returns the Secrets that the Bundle has, with references in place of their values.
func (b *Bundle) Secrets() [][]byte {
	var texts [][]byte
	for _, r := range b.Resources {
		if r.object == nil {
			continue
		}
		if gvk, _ := r.object.identity(); IsSecret(gvk) {
			texts = append(texts, []byte(r.object.text))
		}
	}
	return texts
}

// Secrets returns the Secrets among the objects as they were rendered and observed.
func (r *Result) Secrets() [][]byte {
	var texts [][]byte
	for _, res := range r.Resources {
		if !IsSecret(res.GVK) {
			continue
		}
		if res.doc != nil {
			texts = append(texts, res.Bytes())
		}
		if res.actual.Exists() {
			texts = append(texts, []byte(res.actual.YAML()))
		}
	}
	return texts
}

// Condition returns the condition of the Bundle: Ready if all resources are, Error if one has an
// error, else InProgress. retriable says that no error is terminal.
func (r *Result) Condition() (status smithv1.ConditionType, retriable bool) {
	status, retriable = smithv1.Ready, true
	for _, res := range r.Resources {
		switch {
		case res.Status == smithv1.Error:
			status, retriable = smithv1.Error, retriable && res.Retriable
		case res.Status != smithv1.Ready && status != smithv1.Error:
			status = smithv1.InProgress
		}
	}
	return status, retriable
}

// Failures returns the errors of all resources.
func (r *Result) Failures() diag.List {
	var list diag.List
	for _, res := range r.Resources {
		list = append(list, res.Errors...)
	}
	return list
}
