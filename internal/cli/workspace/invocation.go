package workspace

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func invocations() *noun[*workspace.Invocation] {
	return &noun[*workspace.Invocation]{
		kind: entity.KindInvocation, word: "SLUG",
		head: []string{"NAME", "SPACE", "TOOLCHAIN", "FUNCTION"},
		cells: func(_ *session.Session, i *workspace.Invocation) []string {
			return []string{
				i.Slug, i.SpaceSlug, string(i.ToolchainType), session.InvocationText(i.Call()),
			}
		},
		rows: func(i *workspace.Invocation) [][]string {
			return [][]string{
				{"ID", i.InvocationID},
				{"Name", i.Slug},
				{"Space", i.SpaceSlug},
				{"Toolchain", string(i.ToolchainType)},
				{"Function", session.InvocationText(i.Call())},
			}
		},
	}
}

func newInvocation(a *command.App) *cobra.Command {
	n := invocations()
	return session.Group(a, "invocation", "Store function invocations",
		`A stored invocation is a function with its arguments. Links of the type Upsert
use it to transform their upstream, and unit do --invocation runs it.`,
		newInvocationCreate(a), n.list(a, "List stored invocations"),
		n.get(a, "Show a stored invocation"), n.delete(a, "Delete a stored invocation"))
}

// invocationCreate holds the flags of invocation create.
type invocationCreate struct {
	creation
	toolchain, where string
}

func newInvocationCreate(a *command.App) *cobra.Command {
	o := &invocationCreate{}
	cmd := &cobra.Command{
		Use: "create [flags] SLUG FUNCTION [ARG...]", Short: "Store an invocation",
		Long: `Store a function with its arguments. With --filename or --from-stdin the
invocation is in a text; SLUG, and FUNCTION with its arguments, override its fields.`,
		Example: `  fctl invocation create render-env --toolchain AppConfig/Env \
    render-configmap --as-key-value=true
  fctl invocation create --filename render.yaml`,
	}
	o.add(a, cmd, entity.KindInvocation)
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.StringVar(&o.toolchain, "toolchain", "", "`TOOLCHAIN`, "+
		string(api.ToolchainKubernetesYAML)+" without it")
	flags.StringVar(&o.where, "where-resource", "", "select only resources matching `EXPR`")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		// fctl invocation create SLUG --toolchain X FUNCTION is accepted as well
		if len(words) > 1 && strings.HasPrefix(words[1], "-") {
			if err := flags.Parse(words[1:]); err != nil {
				return err
			}
			words = append(words[:1:1], flags.Args()...)
		}
		if err := o.words(2, -1)(cmd, words); err != nil {
			return err
		}
		// Arguments may be secret.
		title := session.Title(cmd, words[:min(1, len(words))]...)
		return o.Write(cmd, title, func(s *session.Session) error {
			return invocations().create(&o.creation, s, words, func(i *workspace.Invocation) error {
				return o.finish(s, i, words)
			})
		})
	}
	return cmd
}

// finish sets what flags and the words after the slug say, and checks the function.
func (o *invocationCreate) finish(
	s *session.Session, i *workspace.Invocation, words []string,
) error {
	i.ToolchainType = cmp.Or(api.ToolchainType(o.toolchain), i.ToolchainType,
		api.ToolchainKubernetesYAML)
	if err := checkToolchain(i.ToolchainType); err != nil {
		return err
	}
	i.WhereResource = cmp.Or(o.where, i.WhereResource)
	if len(words) < 2 {
		executor, err := s.Functions()
		if err == nil && i.BridgeWorkerID == "" {
			_, err = executor.ValidateInvocation(i.ToolchainType, i.Call())
		}
		return err
	}
	resolver, err := s.Resolver(i.ToolchainType)
	if err != nil {
		return err
	}
	p, err := resolver.Resolve(resolver.Split(words[1:]))
	if err != nil {
		return err
	}
	if len(p.Invocations) != 1 {
		return diag.Usage("one function is expected, not %d", len(p.Invocations))
	}
	i.FunctionName, i.Arguments = p.Invocations[0].FunctionName, p.Invocations[0].Arguments
	return nil
}
