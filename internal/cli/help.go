package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/settings"
)

// newHelp is `fctl help`. cobra's own answers an unknown topic with status 0.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command or a topic",
		RunE: func(_ *cobra.Command, words []string) error {
			cmd, rest, err := root.Find(words)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, "help topic", strings.Join(words, " "))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if len(words) == 0 {
				for _, c := range root.Commands() {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// topic is a help topic: text that is made only when somebody reads it.
type topic struct {
	name, short string
	text        func() string
}

func topics() []topic {
	return []topic{
		{"exit-codes", "What the exit statuses mean", exitCodesTopic},
		{"paths", "How places in resources are addressed", func() string { return pathsTopic }},
		{"where", "Expressions that select resources", func() string { return whereTopic }},
		{"chains", "Chains of functions in files", func() string { return chainsTopic }},
		{"files", "Which files are read, and how they are written", func() string { return filesTopic }},
		{"templates", "Words before values: file:, template:, text:", func() string { return templatesTopic }},
		{"environment", "Settings, their files and environment variables", environmentTopic},
	}
}

// newTopic is a command without anything to run.
func (a *App) newTopic(t topic) *cobra.Command {
	cmd := &cobra.Command{Use: t.name, Short: t.short}
	cmd.SetHelpFunc(func(*cobra.Command, []string) { _ = a.write([]byte(t.text())) })
	return cmd
}

func exitCodesTopic() string {
	var b strings.Builder
	b.WriteString("Every command ends with one of these statuses:\n\n")
	for _, c := range exitCodes() {
		fmt.Fprintf(&b, "%5d  %s\n", c.status, c.meaning)
	}
	b.WriteString("\nOf several problems the largest status counts.\n")
	return b.String()
}

const pathsTopic = `A path leads from the top of a resource to a value: segments with dots between
them.

  spec.replicas                        a key of a map, step by step
  spec.template.spec.containers.0      an item of a list, counted from 0
  metadata.labels.app~1kubernetes~1io/name
                                       ~1 is a dot that belongs to the key, ~0 a ~
  containers.?name=web.image           the item of a list whose name is web
  containers.*.image                   every item of a list, every value of a map
  containers.*?name=web.image          those whose name is web
  containers.0.securityContext.|user   user may be missing, what is before it not
  containers.?name=web.image#uri       a part of the value: of an image the uri or
                                       the reference; of a text a line (#3); of
                                       embedded JSON or YAML a path
A getter passes over places that do not exist. A setter creates the keys that
are missing, but no items of lists; with | before a segment, only from that one
on.

Names of parameters may stand in the paths that are registered for attributes,
as in ?name:container-name=*; 'fctl listpaths' shows them.

  fctl do deployment.yaml MyUnit get-string-path '*' metadata.name
  fctl do deployment.yaml MyUnit set-int-path apps/v1/Deployment spec.minReadySeconds 10

Quote paths with * or ? in them, or the shell may take them for names of files.
`

const whereTopic = `An expression that is true or false for each resource. --where-resource has the
functions see only the resources for which it is true; the others pass through.

  PATH OPERATOR VALUE [AND PATH OPERATOR VALUE]...

  =  !=  <  <=  >  >=           compare; text byte by byte
  LIKE  NOT LIKE  ~~  !~~       a pattern: % is any text, _ one character
  ILIKE                         the same, whatever the case of letters
  ~  !~  ~*  !~*                a regular expression; with * whatever the case
  IN (...)  NOT IN (...)        one of several values
  IS NULL  IS NOT NULL          whether there is a value; these take none

Values are numbers, true, false, or text in single quotes. A PATH leads into the
resource ('fctl help paths') or is one of

  ConfigHub.ResourceType              apps/v1/Deployment
  ConfigHub.ResourceName              shop/web
  ConfigHub.ResourceNameWithoutScope  web
  ConfigHub.ResourceNameStableCore    web, without a suffix that changes with its content
  ConfigHub.ResourceCategory          Resource

A resource without a value at PATH is not selected, whatever the operator but IS
NULL. In a.b.|c.d = 1 the part before the | has to exist, and of the part after
it != is also true when it does not. Requests and limits of containers compare
as amounts: '500m' < '1'.

  --where-resource "ConfigHub.ResourceType = 'apps/v1/Deployment' AND spec.replicas > 1"

--kind, --name, -n/--namespace and -l/--selector select as kubectl does and are
combined with it: all have to be true. The functions where-filter and
select-where-resource take the same expressions; in those of where-filter paths
may have * and ?key=value, and one match is enough.
`

const filesTopic = `-f PATH names what functions work on, instead of FILE and UNIT. It can be given
several times; each file is worked on once, in the order of the paths.

  -f web.yaml            a file
  -f apps/               the files in a directory; with -R also those below it
  -f 'apps/**/*.yaml'    the files that match, in quotes: * and ? are within a
                         name, ** is any number of directories, [a-z] a set of
                         characters, {yml,yaml} one of several
  -f -                   the standard input

A unit is called like its file: the path below the working directory, or below
the directory that was named, without extension. The toolchain is --toolchain,
else what the extension says.

In a directory, and of what matches a pattern, only configuration is read: files
with another extension, symbolic links, binary files, files without a resource,
and templates ({{ }} where YAML cannot be read) are passed over, and one note
says how many (-v: which). --strict makes errors of the last two. A file that
you name yourself is always read.

.fctlignore and .gitignore, in the directory, below it and above it up to the
top of the repository, say what is passed over without a word, in the language
of gitignore. What .fctlignore says wins: !generated/ includes again what git
ignores.

With several files the configuration is printed as one stream, that of each file
under the comment "# Source: FILE". Outputs are one array whose rows have the
Unit, reports are one report, responses one object per line. A file with a
problem does not keep the others from being worked on; the largest exit status
counts. --require-match is about all of them together.

  -i, --in-place         writes each file that changed. The new file takes the
                         place of the old one in one step, with its mode and its
                         owner: whoever reads it meanwhile reads one or the other,
                         whole. What a symbolic link leads to is written, and the
                         link stays. Files that do not change are not touched.
                         A file that somebody else changed meanwhile is an error
                         and is left as it is, and so is one that is read-only or
                         no regular file.
  -O, --output-dir DIR   writes all files into DIR, by the names of the units with
                         their extensions; nothing outside of DIR is written.
  --fsync                has it all on the disk before fctl ends
  --dry-run              does everything but write
  --check                prints the files that would change, and ends with 1 if
                         there are any
  --diff, -o FORMAT      together with one of these, prints that beside

A line on the error stream says how much changed; -q leaves it out. Temporary
files of a run that was killed are removed by the next one that writes there.
`

const templatesTopic = `An argument of a function may begin with a word that says how to read the rest:

  file:PATH       the content of a file; file:- is the standard input
  template:TEXT   a Go text template over what is known of the unit
  text:TEXT       the rest as it stands: text:then, text:file:x

A template can use .UnitSlug, .UnitID, .UnitLabels, .SpaceSlug, .SpaceID,
.OrganizationID and .RevisionNum, and the functions normalizeName, toUpper,
toLower, trimSpace, trimPrefix and trimSuffix:

  fctl do deployment.yaml MyUnit set-string-path apps/v1/Deployment metadata.name 'template:{{.UnitSlug}}-v1'

--context, environment variables and settings files say what is known of the
unit: 'fctl help environment'.
`

func environmentTopic() string {
	var b strings.Builder
	b.WriteString(`A setting comes from the first of these that has it:

  a flag
  an environment variable
  .fctl.yaml, the nearest from the working directory (or -C DIR) upwards
  your own file: --config FILE, else FCTL_CONFIG, else fctl/config.yaml in your
  configuration directory
  the default

'fctl config view --origin' shows them all and where each comes from.

`)
	for _, name := range settings.Names() {
		note := ""
		if !settings.ProjectMaySet(name) {
			note = "  (not from .fctl.yaml)"
		}
		fmt.Fprintf(&b, "  %-16s %s%s\n", name, settings.EnvName(name), note)
	}
	b.WriteString(`
.fctl.yaml comes with a repository and is not trusted: what runs programs, opens
the network or sends data anywhere is ignored there, with a note. resource-types
is a list of files ('fctl do --resource-types' reads one too), in the environment
with : between them; all places that have it count. docs/resource-types.md tells
what stands in them.

FCTL_CONFIG is your own settings file. Colour: --color, then FORCE_COLOR, then
NO_COLOR and TERM=dumb, then whether the stream is a terminal.
`)
	return b.String()
}
