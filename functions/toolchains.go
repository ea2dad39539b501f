package functions

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/functions/appconfig"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/images"
	"github.com/fctl-dev/fctl/functions/kubernetes"
	"github.com/fctl-dev/fctl/functions/opentofu"
	"github.com/fctl-dev/fctl/functions/program"
	"github.com/fctl-dev/fctl/functions/unit"
	"github.com/fctl-dev/fctl/internal/formats/envkit"
	"github.com/fctl-dev/fctl/internal/formats/hclkit"
	"github.com/fctl-dev/fctl/internal/formats/inikit"
	"github.com/fctl-dev/fctl/internal/formats/jsonkit"
	"github.com/fctl-dev/fctl/internal/formats/propkit"
	"github.com/fctl-dev/fctl/internal/formats/textkit"
	"github.com/fctl-dev/fctl/internal/formats/tomlkit"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Toolchain is a format and its functions. Everything known about a format is here: a new one needs
// a converter, a Toolchain, examples and tests.
type Toolchain struct {
	Name api.ToolchainType
	// Files lists the extensions of its files, in lower case, and more specific names such as
	// .git/config and .env.*. Data of a workspace has the first one, which is an extension.
	Files []string
	// FilesHelp describes Files in the help, if a plain list is not enough.
	FilesHelp string
	// Example is a typical file name.
	Example string
	// Examples are examples of the functions for every toolchain, one per line; those of AppConfig
	// if empty. Kubernetes uses the examples in the functions' registrations.
	Examples string

	Converter configkit.ConfigConverter
	Provider  func() configkit.ResourceProvider
	// Register adds the functions specific to the toolchain. It may be nil.
	Register func(
		handler.FunctionRegistry, configkit.ConfigConverter, configkit.ResourceProvider,
	) error
}

// Toolchains returns the built-in toolchains. If several have the same extension, the usual one is
// first.
func Toolchains() []Toolchain {
	return []Toolchain{
		{
			Name: api.ToolchainKubernetesYAML, Converter: k8skit.Converter{},
			Example:   "deployment.yaml",
			Files:     []string{".yaml", ".yml", ".json", "Kustomization"},
			FilesHelp: ".yaml, .yml, .json of resources, Kustomization",
			Provider: func() configkit.ResourceProvider {
				return k8skit.K8sResourceProvider.Snapshot()
			},
			Register: kubernetesFunctions,
		},
		appConfig(Toolchain{
			Name: api.ToolchainAppConfigJSON, Converter: jsonkit.Converter{},
			Example:   "settings.jsonc",
			Files:     []string{".json", ".jsonc", ".json5"},
			FilesHelp: "any other .json, .jsonc, .json5",
		}),
		appConfig(Toolchain{
			Name: api.ToolchainAppConfigTOML, Converter: tomlkit.Converter{},
			Example: "settings.toml", Files: []string{".toml"},
		}),
		appConfig(Toolchain{
			Name: api.ToolchainAppConfigINI, Converter: inikit.Converter{}, Example: "settings.ini",
			Files: []string{".ini", ".gitconfig", ".gitmodules", ".git/config"},
		}),
		appConfig(Toolchain{
			Name: api.ToolchainAppConfigProperties, Converter: propkit.Converter{},
			Example: "application.properties",
			Files:   []string{".properties"},
		}),
		appConfig(Toolchain{
			Name: api.ToolchainAppConfigEnv, Converter: envkit.Converter{}, Example: "settings.env",
			Examples: envExamples,
			Files:    []string{".env", ".env.*"},
		}),
		{
			Name: api.ToolchainAppConfigText, Converter: textkit.Converter{}, Example: "motd.txt",
			Examples: textExamples,
			Files: []string{
				".txt", "Dockerfile*", "Containerfile*", ".dockerfile", ".containerfile",
			},
			FilesHelp: ".txt, Dockerfile*, Containerfile* and *.dockerfile",
			Provider:  textkit.New,
			Register: func(
				fh handler.FunctionRegistry, c configkit.ConfigConverter,
				p configkit.ResourceProvider,
			) error {
				return cmp.Or(appconfig.RegisterFunctions(fh, c, p),
					imageFunctions(newExampleRegistry(fh, textExamples), c, p))
			},
		},
		appConfig(Toolchain{
			Name: api.ToolchainAppConfigYAML, Converter: k8skit.Converter{},
			Example: "settings.yaml",
			Files:   []string{".yaml", ".yml"}, FilesHelp: "with --toolchain only",
			Register: imageFunctions,
		}),
		{
			Name: api.ToolchainOpenTofuHCL, Converter: hclkit.Converter{}, Example: "main.tf",
			Examples: openTofuExamples,
			Files:    []string{".tf", ".tofu", ".tfvars", ".hcl"},
			Provider: func() configkit.ResourceProvider {
				return hclkit.New()
			}, Register: opentofu.RegisterFunctions,
		},
	}
}

// appConfig completes t with what all toolchains for application configuration share.
func appConfig(t Toolchain) Toolchain {
	t.Provider = func() configkit.ResourceProvider { return appkit.New(t.Name) }
	more := t.Register
	t.Register = func(
		fh handler.FunctionRegistry, c configkit.ConfigConverter, p configkit.ResourceProvider,
	) error {
		err := appconfig.RegisterFunctions(fh, c, p)
		if err == nil && more != nil {
			err = more(fh, c, p)
		}
		return err
	}
	return t
}

// kubernetesFunctions adapts kubernetes.RegisterFunctions to Toolchain.Register.
func kubernetesFunctions(
	registry handler.FunctionRegistry,
	_ configkit.ConfigConverter,
	provider configkit.ResourceProvider,
) error {
	return kubernetes.RegisterFunctions(registry, provider)
}

// imageFunctions adapts images.RegisterFunctions to Toolchain.Register.
func imageFunctions(
	registry handler.FunctionRegistry,
	_ configkit.ConfigConverter,
	provider configkit.ResourceProvider,
) error {
	return images.RegisterFunctions(registry, provider)
}

// builtIn is cached because ToolchainsOf is called for every file of a run.
var builtIn = sync.OnceValue(Toolchains) //nolint:gochecknoglobals // never changed

// ToolchainsOf returns the built-in toolchains that a file may have according to its name, the
// usual one first. It returns nil if the name does not say. A more specific name wins over the
// extension.
func ToolchainsOf(path string) []api.ToolchainType { return toolchainsOf(builtIn(), path) }

// ToolchainsOf returns the toolchains of the executor that a file may have according to its name,
// as the function ToolchainsOf does: the built-in ones before those of authors.
func (e *Executor) ToolchainsOf(path string) []api.ToolchainType {
	return toolchainsOf(e.toolchains, path)
}

func toolchainsOf(toolchains []Toolchain, path string) []api.ToolchainType {
	base := filepath.Base(path)
	name := filepath.Base(filepath.Dir(path)) + "/" + base
	extension := strings.ToLower(filepath.Ext(base))
	var named, ending []api.ToolchainType
	for i := range toolchains {
		t := &toolchains[i]
		for _, file := range t.Files {
			prefix, pattern := strings.CutSuffix(file, "*")
			switch {
			case file == name, file == base, pattern && strings.HasPrefix(base, prefix):
				named = append(named, t.Name)
			case file == extension:
				ending = append(ending, t.Name)
			}
		}
	}
	if len(named) > 0 {
		return named
	}
	return ending
}

// ExampleFile returns a typical file name for a built-in toolchain.
func ExampleFile(t api.ToolchainType) string { return exampleFile(builtIn(), t) }

// ExampleFile returns a typical file name for a toolchain of the executor.
func (e *Executor) ExampleFile(t api.ToolchainType) string { return exampleFile(e.toolchains, t) }

// formatOf returns the format that a file has by its name, nil if the name does not say it.
func (e *Executor) formatOf(file string) configkit.ConfigConverter {
	known := e.ToolchainsOf(file)
	for _, t := range e.toolchains {
		// Of a text that is not a file, the first format may be that of resources.
		if len(known) == 0 || t.Name != known[len(known)-1] {
			continue
		}
		if dialect, ok := t.Converter.(configkit.DialectConverter); ok {
			return dialect.ForFile(file)
		}
		return t.Converter
	}
	return nil
}

// FilesOf returns the extensions and names of the files of a toolchain of the executor, as
// [Toolchain] has them.
func (e *Executor) FilesOf(t api.ToolchainType) []string {
	for _, known := range e.toolchains {
		if known.Name == t {
			return slices.Clone(known.Files)
		}
	}
	return nil
}

func exampleFile(toolchains []Toolchain, t api.ToolchainType) string {
	for _, known := range toolchains {
		if known.Name == t && known.Example != "" {
			return known.Example
		}
	}
	return "settings." + strings.ToLower(filepath.Base(string(t)))
}

// add adds a built-in toolchain. Its handler is made on first use, because most runs need only one
// of them.
func (e *Executor) add(t Toolchain, standard bool) {
	e.handlers[t.Name] = sync.OnceValue(func() *handler.FunctionHandler {
		provider := t.Provider()
		if p, ok := provider.(interface{ SetTexts(formats yamlpath.Texts) }); ok {
			p.SetTexts(e.formatOf)
		}
		h := handler.New(t.Name, t.Converter, provider)
		if !standard {
			return h
		}
		// TrustedRegistry saves time at startup; a test checks the built-in functions.
		if err := t.register(h.TrustedRegistry(), h); err != nil {
			panic(err)
		}
		return h
	})
}

// register registers the functions of the toolchain.
func (t *Toolchain) register(registry handler.FunctionRegistry, h *handler.FunctionHandler) error {
	err := t.registerStandard(registry, h.Converter(), h.ResourceProvider())
	if err == nil && t.Register != nil {
		err = t.Register(registry, h.Converter(), h.ResourceProvider())
	}
	return err
}

// RegisterStandardFunctions registers the functions for every toolchain, which are those of the
// packages generic, program and unit.
func RegisterStandardFunctions(
	fh handler.FunctionRegistry,
	converter configkit.ConfigConverter,
	provider configkit.ResourceProvider,
) error {
	t := Toolchain{Name: provider.ToolchainType()}
	for _, known := range builtIn() {
		if known.Name == t.Name {
			t = known
		}
	}
	return t.registerStandard(fh, converter, provider)
}

// registerStandard registers the functions for every toolchain with the examples of this one.
func (t *Toolchain) registerStandard(
	fh handler.FunctionRegistry,
	converter configkit.ConfigConverter,
	provider configkit.ResourceProvider,
) error {
	if t.Name != api.ToolchainKubernetesYAML {
		fh = newExampleRegistry(fh, cmp.Or(t.Examples, appConfigExamples))
	}
	return cmp.Or(
		generic.RegisterFunctions(fh, provider), program.RegisterFunctions(fh, provider),
		unit.RegisterFunctions(fh, converter, provider),
	)
}

// RegisterToolchain adds an author's own toolchain, with the functions for every toolchain and its
// own. Files that its Files name have it, unless a built-in toolchain has the same extension. It
// returns an error if the toolchain exists or the registration of a function fails.
func (e *Executor) RegisterToolchain(t Toolchain) error {
	if _, taken := e.handlers[t.Name]; taken {
		return fmt.Errorf("toolchain %s exists already", t.Name)
	}
	h := handler.New(t.Name, t.Converter, t.Provider())
	if err := t.register(h, h); err != nil {
		return err
	}
	e.handlers[t.Name] = func() *handler.FunctionHandler { return h }
	e.toolchains = append(e.toolchains, t)
	return nil
}

// UnsupportedToolchainError says that the executor does not know a toolchain.
type UnsupportedToolchainError struct {
	Toolchain api.ToolchainType
	Known     []api.ToolchainType
}

func (e *UnsupportedToolchainError) Error() string {
	return fmt.Sprintf("unsupported ToolchainType %s", e.Toolchain)
}

// Toolchains returns the toolchains the executor knows, sorted.
func (e *Executor) Toolchains() []api.ToolchainType { return slices.Sorted(maps.Keys(e.handlers)) }

// handler returns the handler of a toolchain. The error is an *UnsupportedToolchainError.
func (e *Executor) handler(t api.ToolchainType) (*handler.FunctionHandler, error) {
	if h, ok := e.handlers[t]; ok {
		return h(), nil
	}
	return nil, &UnsupportedToolchainError{Toolchain: t, Known: e.Toolchains()}
}
