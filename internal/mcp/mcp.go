// Package mcp is a server of the Model Context Protocol (https://modelcontextprotocol.io): an agent
// reads, previews, checks and, if the user allows it, changes configuration with its tools.
//
// Invariants: each call of a tool runs the program fctl once, so that it does the same as the command
// line, has the same limits, and costs only itself. Calls run it with --untrusted and as for a reader
// of its output, with masks for secret values. A path that a call names is below one of the roots
// after links, and in no .git. No word of a call becomes a flag.
//
// The package is apart from fctl because linking the protocol makes every start slower.
//
// Layer: commands.
package mcp

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/parallel"
	"github.com/fctl-dev/fctl/internal/version"
)

// Server has what the tools work with.
type Server struct {
	// Program is the path of fctl.
	Program string
	// Roots are the directories whose files calls may name, absolute and without links. Relative
	// paths are relative to the first one.
	Roots []string
	// Write lets calls write files.
	Write bool
	// Timeout is the longest time of a call.
	Timeout time.Duration
	// Memory is the value of --max-memory, empty for the default.
	Memory string

	life    context.Context //nolint:containedctx // calls end when the server does
	running chan struct{}   // holds one element per call, as many as may run at once
}

// Main serves a client for 'fctl mcp', and returns the exit status.
func Main(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	s := &Server{}
	flags := flag.NewFlagSet("fctl-mcp", flag.ContinueOnError)
	flags.SetOutput(errOut)
	var roots list
	flags.Var(&roots, "root", "")
	flags.BoolVar(&s.Write, "allow-write", false, "")
	flags.DurationVar(&s.Timeout, "timeout", time.Minute, "")
	flags.StringVar(&s.Memory, "max-memory", "", "")
	flags.StringVar(&s.Program, "fctl", "", "")
	err := flags.Parse(args)
	if err == nil {
		err = s.prepare(roots)
	}
	status := diag.ExitUsage
	if err == nil {
		status = diag.ExitFunction
		err = s.New(ctx).Run(ctx, transport(in, out)) // waits for calls
	}
	if err == nil || ctx.Err() != nil {
		return diag.ExitDone
	}
	_, _ = fmt.Fprintf(errOut, "fctl: mcp: %v\n", err)
	return status
}

// list is a flag that can be repeated.
type list []string

// Set implements flag.Value.
func (l *list) Set(text string) error {
	*l = append(*l, text)
	return nil
}

// String implements flag.Value.
func (l *list) String() string { return fmt.Sprint(*l) }

// prepare checks fctl and the roots.
func (s *Server) prepare(roots []string) error {
	if s.Program == "" {
		return errors.New("--fctl PATH is missing; run 'fctl mcp' instead")
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	for _, root := range roots {
		full, err := filepath.Abs(root)
		if err == nil {
			full, err = filepath.EvalSymlinks(full)
		}
		if err != nil {
			return fmt.Errorf("--root: %w", err)
		}
		if info, err := os.Stat(full); err != nil || !info.IsDir() {
			return fmt.Errorf("--root: %s is not a directory", root)
		}
		s.Roots = append(s.Roots, full)
	}
	return nil
}

// New makes the server with its tools. Calls end with ctx.
func (s *Server) New(ctx context.Context) *mcp.Server {
	s.life, s.running = ctx, make(chan struct{}, parallel.Cores())
	about := &mcp.Implementation{Name: "fctl", Version: version.Read().Version}
	server := mcp.NewServer(about, &mcp.ServerOptions{
		Instructions: "fctl reads, checks and changes Kubernetes YAML and other configuration with " +
			"named functions, and keeps every byte that it was not asked to change. Find functions " +
			"with list_functions and explain_function. Look at a change with preview before apply. " +
			"Relative paths are relative to " + s.Roots[0] + ". Calls use only files below " +
			strings.Join(s.Roots, " and ") + ".",
	})
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(server, &mcp.Tool{
		Name: "list_functions", Annotations: readOnly,
		Description: "List the functions that read, change or check configuration, with their " +
			"parameters. With words, only those whose name or purpose has all of them.",
	}, s.listFunctions)
	mcp.AddTool(server, &mcp.Tool{
		Name: "explain_function", Annotations: readOnly,
		Description: "Explain one function: its parameters and their types, what it does, to which " +
			"resources it applies, and examples.",
	}, s.explainFunction)
	mcp.AddTool(server, &mcp.Tool{
		Name: "read", Annotations: readOnly,
		Description: "Run functions that read values, such as get-replicas, get-container-image or " +
			"get-string-path, and return what they find, with file, line and column. Secret values " +
			"are masked.",
	}, s.read)
	mcp.AddTool(server, &mcp.Tool{
		Name: "preview", Annotations: readOnly,
		Description: "Run functions and return what they would change as a unified diff, or as a list " +
			"of values before and after. Nothing is written. Findings of validating functions are " +
			"messages with file, line and column.",
	}, s.preview)
	mcp.AddTool(server, &mcp.Tool{
		Name: "validate", Annotations: readOnly,
		Description: "Check configuration with the schemas of Kubernetes, the meaning of fields and " +
			"the references between resources, or with other validating functions and policies. " +
			"Returns the findings with file, line and column.",
	}, s.validate)
	mcp.AddTool(server, &mcp.Tool{
		Name: "plan_links", Annotations: readOnly,
		Description: "Show what resolving the links of the workspace in a root would change. Nothing " +
			"is written.",
	}, s.planLinks)
	if s.Write {
		mcp.AddTool(server, &mcp.Tool{
			Name: "apply", Annotations: &mcp.ToolAnnotations{IdempotentHint: true},
			Description: "Run functions, write the files that they change, and return the changes as " +
				"a unified diff. A file in which a function fails stays as it is, and the others " +
				"are written: the diff of a failed call has them.",
		}, s.apply)
	}
	return server
}

// Source says on which configuration functions run.
type Source struct {
	Paths  []string `json:"paths,omitempty" jsonschema:"files and directories below a root; directories are searched with everything below them"`
	Text   string   `json:"text,omitempty" jsonschema:"configuration, instead of paths"`
	Format string   `json:"format,omitempty" jsonschema:"Kubernetes/YAML (the default of a text and a directory; a file that paths name has that of its extension), AppConfig/JSON, AppConfig/TOML, AppConfig/YAML, AppConfig/INI, AppConfig/Env, AppConfig/Properties or OpenTofu/HCL; auto takes every file of a directory"`
	Where  string   `json:"where,omitempty" jsonschema:"select only resources for which this is true, such as ConfigHub.ResourceType = 'apps/v1/Deployment' AND metadata.namespace = 'shop'"`
}

// Step is a function and its arguments.
type Step struct {
	Function  string         `json:"function" jsonschema:"the name of the function, such as set-replicas"`
	Arguments []any          `json:"arguments,omitempty" jsonschema:"the arguments in the order of the parameters"`
	Named     map[string]any `json:"named,omitempty" jsonschema:"the arguments by the names of the parameters, instead of arguments"`
}

// Chain is functions that run one after the other on the same configuration.
type Chain struct {
	Source
	Functions []Step `json:"functions" jsonschema:"the functions, in the order in which they run"`
}

// Preview is a chain, and how its changes are shown.
type Preview struct {
	Chain
	Mutations bool `json:"mutations,omitempty" jsonschema:"list each path that changes, with its value before and after and the function, instead of a diff"`
}

// Checks are what validates configuration.
type Checks struct {
	Source
	Functions  []Step   `json:"functions,omitempty" jsonschema:"validating functions, instead of the usual ones"`
	Policies   []string `json:"policies,omitempty" jsonschema:"baseline, restricted or best-practice, instead of the usual functions"`
	Kubernetes string   `json:"kubernetes,omitempty" jsonschema:"the release of Kubernetes, such as 1.35"`
}

// Words select functions.
type Words struct {
	Words     []string `json:"words,omitempty" jsonschema:"such as replicas, image, or a kind: readonly, mutating, validating"`
	Toolchain string   `json:"toolchain,omitempty" jsonschema:"the format of configuration, Kubernetes/YAML if it is left out"`
}

// Name is the name of a function.
type Name struct {
	Function  string `json:"function" jsonschema:"such as set-replicas"`
	Toolchain string `json:"toolchain,omitempty" jsonschema:"the format of configuration, Kubernetes/YAML if it is left out"`
}

// Place is a directory.
type Place struct {
	Directory string `json:"directory,omitempty" jsonschema:"a directory in a workspace, below a root; the first root if it is left out"`
}

// Answer is the result of a tool.
type Answer struct {
	// Values are what functions returned, findings, or a plan.
	Values any    `json:"values,omitempty" jsonschema:"what was found"`
	Text   string `json:"text,omitempty" jsonschema:"a diff or an explanation"`
	// Messages are notes and problems, one per line, with file, line and column.
	Messages string `json:"messages,omitempty" jsonschema:"notes and problems"`
}
