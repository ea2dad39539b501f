// Package functionconfig has the commands `fctl functionconfig`, and reads the FunctionConfigs that
// the flags and settings of other commands name.
//
// Layer: commands.
package functionconfig

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/source"
)

// New makes the commands about FunctionConfigs.
func New(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "functionconfig",
		Short: "Check and list FunctionConfigs",
		Long: `Work with FunctionConfig objects. They say for the image of a KRM function, and
for each of its tags, whether it runs in fctl itself, as a program of this
machine, or in a pod. --function-configs of the commands of fn reads them.`,
		Args: a.NoSuchCommand,
		RunE: command.ShowHelp,
	}
	cmd.AddCommand(newCheck(a), newList(a), newCRD(a))
	return cmd
}

// Load returns the FunctionConfigs that the flags and settings name. kubeconfig is the file that
// names the cluster of kube:, "" for the usual ones. check is called with those that a project's
// file names. All errors in files are reported; warnings, and errors of the objects of a cluster,
// become notes.
func Load(ctx context.Context, a *command.App, s *settings.Settings, kubeconfig string,
	check func([]*functionconfig.Config) error,
) ([]*functionconfig.Config, error) {
	var all []*functionconfig.Config
	var problems []functionconfig.ConfigProblem
	for _, f := range s.FunctionConfigs {
		var found []*functionconfig.Config
		var wrong []functionconfig.ConfigProblem
		switch {
		case settings.IsCluster(f.Path):
			var err error
			if found, wrong, err = fromCluster(ctx, f.Path, kubeconfig, a.Streams.Getenv); err != nil {
				return nil, err
			}
			found, wrong = ofCluster(found, wrong)
		case f.OfProject():
			found, wrong = functionconfig.Read(ctx, []string{f.Path}, diag.FileName, f.Read)
			if err := check(found); err != nil {
				return nil, err
			}
		default:
			found, wrong = functionconfig.Read(ctx, []string{f.Path}, diag.FileName, nil)
		}
		all, problems = append(all, found...), append(problems, wrong...)
	}
	return all, Report(a, s, problems)
}

// ofCluster returns the objects of a cluster that can be used; configs are sorted by age. A broken
// object of others is a note: it stops nobody.
func ofCluster(configs []*functionconfig.Config, problems []functionconfig.ConfigProblem,
) ([]*functionconfig.Config, []functionconfig.ConfigProblem) {
	set, twice := functionconfig.NewSet(configs, "")
	problems = append(problems, twice...)
	for i := range problems {
		if p := &problems[i]; !p.Warning && p.Resource != "" {
			p.Warning, p.Message = true, p.Message+"; the object is not used"
		}
	}
	return set.Configs(), problems
}

// Report returns the problems that are errors, and notes the others.
func Report(a *command.App, s *settings.Settings, problems []functionconfig.ConfigProblem) error {
	notes(a, s, problems)
	return failures(problems).Err()
}

// failures returns the problems that are errors.
func failures(problems []functionconfig.ConfigProblem) (errs diag.List) {
	for _, p := range functionconfig.Errors(problems) {
		errs = append(errs, p.Failure)
	}
	return errs
}

// notes prints the problems that are warnings.
func notes(a *command.App, s *settings.Settings, problems []functionconfig.ConfigProblem) {
	var notes []api.Note
	for _, p := range problems {
		if p.Warning {
			notes = append(notes, api.Note{Pos: p.Pos, Message: p.Resource + ": " + p.Message})
		}
	}
	if !s.Quiet {
		a.Console().Notes("", notes...)
	}
}

// maxObjects is how many bytes the objects of a cluster may have.
const maxObjects = 256 << 20

// fromCluster asks fctl-runner for the objects of a cluster. They are sorted by age.
func fromCluster(ctx context.Context, name, kubeconfig string, getenv func(string) string,
) (configs []*functionconfig.Config, problems []functionconfig.ConfigProblem, err error) {
	path, err := process.FindRunner(getenv)
	if err != nil {
		return nil, nil, &api.Failure{
			Class: api.FailureFunction, Message: err.Error(), Hint: process.Hint(err), Err: err,
		}
	}
	words := []string{"objects", name}
	if kubeconfig != "" {
		words = append(words, "--kubeconfig", kubeconfig)
	}
	out, err := process.AskRunner(ctx, path, maxObjects, words...)
	if _, tooMuch := errors.AsType[*process.OutputError](err); tooMuch {
		err = errors.New("the cluster has too many objects")
	}
	var parts []functionconfig.Part
	if err == nil {
		parts, err = functionconfig.ParseCluster(out)
	}
	if err != nil {
		return nil, nil, diag.Input(name, "", err)
	}
	for i := range parts {
		configs = append(configs, parts[i].Configs()...)
	}
	return configs, functionconfig.Problems(parts), nil
}

// read returns the settings, and the FunctionConfigs that words name with their problems: those of
// paths, then those of the standard input, then those of clusters. text is called with each text that
// was read, unless it is nil.
func read(a *command.App, cmd *cobra.Command, words []string, text func(file string, text []byte),
) (*settings.Settings, *functionconfig.Set, []functionconfig.ConfigProblem, error) {
	s, err := a.Settings(cmd.Flags())
	if err != nil {
		return nil, nil, nil, err
	}
	a.SettingsNotes(s)
	if len(words) == 0 {
		return nil, nil, nil, command.Missing(cmd, "PATH")
	}
	var paths, clusters []string
	input := false
	for _, word := range words {
		switch {
		case word == "":
			return nil, nil, nil, diag.Usage("the name of a file is empty")
		case word == "-":
			input = true
		case settings.IsCluster(word):
			clusters = append(clusters, word)
		default:
			paths = append(paths, source.InDirectory(a.Dir, word))
		}
	}
	if text == nil {
		text = func(string, []byte) {}
	}
	configs, problems := functionconfig.Read(cmd.Context(), paths, diag.FileName,
		func(path string) ([]byte, error) {
			found, err := functionconfig.ReadFile(cmd.Context(), path)
			if err == nil {
				text(diag.FileName(path), found)
			}
			return found, err
		})
	add := func(found []*functionconfig.Config, wrong []functionconfig.ConfigProblem) {
		configs, problems = append(configs, found...), append(problems, wrong...)
	}
	if input {
		found, err := (&source.Reader{In: a.Streams.In}).Bytes(cmd.Context(), "-")
		if err != nil {
			return nil, nil, nil, err
		}
		text(diag.FileName("-"), found)
		add(functionconfig.ParseMixed(found, diag.FileName("-")))
	}
	for _, cluster := range clusters {
		found, wrong, err := fromCluster(cmd.Context(), cluster, "", a.Streams.Getenv)
		if err != nil {
			return nil, nil, nil, err
		}
		add(found, wrong)
	}
	set, twice := functionconfig.NewSet(configs, s.ImagePrefix)
	return s, set, append(problems, twice...), nil
}

// functionsDirs returns the directories of --functions, absolute.
func functionsDirs(a *command.App, dirs []string) ([]string, error) {
	var all []string
	for _, dir := range dirs {
		full, err := filepath.Abs(source.InDirectory(a.Dir, dir))
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(full)
		if err == nil && !info.IsDir() {
			err = errors.New("it is not a directory")
		}
		if err != nil {
			return nil, diag.Usage("--functions: %s: %w", dir, cause(err))
		}
		all = append(all, full)
	}
	return all, nil
}

// cause returns an error without the path, which the message has.
func cause(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}

// Programs returns what runs the programs that FunctionConfigs name. dirs are the values of
// --functions, allow is true, false or any.
func Programs(a *command.App, dirs []string, allow string, sandbox *process.Sandbox,
) (functionconfig.Programs, error) {
	all, err := functionsDirs(a, dirs)
	return functionconfig.Programs{
		Dirs: all, Allow: allow == "true" || allow == "any", Any: allow == "any", Sandbox: sandbox,
	}, err
}
