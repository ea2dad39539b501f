package functions

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/configkit/envkit"
	"github.com/fctl-dev/fctl/configkit/hclkit"
	"github.com/fctl-dev/fctl/configkit/inikit"
	"github.com/fctl-dev/fctl/configkit/jsonkit"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/propkit"
	"github.com/fctl-dev/fctl/configkit/textkit"
	"github.com/fctl-dev/fctl/configkit/tomlkit"
	"github.com/fctl-dev/fctl/functions/appconfig"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/kubernetes"
	"github.com/fctl-dev/fctl/functions/opentofu"
	"github.com/fctl-dev/fctl/functions/program"
	"github.com/fctl-dev/fctl/functions/unit"
)

// toolchain is one of those an executor knows.
type toolchain struct {
	name      api.ToolchainType
	converter configkit.ConfigConverter
	provider  func() configkit.ResourceProvider
	// register adds the functions that are not for all toolchains, if there are any.
	register func(handler.FunctionRegistry, configkit.ConfigConverter, configkit.ResourceProvider) error
}

// builtInToolchains are those of an executor. Its providers know what the default ones know at this moment.
func builtInToolchains() []toolchain {
	kubernetesProvider := k8skit.K8sResourceProvider.Snapshot()
	return []toolchain{
		{
			name: api.ToolchainKubernetesYAML, converter: k8skit.Converter{},
			provider: func() configkit.ResourceProvider { return kubernetesProvider },
			register: kubernetesFunctions,
		},
		appConfig(api.ToolchainAppConfigProperties, propkit.Converter{}),
		appConfig(api.ToolchainAppConfigEnv, envkit.Converter{}),
		appConfig(api.ToolchainAppConfigINI, inikit.Converter{}),
		appConfig(api.ToolchainAppConfigTOML, tomlkit.Converter{}),
		appConfig(api.ToolchainAppConfigJSON, jsonkit.Converter{}),
		appConfig(api.ToolchainAppConfigYAML, k8skit.Converter{}),
		{name: api.ToolchainAppConfigText, converter: textkit.Converter{}, provider: textkit.New, register: appconfig.RegisterFunctions},
		{
			name: api.ToolchainOpenTofuHCL, converter: hclkit.Converter{},
			provider: func() configkit.ResourceProvider { return hclkit.New() },
			register: opentofu.RegisterFunctions,
		},
	}
}

// appConfig is one of the toolchains for application configuration.
func appConfig(name api.ToolchainType, converter configkit.ConfigConverter) toolchain {
	return toolchain{
		name: name, converter: converter,
		provider: func() configkit.ResourceProvider { return appkit.New(name) },
		register: appconfig.RegisterFunctions,
	}
}

func kubernetesFunctions(registry handler.FunctionRegistry, _ configkit.ConfigConverter, provider configkit.ResourceProvider) error {
	return kubernetes.RegisterFunctions(registry, provider)
}

// add makes the executor know a toolchain. Its handler is made when it is first asked for: most runs need one of them.
func (e *Executor) add(t toolchain, standard bool) {
	e.handlers[t.name] = sync.OnceValue(func() *handler.FunctionHandler {
		h := handler.New(t.name, t.converter, t.provider())
		if !standard {
			return h
		}
		// A test checks the built-in functions, so that nobody has to wait for it.
		registry := h.Unchecked()
		err := RegisterStandardFunctions(registry, h.Converter(), h.ResourceProvider())
		if err == nil && t.register != nil {
			err = t.register(registry, h.Converter(), h.ResourceProvider())
		}
		if err != nil {
			panic(err)
		}
		return h
	})
}

// RegisterStandardFunctions registers the functions for every toolchain: those of generic, program and unit.
func RegisterStandardFunctions(fh handler.FunctionRegistry, converter configkit.ConfigConverter, provider configkit.ResourceProvider) error {
	switch provider.ToolchainType() {
	case api.ToolchainKubernetesYAML:
	case api.ToolchainAppConfigEnv:
		fh = newExampleRegistry(fh, envExamples)
	case api.ToolchainAppConfigText:
		fh = newExampleRegistry(fh, textExamples)
	case api.ToolchainOpenTofuHCL:
		fh = newExampleRegistry(fh, openTofuExamples)
	default:
		fh = newExampleRegistry(fh, appConfigExamples)
	}
	if err := generic.RegisterFunctions(fh, provider); err != nil {
		return err
	}
	if err := program.RegisterFunctions(fh, provider); err != nil {
		return err
	}
	return unit.RegisterFunctions(fh, converter, provider)
}

// RegisterToolchain makes the executor know a toolchain of an author's own, with the functions that were registered with its
// handler.
func (e *Executor) RegisterToolchain(h *handler.FunctionHandler) error {
	name := h.ResourceProvider().ToolchainType()
	if _, taken := e.handlers[name]; taken {
		return fmt.Errorf("there is a toolchain %s already", name)
	}
	e.handlers[name] = func() *handler.FunctionHandler { return h }
	return nil
}

// UnsupportedToolchainError tells that the executor does not know a toolchain.
type UnsupportedToolchainError struct {
	Toolchain api.ToolchainType
	Known     []api.ToolchainType
}

func (e *UnsupportedToolchainError) Error() string {
	return fmt.Sprintf("unsupported ToolchainType %s", e.Toolchain)
}

// Toolchains are the toolchains the executor knows, sorted.
func (e *Executor) Toolchains() []api.ToolchainType { return slices.Sorted(maps.Keys(e.handlers)) }

func (e *Executor) handler(t api.ToolchainType) (*handler.FunctionHandler, error) {
	if h, ok := e.handlers[t]; ok {
		return h(), nil
	}
	return nil, &UnsupportedToolchainError{Toolchain: t, Known: e.Toolchains()}
}
