package handler

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/where"
)

// Survey is what the input of a run has before the chain, for functions whose effect on a resource
// depends on others; see FunctionRegistration.Surveys. The input is a unit, or all units that a
// caller runs the chain on.
type Survey struct {
	// Incomplete says that there are units that were not read, with any number of resources.
	Incomplete bool

	selected []int // the resources that each step sees
	seen     yamlkit.Seen
}

// Add adds the survey of another unit, which must not be used any more.
func (s *Survey) Add(other *Survey) {
	if more := len(other.selected) - len(s.selected); more > 0 {
		s.selected = append(s.selected, make([]int, more)...)
	}
	for i, n := range other.selected {
		s.selected[i] += n
	}
	s.seen.AddAll(&other.seen)
	s.Incomplete = s.Incomplete || other.Incomplete
}

// surveyText is a survey as JSON.
type surveyText struct {
	Incomplete bool
	Selected   []int
	Seen       yamlkit.Seen
}

// MarshalJSON returns the survey for a handler elsewhere.
func (s *Survey) MarshalJSON() ([]byte, error) {
	return json.Marshal(surveyText{s.Incomplete, s.selected, s.seen})
}

// UnmarshalJSON reads what MarshalJSON returns.
func (s *Survey) UnmarshalJSON(text []byte) error {
	var t surveyText
	err := json.Unmarshal(text, &t)
	*s = Survey{t.Incomplete, t.Selected, t.Seen}
	return err
}

// Surveyed is what one function gets of a survey.
type Surveyed struct {
	survey func() *Survey
	step   int
}

type surveyKey struct{}

// SurveyOf returns the survey of the input. It is nil if every resource is to be treated as if it
// were the only one.
func SurveyOf(fc *api.FunctionContext) *Surveyed {
	s, _ := fc.Context().Value(surveyKey{}).(*Surveyed)
	return s
}

// Several reports whether the function is about more than one resource of the input.
func (s *Surveyed) Several() bool {
	all := s.survey()
	return all.Incomplete || s.step < len(all.selected) && all.selected[s.step] > 1
}

// Has reports whether a resource of a type, selected or not, has a value at segments; see
// [yamlkit.Seen].
func (s *Surveyed) Has(t api.ResourceType, segments []string) bool {
	return s.survey().seen.Has(t, segments)
}

// surveyFor returns the function that gives the steps of a request their survey: that of the
// caller, or one of the unit. It reads the unit a second time, but only if a function asks for it.
func (h *FunctionHandler) surveyFor(
	r *run, request *api.FunctionInvocationRequest, options Options,
) func() *Survey {
	switch {
	case request.Upsert:
		return nil
	case options.Survey != nil:
		return options.Survey
	}
	return sync.OnceValue(func() *Survey {
		documents, err := options.Documents, error(nil)
		if documents == nil {
			documents, err = r.converter.NativeToDocuments(request.ConfigData)
		}
		if err != nil {
			documents = nil // the run reports the error
		}
		return h.survey(r, documents)
	})
}

// withSurvey returns a context with the value that SurveyOf returns.
func (r *run) withSurvey(fc *api.FunctionContext, s *step) *api.FunctionContext {
	if r.survey == nil || s.f.Surveys == nil {
		return fc
	}
	return fc.WithContext(context.WithValue(fc.Context(), surveyKey{},
		&Surveyed{survey: r.survey, step: s.index}))
}

// NeedsSurvey reports whether a function of the chain needs a survey.
func (h *FunctionHandler) NeedsSurvey(chain api.FunctionInvocationList) bool {
	return slices.ContainsFunc(chain, func(invocation api.FunctionInvocation) bool {
		f, err := h.lookup(invocation.FunctionName)
		if err != nil || f.Surveys == nil {
			return false
		}
		args, err := f.normalize(invocation.Arguments)
		return err == nil && (slices.ContainsFunc(args, isExpression) || f.Surveys(args) != nil)
	})
}

// ChangesAll reports whether a function of the chain changes all files of a run or none.
func (h *FunctionHandler) ChangesAll(chain api.FunctionInvocationList) bool {
	return slices.ContainsFunc(chain, func(invocation api.FunctionInvocation) bool {
		f, err := h.lookup(invocation.FunctionName)
		return err == nil && f.AllFiles
	})
}

// Survey returns what the data of a request has for the functions of its chain. What is wrong with
// the request or the data is not reported: running the chain reports it.
func (h *FunctionHandler) Survey(
	ctx context.Context, request *api.FunctionInvocationRequest,
) *Survey {
	r := &run{ctx: ctx, fc: request.WithContext(ctx), converter: h.converterFor(request.FileName)}
	r.steps = h.prepare(r.fc, request, Options{AllowExternal: true})
	selects, err := h.parseConditions(r.fc, request)
	documents, dataErr := r.converter.NativeToDocuments(request.ConfigData)
	if err != nil || dataErr != nil {
		return &Survey{selected: make([]int, len(r.steps))}
	}
	r.where = selects
	return h.survey(r, documents)
}

// survey returns what documents have for the steps of a run.
func (h *FunctionHandler) survey(r *run, documents gaby.Container) *Survey {
	s := &Survey{selected: make([]int, len(r.steps))}
	selection := r.newSelector(h.provider)
	var asks []func(api.ResourceType) bool
	for i := range r.steps {
		step := &r.steps[i]
		if step.err != nil || step.f.Surveys == nil {
			continue
		}
		if ask := step.f.Surveys(step.args); ask != nil {
			asks = append(asks, ask)
			s.selected[i] = h.countSelected(selection, documents, step.where)
		}
	}
	for _, doc := range documents {
		t, err := h.provider.ResourceTypeGetter(doc)
		for _, ask := range asks {
			if err == nil && ask(t) && doc.Check() == nil {
				s.seen.Add(t, doc.Value())
				break
			}
		}
	}
	return s
}

// countSelected returns the number of resources that a step sees.
func (h *FunctionHandler) countSelected(
	selection *documentSelector, documents gaby.Container, expr *where.Expr,
) int {
	n := 0
	for _, doc := range documents {
		_, err := h.provider.ResourceTypeGetter(doc)
		if ok, wrong := selection.selects(doc, expr); err == nil && wrong == nil && ok {
			n++
		}
	}
	return n
}
