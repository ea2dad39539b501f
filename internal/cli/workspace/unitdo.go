package workspace

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/out/report"
)

// unitDo holds the flags of unit do.
type unitDo struct {
	session.Common
	session.SelectFlags
	selection  do.Selection
	output     *command.Choice
	invocation string
	subgroup   string
	protect    bool
	said       string // the functions as the command line has them, without secret values
	printer    *report.Printer
}

func newUnitDo(a *command.App) *cobra.Command {
	o := &unitDo{Common: session.Common{App: a}}
	cmd := &cobra.Command{
		Use:   "do [flags] [UNIT] FUNCTION [ARG...] [then FUNCTION [ARG...]]...",
		Short: "Run functions on a unit and record what they change",
		Long: `Run functions on the data of a unit, and record what they change as a revision
with one mutation for each function. Functions see the unit's labels, space and
revision as their context. Output of functions that only read is printed. With
--where the functions run on several units, and UNIT is left out.`,
		Example: `  fctl unit do web set-replicas 3
  fctl unit do --where "Labels.tier = 'web'" set-annotation team shop
  fctl unit do web get-container-image '*' -o value
  fctl unit do web --kind Deployment set-label tier front`,
	}
	flags := session.Flags(cmd, o.AddWrite, o.SelectFlags.Add)
	flags.SetInterspersed(false)
	command.AddSelectors(flags, &o.selection)
	o.output = command.AddOutput(flags, "what functions return, as auto (a table on a terminal, "+
		"JSON elsewhere), json, table, value or name", "auto", "json", "table", "value", "name")
	flags.StringVar(&o.invocation, "invocation", "", "run the stored invocation `[SPACE/]SLUG`")
	flags.StringVar(&o.subgroup, "subgroup", "", "record the mutations under your own `CATEGORY`")
	flags.BoolVar(&o.protect, "protect", false, "keep merges from overwriting this change")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		var names []string
		if !o.SelectFlags.IsSet() {
			if len(words) == 0 {
				return command.Missing(cmd, "UNIT")
			}
			names, words = words[:1], words[1:]
			if len(words) > 0 && strings.HasPrefix(words[0], "-") { // flags after UNIT
				if err := flags.Parse(words); err != nil {
					return err
				}
				words = flags.Args()
			}
		}
		words, err := o.takeFlags(flags, words)
		if err != nil {
			return err
		}
		if len(words) == 0 == (o.invocation == "") {
			return command.Missing(cmd, "FUNCTION or --invocation")
		}
		if err := validSubgroup(o.subgroup); err != nil {
			return err
		}
		o.said = strings.Join(words, " ")
		if o.onlyReads(words) {
			return o.Read(cmd, func(s *session.Session) error {
				defer s.After(o.end)
				return o.read(s, names, words)
			})
		}
		return o.Write(cmd, session.Title(cmd, names...), func(s *session.Session) error {
			defer func() {
				if s.Tx.Title != "" { // else it cannot be undone
					s.Tx.Title = strings.TrimSpace(s.Tx.Title + " " + o.said)
				}
			}()
			units, survey, err := o.units(s, names, words)
			if err != nil {
				return err
			}
			defer s.After(o.end)
			return s.EachUnit(units, func(u *workspace.Unit) error {
				return o.run(s, u, words, survey)
			})
		})
	}
	return cmd
}

// takeFlags sets the flags among the words of functions, and returns the words without them. Which
// words are flags depends on the parameters of the functions: those of the first format that has the
// first one count.
func (o *unitDo) takeFlags(flags *pflag.FlagSet, words []string) ([]string, error) {
	executor, err := o.App.NewExecutor()
	if err != nil || len(words) == 0 {
		return words, err
	}
	r := plan.Resolver{Functions: executor, Flags: command.FlagWords{Flags: flags}}
	for _, t := range executor.Toolchains() {
		if _, ok := executor.Signature(t, words[0]); ok {
			r.Toolchain = t
			break
		}
	}
	rest := slices.Clone(words)
	for _, f := range slices.Backward(r.Split(words).Flags) {
		rest = slices.Delete(rest, f.At, f.At+len(f.Words))
		if err := flags.Parse(f.Words); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// onlyReads reports whether no function that the words name changes a unit of any toolchain. A
// command that only reads takes no other command back, and records no edit.
func (o *unitDo) onlyReads(words []string) bool {
	executor, err := o.App.NewExecutor()
	if err != nil || o.invocation != "" || o.StrictWorktree {
		return false
	}
	for i, name := range words {
		if i > 0 && words[i-1] != plan.Then {
			continue
		}
		known := false
		for _, t := range executor.Toolchains() {
			signature, ok := executor.Signature(t, name)
			if known = known || ok; ok && signature.Mutating {
				return false
			}
		}
		if !known {
			return false
		}
	}
	return true
}

// units returns the units that the functions run on, and their survey.
func (o *unitDo) units(s *session.Session, names, words []string,
) ([]*workspace.Unit, func() *handler.Survey, error) {
	units, err := o.UnitsNamed(s, names)
	if err != nil {
		return nil, nil, err
	}
	executor, err := s.Functions()
	if err != nil {
		return nil, nil, err
	}
	if o.selection, err = o.selection.Resolved(do.NewTypeNames(executor)); err != nil {
		return nil, nil, err
	}
	o.printer = o.newPrinter(len(units) > 1)
	survey, err := s.Survey(units, o.selection,
		func(u *workspace.Unit) (api.FunctionInvocationList, error) {
			chain, _, err := o.chain(s, u, words)
			return chain, err
		})
	return units, survey, err
}

// read runs functions that only read on the working copies of units.
func (o *unitDo) read(s *session.Session, names, words []string) error {
	units, survey, err := o.units(s, names, words)
	if err != nil {
		return err
	}
	var errs []error
	for _, u := range units {
		chain, _, err := o.chain(s, u, words)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		_, data, err := s.Store.Edited(u)
		if err == nil && data == nil {
			data, err = s.Store.Data(u, u.HeadRevisionNum)
		}
		if err == nil {
			_, err = o.invoke(s, u, data, chain, survey)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// chain returns the functions to run on a unit, and the ID of the stored invocation if it is one.
func (o *unitDo) chain(s *session.Session, u *workspace.Unit, words []string,
) (chain api.FunctionInvocationList, id string, err error) {
	resolver, err := s.Resolver(u.ToolchainType)
	if err != nil {
		return nil, "", err
	}
	if o.invocation == "" {
		p, err := resolver.Resolve(resolver.Split(words))
		if err != nil {
			return nil, "", err
		}
		o.printer.Signatures = p.Signatures
		return p.Invocations, "", nil
	}
	i, err := s.Invocation(s.SpaceSlug(), o.invocation)
	if err != nil {
		return nil, "", err
	}
	if i.ToolchainType != u.ToolchainType {
		return nil, "", entity.Fail(entity.CodeToolchain, "the invocation %s is for %s, %s is %s",
			i.Slug, i.ToolchainType, u.Name(), u.ToolchainType)
	}
	p, err := resolver.List(api.FunctionInvocationList{i.Call()})
	if err != nil {
		return nil, "", err
	}
	o.printer.Signatures = p.Signatures
	return p.Invocations, i.InvocationID, nil
}

func (o *unitDo) run(
	s *session.Session, u *workspace.Unit, words []string, survey func() *handler.Survey,
) error {
	chain, invocationID, err := o.chain(s, u, words)
	if err != nil {
		return err
	}
	if err := s.Edits(u); err != nil {
		return err
	}
	before, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return err
	}
	r, err := o.invoke(s, u, before, chain, survey)
	if err != nil || !r.Changed {
		return err
	}
	mutations, sources, err := o.mutations(s, u, chain, r, invocationID)
	if err != nil {
		return err
	}
	s.Tx.Revise(u, workspace.NewRevision{
		Data: r.ConfigData, Source: entity.SourceInvoke,
		Description: cmp.Or(o.ChangeDesc, o.invocation, o.said),
		Mutations:   mutations, Sources: sources,
	})
	s.NoteAfter("%s: revision %d -> %d", u.Name(), u.HeadRevisionNum-1, u.HeadRevisionNum)
	return nil
}

// invoke runs functions on the data of a unit, and prints notes and what they return. A validation
// that does not pass is an error.
func (o *unitDo) invoke(
	s *session.Session, u *workspace.Unit, before []byte, chain api.FunctionInvocationList,
	survey func() *handler.Survey,
) (*handler.Result, error) {
	r, err := s.Run(s.Ctx, u, before, chain, o.selection, survey)
	if err != nil {
		return nil, err
	}
	if !s.Settings.Quiet {
		s.App.Console().Notes(u.DataFile(), r.Notes...)
	}
	arguments := functions.Texts(chain)
	secrets, err := s.Unwritten(u, before, r.ConfigData, arguments...)
	if err != nil {
		return nil, err
	}
	o.said = s.Described(u, secrets.Message(o.said))
	if len(r.Outputs) > 0 {
		secrets, err := s.ValueSecrets(u, before, r.ConfigData, arguments...)
		if err != nil {
			return nil, err
		}
		masked := *r
		masked.Outputs = make(api.OutputList, len(r.Outputs))
		for i := range r.Outputs {
			masked.Outputs[i] = secrets.Returned(r.Outputs[i])
		}
		rendered, err := o.printer.Render(report.Result{
			Unit: u.Name(), File: u.DataFile(), Toolchain: u.ToolchainType, Response: &masked,
			Signatures: o.printer.Signatures,
		})
		if err != nil {
			return nil, err
		}
		s.After(func() error { return o.write(o.printer.Print(rendered)) })
	}
	if r.ValidationFailed {
		left := ""
		if s.Tx != nil {
			left = ", and was not changed"
		}
		return nil, u.Fail(entity.CodeFunctionFailed, "%s did not pass the validation%s", u.Name(),
			left).WithClass(api.FailureNo)
	}
	return r, nil
}

// mutations returns one mutation for each function that changed the unit, and the new sources.
func (o *unitDo) mutations(
	s *session.Session, u *workspace.Unit, chain api.FunctionInvocationList, r *handler.Result,
	invocationID string,
) ([]entity.Mutation, api.ResourceMutationList, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, nil, err
	}
	numbers := map[int]int{} // of the functions
	var causes []entity.Mutation
	for _, index := range r.Mutators {
		numbers[index] = int(u.HeadMutationNum) + 1 + len(causes)
		invocation := chain[index]
		causes = append(causes, entity.Mutation{
			FunctionInvocation: &invocation, InvocationID: invocationID, Subgroup: o.subgroup,
		})
	}
	before, err := s.Store.Sources(u, u.HeadRevisionNum)
	if err != nil {
		return nil, nil, err
	}
	change := renumber(r.Mutations, numbers, o.protect)
	return causes, mutation.Add(before, change, executor.ResourceProvider(u.ToolchainType)), nil
}

// renumber gives the entries of mutations other indexes.
func renumber(
	list api.ResourceMutationList, numbers map[int]int, protect bool,
) api.ResourceMutationList {
	for i := range list {
		m := &list[i]
		m.ResourceMutationInfo.Index = numbers[m.ResourceMutationInfo.Index]
		for path, info := range m.PathMutationMap {
			info.Index = numbers[info.Index]
			info.Protected = info.Protected || protect
			m.PathMutationMap[path] = info
		}
	}
	return list
}

// newPrinter returns what prints the outputs of functions.
func (o *unitDo) newPrinter(several bool) *report.Printer {
	streams := o.App.Streams
	p := &report.Printer{
		Format: report.Format(o.output.Value), Several: several,
		Terminal: report.Terminal{
			Interactive: streams.OutIsTerminal(), Width: streams.Width(),
			Head: streams.OutStyle(color.Bold),
		},
	}
	switch {
	case p.Format == report.Auto && streams.OutIsTerminal():
		p.Format = report.Table
	case p.Format == report.Auto || o.output.Value == "json":
		p.Format = report.Output
	}
	return p
}

// end prints what comes after the last unit.
func (o *unitDo) end() error {
	if o.printer == nil {
		return nil
	}
	text, err := o.printer.End()
	if err != nil {
		return err
	}
	return o.write(text)
}

// write prints what a printer made.
func (o *unitDo) write(chunks report.Chunks) error {
	text := bytes.Join(chunks, nil)
	switch {
	case o.printer.ForPeople():
		return o.App.WriteText(string(text))
	case o.printer.Lines():
		return o.App.WriteLines(text)
	}
	return o.App.WriteValues(text)
}
