package krm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/process"
)

// prepared is what an executor made for an image: how it is run, the image that it runs, and what
// is said of it.
type prepared struct {
	runner Runner
	image  string
	detail string
}

// prepare makes what runs an image.
type prepare = func(context.Context, functionconfig.Candidate) (prepared, error)

// image decides what runs an image. A FunctionConfig decides for the images that it names; of the
// others, those of the catalogue run in this process, and the rest as containers.
func (e *Executors) image(ctx context.Context, d *Declared, step *Step, call process.Call,
) (functionconfig.Trace, error) {
	usage := func(err error) error {
		return &api.Failure{
			Class: api.FailureUsage, Function: step.Image, Message: err.Error(),
			Hint: process.Hint(err), Err: err,
		}
	}
	set := e.Configs
	if set == nil {
		set, _ = functionconfig.NewSet(nil, e.ImagePrefix)
	}
	match, err := set.Find(functionconfig.Lookup{
		Image: d.Image, Tag: d.Tag, IgnoreDigest: e.IgnoreDigests,
	})
	if err != nil {
		return nil, usage(err)
	}
	step.Image = match.Image.String()
	step.Name = step.Image
	if e.Runner != "" && !e.Untrusted {
		return e.onRunner(d, step, call)
	}
	if d.Network && !e.Network {
		return nil, usage(errors.New("network required but not enabled with --network"))
	}
	if call.Mounts, err = e.mounts(d); err != nil && !e.Untrusted { // then it has no container
		return nil, usage(err)
	}
	i := &imageRun{executors: e, declared: d, match: &match, call: call}
	attempts := functionconfig.NewAttempts(&match, i.prepare)
	var before functionconfig.Trace
	inCatalog := func() bool {
		f, why := e.inCatalog(match.Image, match.Constraint, d)
		step.Runner.InProcess = f
		if f != nil {
			step.Runner.InProcess = e.limited(f)
		}
		before = functionconfig.Trace{{Kind: functionconfig.KindGo, Reason: why, Taken: f != nil}}
		return f != nil
	}
	ask := (match.Config == nil || e.Builtin) && e.allows(functionconfig.KindGo)
	if ask && e.catalogFirst() && inCatalog() {
		return before, nil
	}
	made, err := attempts.Next(ctx)
	if err == nil {
		attempts.Detail(made.detail)
	}
	trace := slices.Concat(before, e.known(attempts.Trace()))
	if err != nil && ask && !e.catalogFirst() {
		found := inCatalog()
		if trace = append(trace, before...); found {
			return trace, nil
		}
	}
	if err != nil {
		return trace, e.noExecutor(d, step, match.Image, trace, err)
	}
	step.Image, step.Name = made.image, made.image
	step.Runner = made.runner
	if made.runner.Program != nil {
		step.Runner.Program = i.orNext(attempts, made.runner)
	}
	return trace, nil
}

// known returns a trace without the steps about pods if there is neither a FunctionConfig nor a
// cluster: who uses neither need not read about them.
func (e *Executors) known(trace functionconfig.Trace) functionconfig.Trace {
	if e.onPods() || e.Configs != nil && len(e.Configs.Configs()) > 0 {
		return trace
	}
	return slices.DeleteFunc(slices.Clone(trace), func(s functionconfig.Attempt) bool {
		return s.Kind == functionconfig.KindPod
	})
}

// noExecutor returns the error for an image that nothing can run.
func (e *Executors) noExecutor(d *Declared, step *Step, image process.Image,
	trace functionconfig.Trace, err error,
) error {
	if _, ok := errors.AsType[*functionconfig.NoExecutorError](err); !ok {
		return err
	}
	if e.Untrusted {
		f := diag.Untrusted("the functions of fctl do not have it, and nothing else is run")
		f.Function, f.Err = step.Image, err
		return f
	}
	reasons := strings.Join(trace.Reasons(), "; ")
	class, message := api.FailureFunction, "nothing can run it: "+reasons
	if len(e.Only) > 0 {
		class = api.FailureUsage
		message = fmt.Sprintf("--executor %s does not run it: %s", e.only(), reasons)
	}
	hint := cmp.Or(e.meant(image), process.Hint(err),
		"fctl fn explain "+d.Image+" shows what could run it")
	return &api.Failure{
		Class: class, Function: step.Image, Message: message, Err: err, Hint: hint,
	}
}

// meant asks whether a function of the catalogue was meant by an image that it does not have, "" for
// none that is near.
func (e *Executors) meant(image process.Image) string {
	if e.Names == nil || image.Repository != e.prefix() {
		return ""
	}
	names := e.Names()
	if slices.Contains(names, image.Base) { // in another version
		return ""
	}
	return configkit.DidYouMean("", configkit.Suggest(image.Base, names))
}

// prefix is the repository of images whose names have none.
func (e *Executors) prefix() string {
	return strings.TrimSuffix(cmp.Or(e.ImagePrefix, process.DefaultPrefix), "/")
}

// allows reports whether --executor allows a kind.
func (e *Executors) allows(kind functionconfig.ExecutorKind) bool {
	return len(e.Only) == 0 || slices.Contains(e.Only, kind)
}

// onPods reports whether pods may be used. They have to be asked for.
func (e *Executors) onPods() bool { return slices.Contains(e.Only, functionconfig.KindPod) }

// only returns the value of --executor.
func (e *Executors) only() string {
	words := make([]string, len(e.Only))
	for i, kind := range e.Only {
		words[i] = string(kind)
	}
	return strings.Join(words, ",")
}

// catalogFirst reports whether the catalogue is asked before containers and pods.
func (e *Executors) catalogFirst() bool {
	first := slices.IndexFunc(e.Only, func(kind functionconfig.ExecutorKind) bool {
		return kind != functionconfig.KindBinary // which only FunctionConfigs have
	})
	return first < 0 || e.Only[first] == functionconfig.KindGo
}

// mounts returns the mounts of a container: those of its declaration and those of the caller.
func (e *Executors) mounts(d *Declared) ([]process.Mount, error) {
	root := e.workDir()
	dir := filepath.Join(root, filepath.FromSlash(d.Dir))
	var all []process.Mount
	for _, m := range d.Mounts {
		resolved, err := m.ResolveDeclared(dir, root, e.AllowOutside, e.AllowMount)
		if err != nil {
			return nil, err
		}
		all = append(all, resolved)
	}
	for _, m := range e.Mounts {
		here, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		resolved, err := m.Resolve(here, here, true)
		if err != nil {
			return nil, err
		}
		all = append(all, resolved)
	}
	return all, nil
}

// inCatalog returns the function of the catalogue for an image, and why it has one or not.
func (e *Executors) inCatalog(image process.Image, constraint *functionconfig.Tag, d *Declared,
) (Function, string) {
	prefix := e.prefix()
	switch {
	case e.Catalog == nil:
		return nil, "without a catalogue"
	case image.Digest != "":
		return nil, "the image is pinned by its digest"
	case image.Repository != prefix && image.Repository != "gcr.io/kpt-fn":
		return nil, "the image is not from " + prefix
	case len(d.Mounts) > 0:
		return nil, "the function declares mounts"
	}
	tag := image.Tag
	if constraint != nil {
		if tag = e.inSeries(image.Base, constraint); tag == "" {
			return nil, fmt.Sprintf("the catalogue has no %s with a version %s", image.Base,
				constraint.Text)
		}
	}
	f, ok := e.Catalog(image.Base, tag)
	if !ok {
		return nil, fmt.Sprintf("the catalogue has no %s with the tag %q", image.Base, tag)
	}
	return f, "the catalogue has " + image.Base
}

// inSeries returns the newest series of the catalogue of which a constraint allows a version. The
// catalogue has all versions of a series.
func (e *Executors) inSeries(name string, constraint *functionconfig.Tag) string {
	if e.Series == nil {
		return ""
	}
	series := slices.Clone(e.Series(name))
	slices.Reverse(series)
	const patches = 100 // more than any function had
	for _, s := range series {
		for patch := range patches {
			if constraint.Allows(fmt.Sprintf("%s.%d", s, patch)) {
				return s
			}
		}
	}
	return ""
}

// imageRun makes the executors for one image.
type imageRun struct {
	executors *Executors
	declared  *Declared
	match     *functionconfig.ConfigMatch
	call      process.Call
}

// prepare returns what makes an executor of a kind, nil for none.
func (i *imageRun) prepare(kind functionconfig.ExecutorKind) prepare {
	e := i.executors
	if e.Untrusted && kind != functionconfig.KindGo {
		return func(context.Context, functionconfig.Candidate) (prepared, error) {
			return prepared{}, process.Refuse(process.OtherCause, "the repository is not trusted")
		}
	}
	if !e.allows(kind) {
		return func(context.Context, functionconfig.Candidate) (prepared, error) {
			return prepared{}, process.Refuse(process.OtherCause, "--executor %s", e.only())
		}
	}
	switch kind {
	case functionconfig.KindGo:
		return i.inProcess
	case functionconfig.KindBinary:
		return i.binary
	case functionconfig.KindPod:
		return i.pod
	}
	return i.container
}

// inProcess returns the Go function that a FunctionConfig names.
func (i *imageRun) inProcess(_ context.Context, c functionconfig.Candidate) (prepared, error) {
	if len(i.declared.Mounts) > 0 {
		return prepared{}, process.Refuse(process.OtherCause, "the function declares mounts")
	}
	id := c.Config.Go.ID
	if i.executors.Catalog != nil {
		if f, ok := i.executors.Catalog(id, ""); ok {
			return prepared{
				Runner{InProcess: i.executors.limited(f)},
				i.match.Image.String(),
				fmt.Sprintf("id %q", id),
			}, nil
		}
	}
	return prepared{}, process.Refuse(process.OtherCause, "id %q not built in", id)
}

// binary returns the program that a FunctionConfig names. It is opened again when it runs.
func (i *imageRun) binary(_ context.Context, c functionconfig.Candidate) (prepared, error) {
	if len(i.declared.Mounts) > 0 {
		return prepared{}, process.Refuse(process.OtherCause, "the function declares mounts")
	}
	program, err := i.executors.Programs.Open(c)
	if err != nil {
		return prepared{}, err
	}
	_ = program.File.Close()
	return prepared{
		Runner{Program: func(ctx context.Context, stdin []byte) (process.Output, error) {
			return ended(i.executors.Programs.Run(ctx, c, i.call.WithStdin(stdin)))
		}}, i.match.Image.String(), program.Path,
	}, nil
}

// pod returns a child process that runs the image in a pod.
func (i *imageRun) pod(_ context.Context, c functionconfig.Candidate) (prepared, error) {
	e := i.executors
	if !e.onPods() {
		return prepared{}, process.Refuse(process.OtherCause, "a cluster is used only with --executor pod")
	}
	args := append([]string{"--executor", "pod"}, e.Cluster...)
	if c.Config != nil {
		// The FunctionConfig was found here; the child need not find it again.
		object, err := c.Config.PodObject(i.match.Image.Repository)
		if err != nil {
			return prepared{}, &process.NotStartedError{Err: err}
		}
		args = append(args, "--config", string(object))
	}
	remote := &process.Remote{Args: args, Image: i.match.Image.String()}
	if i.match.Constraint != nil {
		remote.Tag = i.match.Constraint.Text
	}
	return e.remote(remote, i.call)
}

// remote returns what runs fctl-runner.
func (e *Executors) remote(remote *process.Remote, call process.Call) (prepared, error) {
	path, err := e.FindRunner()
	if err != nil {
		return prepared{}, err
	}
	remote.Path = path
	call.Dir = "" // of the function; the files that name the cluster are relative to that of fctl
	return prepared{Runner{Program: runProgram(remote, call)}, remote.Image, path}, nil
}

// onRunner makes a step that a running fctl-runner executes.
func (e *Executors) onRunner(d *Declared, step *Step, call process.Call,
) (functionconfig.Trace, error) {
	made, err := e.remote(&process.Remote{
		Args: []string{"--runner", e.Runner}, Image: step.Image, Tag: d.Tag,
	}, call)
	if err != nil {
		return nil, &api.Failure{
			Class: api.FailureFunction, Function: step.Image, Message: err.Error(), Err: err,
			Hint: process.Hint(err),
		}
	}
	step.Runner = made.runner
	return functionconfig.Trace{taken("runner", e.Runner)}, nil
}

// container returns a container of the image.
func (i *imageRun) container(ctx context.Context, _ functionconfig.Candidate) (prepared, error) {
	e := i.executors
	if e.engine == nil {
		engine, err := process.FindEngine(ctx, e.Engine)
		if err != nil {
			return prepared{}, err
		}
		e.engine = &engine
	}
	image := i.match.Image
	if i.match.Constraint != nil && image.Digest == "" {
		tag, err := e.newest(ctx, image, i.match.Constraint)
		if err != nil {
			return prepared{}, &process.NotStartedError{Err: err}
		}
		image.Tag = tag
	}
	return prepared{Runner{Program: runProgram(&process.Container{
		Engine: *e.engine, Image: image.String(), Pull: e.Pull, Prepared: &e.images,
		Advice: e.meant(image),
	}, i.call)}, image.String(), e.engine.Name}, nil
}

// newest returns the highest tag of an image that a constraint allows: of those that the engine
// has, unless images are always pulled, else of those in the registry, unless they are never
// pulled.
func (e *Executors) newest(ctx context.Context, image process.Image, constraint *functionconfig.Tag,
) (string, error) {
	key := image.Repository + "/" + image.Base + " " + constraint.Text
	if tag := e.tags[key]; tag != "" {
		return tag, nil
	}
	repository := image.Repository + "/" + image.Base
	found := ""
	if e.Pull != process.PullAlways {
		tags, err := e.engine.Tags(ctx, repository)
		if err != nil {
			return "", err
		}
		found = constraint.Highest(tags)
	}
	if found == "" && e.Pull != process.PullNever {
		tags, err := process.RegistryTags(ctx, e.Client, repository)
		if err != nil {
			return "", fmt.Errorf("the version %s: %w", constraint.Text, err)
		}
		found = constraint.Highest(tags)
	}
	if found == "" {
		return "", fmt.Errorf("%s has no version %s", repository, constraint.Text)
	}
	if e.tags == nil {
		e.tags = map[string]string{}
	}
	e.tags[key] = found
	return found, nil
}

// orNext runs a program, and the next executor if it could not be started.
func (i *imageRun) orNext(attempts *functionconfig.Attempts[prepared], first Runner) Program {
	return func(ctx context.Context, stdin []byte) (process.Output, error) {
		out, err := first.Program(ctx, stdin)
		for err != nil && process.NotStarted(err) && ctx.Err() == nil {
			attempts.Failed(err)
			next, problem := attempts.Next(ctx)
			if _, ok := errors.AsType[*functionconfig.NoExecutorError](problem); ok &&
				len(i.executors.known(attempts.Trace())) > 1 {
				return out, problem
			}
			if problem != nil {
				return out, err
			}
			run := next.runner.Program
			if next.runner.InProcess != nil {
				run = asProgram(next.runner.InProcess)
			}
			out, err = run(ctx, stdin)
		}
		return out, err
	}
}

// asProgram returns a Go function as something that reads and writes text.
func asProgram(f Function) Program {
	return func(ctx context.Context, stdin []byte) (process.Output, error) {
		list, failed := Apply(ctx, f, stdin)
		switch {
		case list == nil:
			return process.Output{ExitCode: -1}, failed
		case process.IsAbandoned(failed):
			return process.Output{ExitCode: 1}, failed
		}
		stdout, err := list.Bytes()
		if failed != nil {
			return process.Output{
				Stdout: stdout, Stderr: []byte(failed.Error()), ExitCode: 1,
			}, failed
		}
		return process.Output{Stdout: stdout}, err
	}
}

// tagOf returns the tag of an image name, "" if it has none.
func tagOf(name string) string {
	image, err := process.ParseImage(name)
	if err != nil {
		return ""
	}
	return image.Tag
}
