package resolve_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

// Example US-1: without a transform, resources are added and replaced where they are.
func TestUpsertReplacesResources(t *testing.T) {
	const certificate = `apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: web}
spec:
  duration: 24h
`
	w := newWorld(t)
	w.unit("certs", certificate)
	w.unit("bundle", apiDeployment)
	w.link("bundle-certs", "bundle", "certs", entity.UpdateUpsert)
	out := w.resolve("bundle")
	w.has("bundle", apiDeployment+"---\n"+certificate)
	if len(out.Links[0].Outputs) != 1 || w.pointers("bundle-certs") != "1/2" {
		t.Error(out.Links[0].Outputs, w.pointers("bundle-certs"))
	}
	w.edit("bundle", certificate+"---\n"+apiDeployment)
	w.replace("certs", "24h", "48h # longer")
	w.resolve("bundle")
	w.has("bundle", replaceOnce(certificate, "24h", "48h")+"---\n"+apiDeployment)
	// A local edit of an upserted resource is lost, with a warning.
	w.replace("bundle", "48h", "12h")
	out = w.resolve("bundle")
	w.has("bundle", replaceOnce(certificate, "24h", "48h")+"---\n"+apiDeployment)
	if diff := cmp.Diff(
		[]entity.Code{entity.WarnOverridden}, warningCodes(out.Result.Warnings),
	); diff != "" {
		t.Error(diff)
	}
	// What is not produced any more stays, unless it is pruned.
	w.edit("certs", oneConfigMap)
	out = w.resolve("bundle")
	w.has("bundle",
		replaceOnce(certificate, "24h", "48h")+"---\n"+apiDeployment+"---\n"+oneConfigMap)
	if diff := cmp.Diff(
		[]entity.Code{entity.WarnDangling}, warningCodes(out.Result.Warnings),
	); diff != "" {
		t.Error(diff)
	}
	w.edit("certs", "")
	out = w.resolve("bundle")
	if diff := cmp.Diff(
		[]entity.Code{entity.WarnDangling}, warningCodes(out.Result.Warnings),
	); diff != "" {
		t.Error("emptied", diff)
	}
	w.edit("certs", oneService)
	if _, err := w.try("bundle", resolve.Options{Prune: true}); err != nil {
		t.Fatal(err)
	}
	w.has("bundle",
		replaceOnce(certificate, "24h", "48h")+"---\n"+apiDeployment+"---\n"+oneService)
}

const envConfig = `configHub.configName=webcfg
configHub.configSchema=Web
APP_NAME=web
LOG_LEVEL=info
`

// rendered returns the ConfigMap that render-configmap makes of envConfig.
func rendered(name, hash, namespace, immutable, level string) string {
	return `apiVersion: v1
kind: ConfigMap
metadata:
  name: ` + name + `
  namespace: ` + namespace + `
  annotations:
    confighub.com/ResourceNameStableCore: cfg
    confighub.com/ConfigMapFormat: KeyValue
    confighub.com/Hash: ` + hash + `
    confighub.com/RenderRevision: Latest
` + immutable + `data:
  APP_NAME: "web"
  LOG_LEVEL: "` + level + `"
`
}

// upsertWorld is example US-2: application configuration becomes a ConfigMap.
func upsertWorld(t *testing.T, immutable bool) *world {
	w := newWorld(t)
	w.unit("cfg", envConfig, api.ToolchainAppConfigEnv)
	w.unit("web-cm", "")
	w.unit("ns", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n")
	l := w.link("cm", "web-cm", "cfg", entity.UpdateUpsert)
	l.TransformInvocation, l.TransformInvocationID = "render-env", "id-render-env"
	w.link("zns", "web-cm", "ns", entity.UpdateNeedsProvides)
	i := &entity.Invocation{
		InvocationID: "id-render-env", ToolchainType: api.ToolchainAppConfigEnv,
		FunctionName: "render-configmap", Arguments: []api.FunctionArgument{
			{ParameterName: "immutable", Value: immutable},
			{ParameterName: "as-key-value", Value: true},
		},
	}
	i.Slug = "render-env"
	w.invocations[i.InvocationID] = i
	return w
}

func TestUpsertRendersConfigMaps(t *testing.T) {
	w := upsertWorld(t, true)
	const immutable = "immutable: true\n"
	w.resolve("web-cm", "cm")
	w.has("web-cm", rendered(
		"cfg-8f926db62b", "8f926db62b", "confighubplaceholder", immutable, "info",
	))
	w.resolve("web-cm")
	first := rendered("cfg-8f926db62b", "8f926db62b", "shop", immutable, "info")
	w.has("web-cm", first)
	w.replace("cfg", "info", "debug")
	w.resolve("web-cm")
	w.has("web-cm", replaceOnce(
		first, "confighub.com/RenderRevision: Latest",
		"confighub.com/VisitorOptions: IgnoreProvided",
	)+"---\n"+rendered("cfg-147e30c0b1", "147e30c0b1", "shop", immutable, "debug"))
	// An upstream unit that renders nothing changes nothing.
	w.edit("cfg", "")
	w.resolve("web-cm")
}

func TestUpsertCarriesValuesOverPlaceholders(t *testing.T) {
	w := upsertWorld(t, false)
	w.resolve("web-cm")
	w.has("web-cm", rendered("cfg", "8f926db62b", "shop", "", "info"))
	w.replace("cfg", "info", "debug")
	w.resolve("web-cm", "cm")
	w.has("web-cm", rendered("cfg", "147e30c0b1", "shop", "", "debug"))
}

func TestUpsertErrors(t *testing.T) {
	for code, change := range map[entity.Code]func(*entity.Invocation){
		entity.CodeTransformMutating: func(i *entity.Invocation) {
			i.FunctionName, i.Arguments = "set-string-path", nil
		},
		entity.CodeTransformOutput: func(i *entity.Invocation) {
			i.FunctionName, i.Arguments = "get-resources", nil
		},
		entity.CodeTransformToolchain: func(i *entity.Invocation) {
			i.ToolchainType = api.ToolchainAppConfigINI
		},
		entity.CodeFunctionUnknown: func(i *entity.Invocation) {
			i.FunctionName = "render-nothing"
		},
		entity.CodeWorkerFunction: func(i *entity.Invocation) { i.BridgeWorkerID = "x" },
		entity.CodeFunctionFailed: func(i *entity.Invocation) {
			i.Arguments = []api.FunctionArgument{{ParameterName: "file-name", Value: "a/b"}}
		},
	} {
		t.Run(string(code), func(t *testing.T) {
			w := upsertWorld(t, false)
			change(w.invocations["id-render-env"])
			w.fails(code, "web-cm", "cm")
		})
	}
	w := upsertWorld(t, false)
	w.invocations = nil
	w.fails(entity.CodeNotFound, "web-cm", "cm")
	w.links["cm"].TransformInvocation, w.links["cm"].TransformInvocationID = "", ""
	w.fails(entity.CodeToolchain, "web-cm", "cm")
}
