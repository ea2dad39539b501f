package resolve_test

import (
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

// TestContextIsThatBeforeTheResolve writes what expressions know about the revision of the
// downstream unit: its head before the resolve, never a live state.
func TestContextIsThatBeforeTheResolve(t *testing.T) {
	for evaluator, expression := range map[string]string{
		api.EvaluatorTemplate: "{{.RevisionNum}} {{.RevisionID}} {{.IsLiveState}} {{.NotLive}} " +
			"{{.PreviousDataHash}}",
		api.EvaluatorCEL: `[string(functionContext.RevisionNum), functionContext.RevisionID,` +
			` string(functionContext.IsLiveState), string(functionContext.NotLive),` +
			` functionContext.PreviousDataHash].join(" ")`,
	} {
		t.Run(evaluator, func(t *testing.T) {
			w := profileWorld(t)
			w.capture("web", shopWeb) // is of no importance
			l := w.links["web-profile"]
			l.DownstreamPaths = []entity.PathExpression{{
				Resource: entity.ResourceReference{
					ResourceType: "apps/v1/Deployment",
					ResourceName: "web",
				},
				Path: "metadata.labels.seen", Expression: expression, Evaluator: evaluator,
			}}
			hash := w.units["web"].DataHash
			if _, err := w.try("web", resolve.Options{}); err != nil {
				t.Fatal(err)
			}
			w.has("web", replaceOnce(shopWeb, "  namespace: shop\n",
				"  namespace: shop\n  labels:\n    seen: 1 "+entity.RecordID("id-web", "revision",
					1)+
					" false true "+hash+"\n"))
		})
	}
	u := &resolve.HeadUnit{Unit: &entity.Unit{UnitID: "id-new"}}
	if fc := resolve.Context(u, false); fc.RevisionID != "" || fc.RevisionNum != 0 {
		t.Errorf("a unit without data has the revision %d %q", fc.RevisionNum, fc.RevisionID)
	}
}

// TestContextOfFunctionsUpstream checks what functions that read the upstream know: the upstream
// unit, and whether the data is its live state.
func TestContextOfFunctionsUpstream(t *testing.T) {
	for name, live := range map[string]bool{"data": false, "live state": true} {
		t.Run(name, func(t *testing.T) {
			w := profileWorld(t)
			var seen []api.FunctionContext
			see := func(
				fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
			) (gaby.Container, any, error) {
				seen = append(seen, *fc)
				return docs, api.AttributeValueList{{Value: "seen"}}, nil
			}
			render := func(
				fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
			) (gaby.Container, any, error) {
				seen = append(seen, *fc)
				return docs, api.YAMLPayload{}, nil
			}
			for function, f := range map[string]handler.FunctionRegistration{
				"get-seen": {
					FunctionSignature: signature(api.OutputTypeAttributeValueList), Function: see,
				},
				"render-seen": {
					FunctionSignature: signature(api.OutputTypeYAML), Function: render,
				},
			} {
				f.FunctionName = function
				if err := w.executor.RegisterFunction(api.ToolchainKubernetesYAML, f); err != nil {
					t.Fatal(err)
				}
			}
			w.capture("profile", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: live}\n")
			l := w.links["web-profile"]
			l.UseLiveState = live
			l.UpstreamPaths = nil
			l.UpstreamGetters = []entity.NamedFunctionResult{
				{
					Name:               "seen",
					FunctionInvocation: api.FunctionInvocation{FunctionName: "get-seen"},
				},
			}
			l.DownstreamPaths = []entity.PathExpression{{
				Resource: entity.ResourceReference{
					ResourceType: "apps/v1/Deployment",
					ResourceName: "web",
				},
				Path: "metadata.annotations.a", Expression: "{{.Params.seen}}",
				Parameters: []string{"seen"},
			}}
			w.resolve("web", "web-profile")
			w.unit("bundle", oneConfigMap)
			w.invocations["id-render"] = &entity.Invocation{
				InvocationID: "id-render", ToolchainType: api.ToolchainKubernetesYAML,
				FunctionName: "render-seen",
			}
			up := w.link("bundle-profile", "bundle", "profile", entity.UpdateUpsert)
			up.UseLiveState, up.TransformInvocationID = live, "id-render"
			w.resolve("bundle")
			if len(seen) != 4 { // each resolve is done again
				t.Fatalf("%d functions ran", len(seen))
			}
			for _, fc := range seen {
				if fc.IsLiveState != live || fc.UnitSlug != "profile" ||
					fc.RevisionID != entity.RecordID("id-profile", "revision", 1) {
					t.Errorf("live %t, unit %s, revision %s", fc.IsLiveState, fc.UnitSlug,
						fc.RevisionID)
				}
			}
		})
	}
}

func signature(of api.OutputType) api.FunctionSignature {
	return api.FunctionSignature{
		Description: "see the context", Hermetic: true, OutputInfo: &api.FunctionOutput{
			ResultName: "seen", Description: "what it saw", OutputType: of,
		},
	}
}
