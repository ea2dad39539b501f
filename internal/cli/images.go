package cli

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out/report"
)

// imagesHelp ends the help of the commands for images.
const imagesHelp = `
Images are in containers, in custom resources of many operators, in
kustomizations, in Applications of Argo CD, in HelmReleases and in values of
charts, in compose files, in workflows of GitHub and pipelines of GitLab and
Tekton, and in Dockerfiles. nginx, docker.io/nginx and docker.io/library/nginx
are one repository.

PATH is a file, a directory with all below it, a pattern, or - for the standard
input. Without PATH it is the current directory. Lines of templates and of other
skipped files that have the image are named in notes.`

func newImages(a *command.App) *cobra.Command {
	cmd := newImagesCommand(a, imagesCommand{
		use: "images [flags] [PATH...]", short: "List the images, or set, pin or move them",
		long: `List every image in files, with its place. An image whose registry, tag and
digest are in fields of their own is shown as a whole.
`,
		example: `  fctl images
  fctl images apps/ charts/shop/values.yaml
  fctl images -o value apps/ | sort -u
  fctl images set nginx 1.27.3
  fctl images pin images.lock -i
  fctl images move mirror.example.com --from docker.io --diff apps/`,
		function: "get-images",
	})
	for _, c := range imageEdits() {
		cmd.AddCommand(newImagesCommand(a, c))
	}
	return cmd
}

// imageEdits returns the commands that change images.
func imageEdits() []imagesCommand {
	return []imagesCommand{
		{
			use:   "set [flags] REPOSITORY TAG [PATH...]",
			short: "Set the tag of the images of a repository",
			long: `Set the tag of all images of REPOSITORY. TAG is a tag, a digest, or both:
1.27.3, sha256:0f1e..., 1.27.3@sha256:0f1e... A new tag takes the place of tag and
digest.

Print the changes as a diff. -i writes them.
`,
			example: `  fctl images set nginx 1.27.3
  fctl images set ghcr.io/acme/shop 2.1.0 -i apps/ charts/`,
			function: "set-image-reference-by-uri", words: []string{"REPOSITORY", "TAG"},
			arguments: func(words []string) ([]string, error) {
				reference := words[1]
				switch {
				case strings.HasPrefix(reference, "sha256:"):
					reference = "@" + reference
				case !strings.HasPrefix(reference, ":") && !strings.HasPrefix(reference, "@"):
					reference = ":" + reference
				}
				return []string{"--", words[0], reference, "true"}, nil
			},
			image: func(words []string) string { return words[0] },
		},
		{
			use:   "pin [flags] DIGESTS [PATH...]",
			short: "Add digests to the images, from a file",
			long: `Add its digest to every image that DIGESTS has. DIGESTS is a file with lines of
IMAGE:TAG@DIGEST or IMAGE:TAG DIGEST, or the table that 'docker images --digests'
prints; # begins a comment:

  nginx:1.27@sha256:0f1e2d3c...
  ghcr.io/acme/shop:2.1.0 sha256:1a2b3c4d...

An image without a tag is that with the tag latest. Nothing is asked of a registry.
Print the changes as a diff. -i writes them.
`,
			example: `  fctl images pin images.lock
  fctl images pin images.lock -i apps/`,
			function: "pin-images", words: []string{"DIGESTS"},
			arguments: func(words []string) ([]string, error) {
				if words[0] == "" {
					return nil, diag.Usage("DIGESTS is the name of a file, not empty")
				}
				return []string{"file:" + words[0]}, nil
			},
		},
		{
			use:   "move [flags] REGISTRY [PATH...]",
			short: "Move the images to another registry",
			long: `Replace the registry of all images by REGISTRY, which can have a path. --from
moves only those of one registry, and replaces its path, too:

  fctl images move mirror.example.com                  nginx becomes
      mirror.example.com/library/nginx, quay.io/a/b mirror.example.com/a/b
  fctl images move mirror.example.com/quay --from quay.io
      quay.io/a/b becomes mirror.example.com/quay/a/b

Print the changes as a diff. -i writes them.
`,
			example: `  fctl images move mirror.example.com --from docker.io
  fctl images move mirror.example.com -i apps/`,
			function: "move-images", words: []string{"REGISTRY"}, from: true,
			arguments: func(words []string) ([]string, error) {
				return append([]string{"--"}, words...), nil
			},
		},
	}
}

// imagesCommand is one of the commands for images.
type imagesCommand struct {
	use, short, long, example string
	function                  string   // which runs on every file
	words                     []string // the names of the arguments before PATH
	from                      bool     // --from is one more argument
	// arguments returns the words that follow the function. nil means none, and that the function
	// reads.
	arguments func(words []string) ([]string, error)
	// image returns the image that skipped files are searched for; nil means any image.
	image func(words []string) string
}

func newImagesCommand(a *command.App, c imagesCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use: c.use, Short: c.short, Long: c.long + imagesHelp, Example: c.example,
		Args: cobra.ArbitraryArgs,
	}
	o, flags := &runFlags{}, cmd.Flags()
	addFileFlags(cmd, o, "read a file, a directory or a pattern like 'apps/**/*.yaml'; - is the "+
		"standard input; `PATH` can be repeated")
	recursive := flags.Lookup("recursive")
	recursive.Usage, recursive.DefValue = "descend into subdirectories", "true"
	o.files.Recursive = true
	o.form = report.Table
	if c.arguments != nil {
		addWriteFlags(flags, o)
		flags.BoolVar(&o.print.diff, "diff", false,
			"print a unified diff, also with -i and -O; the default without them")
		o.form = report.Diff
		flags.Bool("require-match", false, "fail if there is no such image")
	}
	flags.StringVarP(&o.print.output, "output", "o", string(o.form),
		"output `FORMAT`: "+report.FormatNames())
	flags.StringSliceVar(&o.print.columns, "columns", nil,
		"print a table with these `COLUMNS`, e.g. name,value; implies -o table")
	from := ""
	if c.from {
		flags.StringVar(&from, "from", "", "move only the images of this `REGISTRY`")
	}
	command.AddSelectors(flags, &o.options.Select)
	flags.BoolVar(&o.options.AllowEmpty, "allow-empty", false,
		"do not fail if no configuration is found")
	command.AddShowSecrets(flags, &o.options.ShowSecrets)
	command.AddToolchainFlags(flags)
	flags.Lookup("toolchain").Usage = "`TOOLCHAIN` of the configuration (default: each file's)"
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		r := newRun(a, cmd, o)
		if o.help {
			return cmd.Help()
		}
		if len(words) < len(c.words) {
			return command.Missing(cmd, c.words[len(words):]...)
		}
		r.chain.Words = []string{c.function}
		if c.arguments != nil {
			arguments, err := c.arguments(slices.Clip(words[:len(c.words)]))
			if err != nil {
				return err
			}
			if from != "" {
				arguments = append(arguments, from)
			}
			r.chain.Words = append(r.chain.Words, arguments...)
		}
		image := ""
		if c.image != nil {
			image = c.image(words)
		}
		o.options.Mentions = mentionsOf(image)
		return runImages(cmd.Context(), r, words[len(c.words):])
	}
	return cmd
}

// mentionsOf returns what reports whether a line that is not read as configuration has an image: one
// of a repository, or any if that is empty.
func mentionsOf(repository string) func(line []byte) bool {
	text := `[iI]mage["']?\s*[:=]\s*["']?[a-z0-9][\w./-]*(?:[:@][\w@:.-]+)?["']?\s*(?:#.*)?$`
	if repository != "" {
		short := strings.TrimPrefix(strings.TrimPrefix(repository, "docker.io/"), "library/")
		text = regexp.QuoteMeta(repository)
		if short != repository || !strings.Contains(strings.SplitN(repository, "/", 2)[0], ".") {
			text = `(?:docker\.io/)?(?:library/)?` + regexp.QuoteMeta(short)
		}
		text = `(?:(?:[iI]mage|[rR]epository|name)["']?\s*[:=]\s*["']?` + text +
			`(?:[:@"'\s]|$)|(?:^|[\s"'=])` + text + `[:@][\w{])`
	}
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
	return func(line []byte) bool { return compiled().Match(line) }
}

// runImages runs the function on the files of every format that may have images.
func runImages(ctx context.Context, r *run, paths []string) error {
	files := &r.flags.files
	if err := r.readFileList(ctx); err != nil {
		return r.withoutFiles(err)
	}
	files.Paths = append(files.Paths, paths...)
	if len(files.Paths) == 0 {
		files.Paths = []string{"."}
	}
	if err := r.load(ctx); err != nil {
		return err
	}
	r.settings.AnyFormat = r.settings.AnyFormat || r.settings.Toolchain == ""
	function := r.chain.Words[0]
	// Only the contents say whether JSON is a resource.
	files.Formats = func(path string) []api.ToolchainType {
		return slices.DeleteFunc(slices.Clone(r.executor.ToolchainsOf(path)),
			func(t api.ToolchainType) bool {
				_, known := r.executor.Signature(t, function)
				return !known && t != api.ToolchainAppConfigJSON ||
					t == api.ToolchainAppConfigText && appkit.FileType(path) == ""
			})
	}
	return r.runWords(ctx)
}
