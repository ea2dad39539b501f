package do

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/policies"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/internal/source"
)

// Deps are the dependencies of a run.
type Deps struct {
	Streams  *iostreams.Streams
	Executor *functions.Executor
	Writes   *Writes
}

// Files says which files a chain runs on: File, which is the unit Unit, or Paths and Memory.
// If Unit is empty, the unit is named after the file.
type Files struct {
	File, Unit string
	Paths      []string // files, directories and patterns
	Memory     []Memory // files that are not in the file system
	Recursive  bool     // descend into subdirectories of Paths
	Shard      source.Shard
	Dir        string // the directory paths are relative to; empty for the working directory
	Command    string // the command that hints show
	// Formats says which files are read. nil means those of all formats that the executor has.
	Formats source.Formats
}

// Memory is a file in memory. Its name is a path.
type Memory struct {
	Name string
	Data []byte
}

// Request is a chain, resolved for the toolchains of its files, and these files.
type Request struct {
	files    Files
	executor *functions.Executor
	reader   *source.Reader
	found    *source.Found
	first    *source.InputUnit   // the first unit, if it was read to find its toolchain
	known    []api.ToolchainType // of the files; nil before Toolchains
	plans    *plans
	// toolchain is the one for which problems with the chain are reported, usually the only one.
	toolchain api.ToolchainType
	args      map[string][]byte // contents of argument files, by path
	untrusted bool              // a stranger wrote the files
	names     *TypeNames        // nil until a resource type is looked up
}

// NewRequest makes a request without units, for reading a chain from a file.
func NewRequest(from Files, s *settings.Settings, deps Deps) *Request {
	reader := Reader(s, deps.Streams)
	if reader.Formats = from.Formats; reader.Formats == nil {
		reader.Formats = deps.Executor.ToolchainsOf
	}
	reader.Toolchain, reader.AnyFormat = api.ToolchainType(s.Toolchain), s.AnyFormat
	return &Request{
		files: from, executor: deps.Executor, reader: reader, found: &source.Found{},
		untrusted: s.Untrusted,
	}
}

// Find finds the files. It reads none of them, unless the user named only values of charts and the
// like.
func Find(ctx context.Context, from Files, s *settings.Settings, deps Deps) (*Request, error) {
	r := NewRequest(from, s, deps)
	var err error
	if r.found, err = r.find(ctx, s.AnyFormat); err != nil {
		return r, err
	}
	if from.Formats != nil { // nobody asked for the others
		r.found.Skipped = slices.DeleteFunc(r.found.Skipped, func(s source.Skipped) bool {
			return s.Reason == source.OtherExtension
		})
	}
	for _, f := range r.found.Files {
		if err := r.reader.CheckOutput(f.Path); err != nil {
			return r, err
		}
	}
	if err := r.addMemory(); err != nil {
		return r, err
	}
	// vet has default functions for resources only, and finds none in values
	if r.reader.Toolchain == "" && from.Command != "vet" && r.onlyNamed(ctx) {
		r.reader.AnyFormat = true
	}
	return r, nil
}

// Reader returns a reader of files with the limits of the settings.
func Reader(s *settings.Settings, streams *iostreams.Streams) *source.Reader {
	return &source.Reader{
		In: streams.In, Out: streams.OutFile(), MaxSize: s.MaxBytes,
	}
}

// find finds the files of the units.
func (r *Request) find(ctx context.Context, anyFormat bool) (*source.Found, error) {
	finder := &source.Finder{
		Dir: r.files.Dir, Recursive: r.files.Recursive,
		Toolchain: r.reader.Toolchain, Formats: r.reader.Formats, AnyFormat: anyFormat,
		Temporary: files.IsTemporary,
	}
	if len(r.files.Paths)+len(r.files.Memory) > 0 {
		found, err := finder.Find(ctx, r.files.Paths)
		if err != nil || r.files.Shard.IsWhole() {
			return found, err
		}
		if slices.ContainsFunc(found.Files, func(f source.File) bool { return f.Path == "-" }) {
			return nil, diag.Usage("--shard: the standard input has no parts")
		}
		found.Several = true
		return found, nil
	}
	if !r.files.Shard.IsWhole() {
		return nil, diag.UsageHint(shellwords.Quote("fctl", r.files.Command, "-f", r.files.File,
			"-R"),
			"--shard needs -f")
	}
	if r.files.Recursive {
		return nil, diag.UsageHint(shellwords.Quote("fctl", "do", "-f", r.files.File, "-R",
			"FUNCTION"), "-R needs -f")
	}
	f, err := finder.File(r.files.File)
	if r.files.Unit != "" {
		f.Unit = r.files.Unit
	}
	return &source.Found{Files: []source.File{f}}, err
}

// addMemory adds the files in memory.
func (r *Request) addMemory() error {
	finder := &source.Finder{Dir: r.files.Dir}
	r.reader.Memory = map[string][]byte{}
	onDisk := make(map[string]bool, len(r.found.Files))
	for _, f := range r.found.Files {
		onDisk[f.Path] = true
	}
	for _, m := range r.files.Memory {
		f, err := finder.File(m.Name)
		if err != nil {
			return err
		}
		if _, twice := r.reader.Memory[f.Path]; twice || m.Name == "" || f.Path == "-" {
			return diag.Usage("%q is not the name of a file in memory, or that of two", m.Name)
		}
		r.reader.Memory[f.Path] = m.Data
		if !onDisk[f.Path] { // else it is read from memory
			r.found.Files = append(r.found.Files, f)
		}
	}
	r.found.Several = r.found.Several || len(r.found.Files) > 1
	return nil
}

// ReadsStdin reports whether the standard input is one of the units.
func (r *Request) ReadsStdin() bool {
	return slices.ContainsFunc(r.found.Files, func(f source.File) bool { return f.Path == "-" })
}

// inDir resolves a path on the command line, relative to the directory given with -C.
func (r *Request) inDir(path string) string { return source.InDirectory(r.files.Dir, path) }

// Resolver returns a plan.Resolver, which resolves words against the functions of a toolchain.
func (r *Request) Resolver(ctx context.Context, t api.ToolchainType) *plan.Resolver {
	return &plan.Resolver{
		Toolchain: t, Functions: r.executor,
		ResourceType: r.typeNames(ctx).Resolve,
		ReadFile:     func(path string) ([]byte, error) { return r.bytes(ctx, path) },
	}
}

// trusted returns read, for what a file names. If the repository is not trusted, that is an error.
func (r *Request) trusted(read plan.ReadFunc) plan.ReadFunc {
	if !r.untrusted {
		return read
	}
	return func(path string) ([]byte, error) {
		return nil, diag.Untrusted("file:%s is not read", shorter(path))
	}
}

// policy reads a policy: one of those that fctl has, or a chain in a file.
func (r *Request) policy(ctx context.Context, resolver *plan.Resolver,
	policy settings.NamedPath,
) (*plan.Plan, error) {
	name := policy.Path
	if text, known := policies.Text(name); known {
		return resolver.Invocations(plan.ChainText{Bytes: text, Name: "policy " + name})
	}
	shown := diag.FileName(shorter(name))
	text, err := readNamed(ctx, r.reader, policy, name)
	if f, ok := errors.AsType[*api.Failure](err); ok && !policy.OfProject() {
		own := *f
		own.Pos.File = shown
		own.Hint = configkit.DidYouMean("", configkit.Suggest(filepath.Base(name),
			policies.Names()))
		if own.Hint == "" {
			own.Hint = "the policies of fctl are " + strings.Join(policies.Names(), ", ")
		}
		return nil, &own
	}
	if err != nil {
		return nil, err
	}
	var read plan.ReadFunc // of any file
	if policy.OfProject() {
		read = policy.ReadNamed
	}
	return resolver.Invocations(plan.ChainText{
		Bytes: text, Name: shown, Dir: filepath.Dir(name), ReadFile: r.trusted(read),
	})
}

// bytes reads a file that is not a unit, and caches it: the standard input can be read only once.
func (r *Request) bytes(ctx context.Context, path string) ([]byte, error) {
	if text, known := r.args[path]; known {
		return text, nil
	}
	if path == "" {
		return nil, diag.UsageHint("file:PATH is the content of the file at PATH",
			"the name of the file is empty")
	}
	if path == "-" && r.ReadsStdin() {
		return nil, diag.Usage("the standard input is already FILE, and can be read only once")
	}
	text, err := r.reader.Bytes(ctx, r.inDir(path))
	if err == nil {
		if r.args == nil {
			r.args = map[string][]byte{}
		}
		r.args[path] = text
	}
	return text, err
}

// onlyNamed reports whether the user named nothing but files whose names say that they are YAML
// without resources.
func (r *Request) onlyNamed(ctx context.Context) bool {
	reader := *r.reader
	reader.RegularOnly = true
	return len(r.found.Files) > 0 && !slices.ContainsFunc(r.found.Files, func(f source.File) bool {
		if !f.Explicit || !source.IsNamed(f.Path) {
			return true
		}
		unit, err := reader.Unit(ctx, f.Path, f.Unit)
		return err != nil || source.HasResource(unit.Data)
	})
}

// Within reports whether there are no more files, and no more bytes in them, than given.
func (r *Request) Within(most int, bytes int64) bool {
	if len(r.found.Files) > most {
		return false
	}
	for _, f := range r.found.Files {
		if data, inMemory := r.reader.Memory[f.Path]; inMemory {
			bytes -= int64(len(data))
		} else if info, err := os.Stat(f.Path); err == nil {
			bytes -= info.Size()
		}
	}
	return bytes >= 0
}
