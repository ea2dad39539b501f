package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/settings"
)

// newHelp is `fctl help`. cobra's own answers an unknown topic with status 0.
func (a *App) newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command or a topic",
		RunE: func(_ *cobra.Command, words []string) error {
			cmd, rest, err := root.Find(words)
			if err != nil || len(rest) > 0 {
				problem := unknownCommand(root, "help topic", strings.Join(words, " "), "help ")
				if a.isFunction(words[0]) {
					problem.Hint = "it is a function: fctl explain " + words[0]
				}
				return problem
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if len(words) == 0 {
				for _, c := range root.Commands() {
					if !c.Hidden { // which cobra's own command for completion is
						names = append(names, c.Name()+"\t"+c.Short)
					}
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
		{"resource-types", "Teaching fctl your own resource types", func() string { return resourceTypesTopic }},
		{"schemas", "What resources are checked by, and schemas of your own", func() string { return schemasTopic }},
		{"chains", "Chains of functions in files", func() string { return chainsTopic }},
		{"files", "Which files are read, and how they are written", func() string { return filesTopic }},
		{"formats", "Formats: JSON, TOML, INI, properties, env, text, HCL", func() string { return formatsTopic }},
		{"mutations", "What a chain changed, value by value, and how to apply that elsewhere", func() string { return mutationsTopic }},
		{"secrets", "Which values are masked, and where", func() string { return secretsTopic }},
		{"merging", "How fctl merge merges, and git with it", func() string { return mergingTopic }},
		{"templates", "Words before values: file:, template:, cel:, text:", func() string { return templatesTopic }},
		{"cel", "Expressions in CEL: variables, functions, limits", func() string { return celTopic }},
		{"starlark", "Programs in Starlark: variables, modules, limits", func() string { return starlarkTopic }},
		{"environment", "Settings, their files and environment variables", environmentTopic},
	}
}

// newTopic is a command without anything to run.
func newTopic(t topic) *cobra.Command {
	cmd := &cobra.Command{Use: t.name, Short: t.short}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _, _ = io.WriteString(cmd.OutOrStdout(), t.text()) })
	return cmd
}

func exitCodesTopic() string {
	var b strings.Builder
	b.WriteString("Every command ends with one of these statuses:\n\n")
	for _, c := range exitCodes() {
		fmt.Fprintf(&b, "%5d  %s\n", c.status, strings.ReplaceAll(c.meaning, "\n", "\n       "))
	}
	b.WriteString("\nOf several problems the largest status counts. An output counts only if there is\n" +
		"something to write: -i prints nothing on the standard output, so that may be\n" +
		"closed, and with -q a run without problems prints nothing on the standard error.\n" +
		"A reader that goes away, as in 'fctl list | head', is not a problem.\n")
	return b.String()
}

const pathsTopic = `A path leads from the top of a resource to a value: segments with dots between
them.

  spec.replicas                        a key of a map, step by step
  spec.template.spec.containers.0      an item of a list, counted from 0
  metadata.labels.app~1kubernetes~1io/name
                                       ~1 is a dot within the key, ~0 is a ~
  containers.?name=web.image           the item of a list whose name is web
  containers.*.image                   every item of a list or value of a map
  containers.*?name=web.image          those whose name is web
  containers.0.securityContext.|user   only user may be missing
  containers.?name=web.image#uri       a part of the value: of an image the uri
                                       or the reference, of a flag in args the
                                       value. Which parts other values have,
                                       lines or what is in JSON or YAML text, a
                                       file about your types says:
                                       'fctl help resource-types'

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
  ConfigHub.ResourceNameStableCore    web, without a suffix that changes with
                                      its content
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

const resourceTypesTopic = `fctl knows where things are in resources of the types of Kubernetes and of many
that are added to it: images, replicas, references, which lists have elements
with names. A file says the same about your own types:

  # cache-types.yaml
  resourceTypes:
    example.com/v1/Cache:
      embeds:
        - {shape: PodTemplate, path: spec.template}
      mergeKeys:
        - {path: spec.nodes, key: name}
      attributes:
        replicas: [{path: spec.replicas, dataType: int}]
        cache-node-size: ["spec.nodes.?name:node-name=%s.size"]
        cache-log-level: [{path: "spec.settings#log.level", accessor: json}]
  attributes:
    cache-node-size: {description: the memory of cache nodes, example: 64Mi}
    cache-log-level: {description: how much caches log, enum: [info, debug]}

  fctl do --resource-types cache-types.yaml cache.yaml MyUnit set-replicas 3
  fctl do --resource-types cache-types.yaml cache.yaml MyUnit set-cache-node-size a 1Gi
  fctl explain --resource-types cache-types.yaml set-cache-node-size

embeds      the fields of a shape are at the path: PodTemplate, PodSpec,
            Container, Volumes, Workload (a template at spec.template and a
            selector), Scaled (spec.replicas), Hostname, ...
mergeKeys   paths call the elements of the list at path by the value of key
attributes  paths of an attribute. Those of the program ('fctl listpaths') make
            its functions work on the type; others get functions of their own,
            get-NAME and set-NAME, once they are described. %s is an argument
accessor    how the part behind # is reached: json, yaml or line, or one the
            file defines, such as a regular expression

'sameAs: TYPE' says that everything said of another type is true here as well.
resource-types in a settings file names files for every run. The whole
vocabulary is in docs/resource-types.md.
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
the directory that was named, without extension.

A directory means one toolchain, Kubernetes/YAML: its .yaml and .yml files,
and its .json files with apiVersion and kind. Other formats are skipped, and a
note says so. --toolchain X takes the files of X instead, --toolchain auto the
files of every format, each with its own toolchain. A file that you name and
files that match a pattern keep their own toolchain without a flag
('fctl help formats'):

  fctl do -f . -R -i set-label team shop               manifests only
  fctl do -f infra/ --toolchain OpenTofu/HCL -i set-provider-version aws '~> 6.0'
  fctl do -f '**/*.toml' -i set-path server.port 8080
  fctl do -f . -R --toolchain auto --diff search-replace old.example.com new.example.com

With files of several toolchains the line at the end counts them by toolchain.

In a directory, and among the files that match a pattern, these are skipped too,
and one note says how many (-v: which): files with another extension, symbolic
links, binary files, files without a resource, and templates ({{ }} where YAML
cannot be read). --strict makes errors of the last two. A file that you name
yourself is always read.

.fctlignore and .gitignore, in the directory, below it and above it up to the
top of the repository, list what to skip without a note, in the syntax of
gitignore. .fctlignore wins: !generated/ includes again what git ignores.

A file, pipe or device that holds more than 2 GiB is an error. --max-size SIZE,
before FUNCTION, or the setting max-size sets another limit: 500MB, 8GiB.

With several files the configuration is printed as one stream, that of each file
under the comment "# Source: FILE". Outputs are one array whose rows have the
Unit, reports are one report, responses one object per line. A file with a
problem does not keep the others from being worked on; the largest exit status
counts. --require-match is about all of them together.

  -i, --in-place         writes each file that changed. The new file takes the
                         place of the old one in one step, with its mode, its
                         owner and, on Linux, its access control list and other
                         extended attributes: whoever reads it meanwhile reads
                         one or the other, whole. What a symbolic link leads to
                         is written, and the link stays. Files that do not
                         change are not touched.
                         No update is lost: other fctl processes wait for a file
                         from before it is read until it is written, except on
                         Windows and on file systems without locks. A file that
                         another program changes meanwhile (its content, owner
                         or permissions) is an error and is left as it is, and
                         so is one that is read-only or not a regular file.
  -O, --output-dir DIR   writes all files into DIR, by the names of the units
                         with their extensions; nothing outside of DIR is
                         written.
  --fsync                has it all on the disk before fctl ends
  --dry-run              does everything but write
  --check                prints the files that would change, and ends with 1 if
                         there are any
  --diff, -o FORMAT      together with one of these, prints that beside

A line on the error stream says how much changed; -q leaves it out. On SIGINT,
SIGTERM and SIGHUP fctl finishes the files that it is writing and ends; a second
signal ends it at once. A run that was killed may leave a temporary file
(.fctl-*.tmp), which the next run that writes the same file replaces.
`

const mutationsTopic = `-o mutations prints what the functions changed instead of the configuration. On
a terminal that is a line for each value,

  ~ apps/v1/Deployment shop/web  spec.replicas: 3 -> 5   by set-replicas

and otherwise JSON: a list with an entry for each resource that changed, which
is Resource, ResourceMutationInfo for the resource as a whole, PathMutationMap
for its values, and the names it has had. Each of them has these fields:

  MutationType   Add, Update, Delete or Replace; None for one that is the same
  Index          the position of the last function that changed it, from 0
  Value          YAML: the new value, of a Delete the old one
  Patch          of texts of several lines the difference; of texts that are
                 JSON, too
  Protected      true: the place may not be overwritten

What was changed and changed back is not there, nor is what a function did that
failed. Comments, order of keys, quotes and layout are no values. Elements of
lists are called

  ?name=web;@0            by their merge key; behind ;@ the index, as a hint
  ?port=53,protocol=UDP;@1
  ?~h=1b9d3f0c;@2         without a merge key by the digest of their value
  ?~h=+1b9d3f0c;@2        and those that are new

and ArrayOrders has the order of elements with merge keys where it changed,
ArrayElementAliases the new keys of those that got another one. An index alone
(containers.0.image) is understood, too.

  compute-mutations BEFORE   what changed since the configuration was BEFORE
  patch-mutations PROTECTION PATCH [OWN]
                             applies mutations to any variant of the
                             configuration: resources and elements are found by
                             name, wherever they are. What is protected, or was
                             changed there (OWN), stays; what cannot be applied
                             is told as a conflict
  set-protection LIST PLACES protects places in a list of mutations
  reset LIST                 makes the values at its paths placeholders again
  fctl diff A B -o patch     mutations of two files or directories

  fctl do -o mutations staging.yaml Web set-replicas 5 > patch.json
  fctl do -i production.yaml Web patch-mutations [] file:patch.json
`

const templatesTopic = `An argument of a function may begin with a word that says how to read the rest:

  file:PATH       the content of a file; file:- is the standard input. A URL,
                  file://..., is literal
  template:TEXT   a Go text template over what is known of the unit
  cel:TEXT        a CEL expression over what is known of the unit:
                  'fctl help cel'
  text:TEXT       the rest, literally: text:then, text:file:x

After "--" these words mean nothing and values are literal, but for those of
--param=value: 'fctl do FILE UNIT set-annotation -- source file:x'.

A template can use .UnitSlug, .UnitID, .UnitLabels, .SpaceSlug, .SpaceID,
.OrganizationID, .RevisionNum and the other fields of the context, .Params (of
an invocation in a list, or KEY=VALUE arguments of set-template), what
text/template has, and these functions:

  normalizeName S         lower-case letters, digits and dashes alone
  toUpper S, toLower S, trimSpace S
  trimPrefix S PREFIX, trimSuffix S SUFFIX
  replace FROM TO S       every FROM
  default OTHER X         OTHER if X is empty
  quote X, toJson X, toYaml X, b64enc S

  fctl do deployment.yaml MyUnit set-string-path apps/v1/Deployment metadata.name 'template:{{.UnitSlug}}-v1'
  fctl do deployment.yaml MyUnit set-template '{{.UnitSlug}} in {{.Params.zone}}' metadata.annotations.origin zone=eu

What a template asks for and is not known is an error; {{index .UnitLabels "x"}}
is "" when there is no such label. The result of an expression in cel: is a
text, a number or a bool; functionContext has the fields, params the parameters:

  fctl do deployment.yaml MyUnit set-name 'cel:functionContext.UnitSlug + "-v1"'

--context, environment variables and settings files say what is known of the
unit: 'fctl help environment'.
`

const celTopic = `CEL is the expression language of Kubernetes' admission policies; vet-celexpr,
vet-cel, get-cel and set-cel evaluate an expression for each resource, and a
value may be one: 'fctl help templates'.

  object, r          the resource (r is shorter)
  params             KEY=VALUE arguments: params.zone, params["zone"]
  functionContext    what is known of the unit: functionContext.UnitSlug, ...

  fctl do deployment.yaml MyUnit vet-celexpr 'r.kind != "Deployment" || r.spec.replicas > 1'
  fctl do deployment.yaml MyUnit vet-cel 'object.metadata.name.size() <= int(params.most)' most=20
  fctl do deployment.yaml MyUnit get-cel '[{"Path": "metadata.name", "Value": r.metadata.name}]'
  fctl do deployment.yaml MyUnit set-cel '{"metadata": {"labels": {"zone": params.zone}}}' zone=eu

A field that may be missing is asked for before it is used, or has a value in
its place: has(r.spec.replicas), r.spec.?replicas.orValue(1).

vet-celexpr   true or false
vet-cel       true or false, or {"passed": BOOL, "details": [TEXT...],
              "failed_attributes": [ROW...]}
get-cel       a list of rows {"Path": TEXT, "Value": ANY}; a row may also have
              ResourceName, ResourceType, AttributeName, DataType and Comment
set-cel       a map that is merged into the resource: what it does not mention
              stays, null removes. A list of maps that have the list's merge key
              (the name of a container) changes the elements with these keys and
              appends the others; any other list takes the place of the old one.

Besides CEL's own there are the functions that admission policies have:

  text        charAt, endsWith, format, indexOf, join, lastIndexOf, lowerAscii,
              replace, reverse, split, startsWith, substring, trim, upperAscii
  RE2         matches, find, findAll, regex.extract, regex.extractAll,
              regex.replace
  lists       all, exists, exists_one, filter, map, indexOf, lastIndexOf,
              isSorted, sum, min, max, sort, sortBy, distinct, flatten, reverse,
              slice, lists.range, and with two variables transformList,
              transformMap
  sets        sets.contains, sets.equivalent, sets.intersects
  numbers     math.greatest, math.least, math.ceil, math.floor, math.round, ...
  quantity    quantity("1.5Gi"), isQuantity; add, sub, compareTo, isLessThan,
              isGreaterThan, sign, isInteger, asInteger, asApproximateFloat
  url         url, isURL; getScheme, getHost, getHostname, getPort,
              getEscapedPath, getQuery
  ip, cidr    ip, isIP, cidr, isCIDR; family, isLoopback, containsIP,
              containsCIDR, prefixLength, masked, ...
  format      format.dns1123Label().validate(TEXT), and dns1123Subdomain,
              dns1035Label, qualifiedName, labelValue, uri, uuid, byte, date,
              datetime; nothing when TEXT is right, else what is wrong
  optional    a.?b, a[?b], optional.of, hasValue, value, or, orValue, optMap
  others      base64.encode, base64.decode, cel.bind

An expression sees no files, environment, network or clock; time zones are
offsets such as "+02:00". One evaluation may cost 1000000 units, as in
Kubernetes. Nothing else limits its time and memory.
`

const starlarkTopic = `Starlark is a small dialect of Python. A program runs on each resource by
itself.

  r, object          the resource: dicts, lists, strings, numbers, bools, None
  params             dict of the KEY=VALUE arguments: params["zone"]
  functionContext    dict of what is known of the unit:
                     functionContext["UnitSlug"]
  json               json.encode, json.decode, json.indent
  re                 re.sub(pattern, repl, s, count=0), re.search(pattern, s),
                     re.match(pattern, s), re.findall(pattern, s), in RE2; a
                     match has group, groups, start and end; in repl \1 or $1,
                     \g<name> or ${name} stand for groups

set-starlark runs the program; what it does to r is done to the resource. Only
values that it changed are written, comments stay. get-starlark calls its
function extract(r), which returns a list of rows {"Path": ..., "Value": ...};
vet-starlark calls validate(r), which returns True, False or {"passed": ...,
"details": [...], "failed_attributes": [rows]}.

  for c in r.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
      c["image"] = re.sub("^docker.io/", params["mirror"] + "/", c["image"])

  fctl do deployment.yaml MyUnit set-starlark file:mirror.star mirror=registry.example.com
  fctl do deployment.yaml MyUnit set-starlark 'r["metadata"].setdefault("labels", {})["zone"] = params["zone"]' zone=eu
  fctl do deployment.yaml MyUnit vet-starlark 'def validate(r): return len(r["metadata"]["name"]) < 20'

A program sees no files, environment, network or clock, and its functions
cannot call themselves. It may take 10000000 steps for a resource and give
2000000 values. Nothing limits the memory that it takes, so run only programs
that you trust. What it prints is a note on stderr.
`

func environmentTopic() string {
	var b strings.Builder
	b.WriteString(`A setting comes from the first of these that has it:

  a flag
  an environment variable
  .fctl.yaml, the nearest from the working directory (or -C DIR) upwards to the
  top of its git repository or to your home directory
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
		fmt.Fprintf(&b, "  %-19s %s%s\n", name, settings.EnvName(name), note)
	}
	b.WriteString(`
resource-types and schema are lists of files, in the environment with : between
them; all places that have them count. 'fctl help resource-types' and
'fctl help schemas' describe the files.

.fctl.yaml comes with a repository, so fctl does not trust it:

  Settings that run programs, open the network or send data anywhere are ignored
  there, with a note.
  It must belong to you or to root, as must its directory; otherwise it is
  ignored, with a note. Outside of git repositories and of your home directory,
  only the working directory is searched.
  The files it names must lie below its directory, where links lead included.
  A note names the built-in types whose paths or schemas they change.
  It has at most 1 MiB, the files it names 64 MiB.

--no-project-settings leaves it out.

FCTL_CONFIG is your own settings file. Colour: --color, then FORCE_COLOR, then
NO_COLOR and TERM=dumb, then whether the stream is a terminal.
`)
	return b.String()
}
