//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/shellwords"
)

// writerRows are the commands that write files, by name as in docs/cli.md, and the words to run in
// a directory that writable made. Rows in ws change the workspace as a whole or not at all; others
// change one file after the other. A row with < reads a file as its standard input.
func writerRows() map[string][]string {
	return map[string][]string{
		"do": {
			"do -i -f pkg -R set-annotation k v",
			"do -f pkg -R -O out set-annotation k v",
		},
		"doseq": {
			`doseq -f pkg -R -i '[{"FunctionName": "set-replicas", "Arguments": [{"Value": 9}]}]'`,
		},
		"vet": {
			"vet -f bad -R --policy best-practice --fix -i",
			"vet -f bad -R --policy restricted --write-baseline baseline.yaml",
		},
		"images set":  {"images set -i nginx 9 pkg", "images set nginx 9 pkg -O out"},
		"images pin":  {"images pin -i images.lock ."},
		"images move": {"images move -i mirror.example.com pkg"},
		"merge": {
			"merge -i pkg/a.yaml pkg/b.yaml theirs/a.yaml",
			"merge -i pkg ours theirs",
			"merge pkg ours theirs -O out",
		},
		"fn eval": {
			"fn eval pkg --image set-annotations:v0.1 --keep-io io --results-dir results -- k=v",
			"fn eval pkg --image set-annotations:v0.1 -o out -- k=v",
			"fn eval pkg --image starlark:v0.4 -- 'source=for r in " +
				"ctx.resource_list[\"items\"]: r[\"metadata\"][\"annotations\"] = " +
				"{\"internal.config.kubernetes.io/path\": \"moved/\" + r[\"metadata\"][\"name\"] + \".yaml\"}'",
		},
		"fn render":     {"fn render kpt"},
		"fn run":        {"fn run pkg --image set-annotations:v0.1 -- k=v"},
		"fn sink":       {"fn sink out < list.yaml"},
		"fn init":       {"fn init made --lang go"},
		"fn test":       {"fn test golden --image set-annotations:v0.1 --update"},
		"bundle render": {"bundle render bundle.yaml -O out"},
		"unit data":     {"-C ws unit data a -o ../out.yaml"},

		"ws init":      {"-C pkg ws init"},
		"space create": {"-C ws space create prod"},
		"space update": {"-C ws space update default --label k=v"},
		"space rename": {"-C ws space rename default prod"},
		"space delete": {"-C ws space delete default"},
		"unit create": {
			"-C ws unit create c ../theirs/a.yaml",
			"-C ws unit create d --upstream-unit a",
		},
		"unit update":        {"-C ws unit update b ../theirs/a.yaml"},
		"unit do":            {"-C ws unit do a set-annotation k v"},
		"unit rename":        {"-C ws unit rename a z"},
		"unit delete":        {"-C ws unit delete a --force"},
		"unit protect":       {"-C ws unit protect a ConfigMap/a data.text"},
		"unit livestate set": {"-C ws unit livestate set a ../theirs/a.yaml"},
		"link create":        {"-C ws link create - b a --update-type UpgradeUnit"},
		"link update":        {"-C ws link update --patch upgrade-e --no-auto-update"},
		"link resolve":       {"-C ws link resolve upgrade-e"},
		"link delete":        {"-C ws link delete upgrade-e"},
		"filter create":      {"-C ws filter create g --from Unit"},
		"filter delete":      {"-C ws filter delete f"},
		"invocation create":  {"-C ws invocation create j set-annotation k v"},
		"invocation delete":  {"-C ws invocation delete i"},
		"import":             {"-C ws import --create-space --id-map ../ids.json ../export.json"},
		"ws clone":           {"-C ws ws clone default copy"},
		"undo":               {"-C ws undo"},
	}
}

// notWriters are the commands that write no file or write as another command does.
func notWriters() map[string]string {
	reasons := map[string]string{}
	for reason, names := range map[string]string{
		"only prints": "bundle explain,bundle graph,bundle plugins,bundle to-delete," +
			"bundle validate,completion bash,completion fish,completion powershell," +
			"completion zsh,config view,diff,explain,export,filter get,filter list,fn doc," +
			"fn explain,fn source,fn wrap,fn xargs,functionconfig check,functionconfig crd," +
			"functionconfig list,invocation get,invocation list,krm,link doctor,link explain," +
			"link get,link graph,link list,link plan,link verify,list,listpaths,mutation list,ok," +
			"plugin test,review,revision data,revision list,shutdown,space get,space list,unit diff," +
			"unit get,unit list,unit livestate get,unit order,unit tree,version," +
			"ws attributes,ws graph,ws log,ws plan,ws status",
		"commits as unit update does": "unit conflicts,unit resolve-self,watch,ws conflicts,ws convert," +
			"ws watch",
		"commits as link resolve does": "ws promote,ws resolve,ws upgrade",
		"does what undo does":          "ws undo",
		"commits as link create does":  "link infer",
		"writes only to repair":        "ws check",
		"answers a client":             "lsp,serve",
		"starts fctl do -i":            "mcp",
	} {
		for name := range strings.SplitSeq(names, ",") {
			reasons[name] = reason
		}
	}
	return reasons
}

// TestWritersAreListed fails for a command that neither has a row nor is said to write nothing.
func TestWritersAreListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, reasons := writerRows(), notWriters()
	found := regexp.MustCompile(`(?m)^## fctl (.+)$`).FindAllStringSubmatch(string(text), -1)
	for i, match := range found {
		name := match[1]
		isGroup := i+1 < len(found) && strings.HasPrefix(found[i+1][1], name+" ")
		switch {
		case rows[name] != nil && reasons[name] != "":
			t.Errorf("fctl %s has a row and a reason", name)
		case rows[name] == nil && reasons[name] == "" && !isGroup:
			t.Errorf("fctl %s has neither a row nor a reason", name)
		}
		delete(rows, name)
		delete(reasons, name)
	}
	for name := range rows {
		t.Errorf("there is no command fctl %s", name)
	}
	for name := range reasons {
		t.Errorf("there is no command fctl %s", name)
	}
}

// long is a text with a comment that is longer than a few blocks of a disk.
func long(text string) string {
	return text + strings.Repeat("# a comment that is as long as others\n", 90)
}

func configMap(name, more string) string {
	return long("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n" +
		"  text: a\n" + more)
}

// writable makes a directory in which every command has something to write.
func writable(t *testing.T) (dir string) {
	t.Helper()
	dir = inMemory(t)
	deployment := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n" +
		"  replicas: 1\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata:\n" +
		"      labels: {app: web}\n    spec:\n      containers:\n      - name: web\n" +
		"        image: nginx:1\n"
	list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	for i := range 40 {
		list += fmt.Sprintf("- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: c%d\n"+
			"    annotations: {internal.config.kubernetes.io/path: f%d.yaml}\n  data: {text: %s}\n",
			i, i%2, strings.Repeat("a", 80))
	}
	texts := map[string]string{
		"list.yaml": list, "images.lock": "nginx:1@sha256:" + strings.Repeat("0f", 32) + "\n",
		"bundle.yaml": "apiVersion: smith.atlassian.com/v1\nkind: Bundle\n" +
			"metadata: {name: ab, namespace: ns}\nspec:\n  resources:\n",
		"kpt/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline:\n" +
			"  mutators:\n  - image: set-annotations:v0.1\n    configMap: {k: v}\n",
		"golden/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n" +
			"data: {k: v}\n",
		"golden/expected.yaml": configMap("old", ""), "golden/input.yaml": configMap("a", ""),
	}
	for _, name := range []string{"a", "b"} {
		for _, in := range []string{"pkg", "kpt", "ours"} {
			texts[in+"/"+name+".yaml"] = configMap(name, "")
		}
		texts["theirs/"+name+".yaml"] = configMap(name, "  more: b\n")
		texts["bad/"+name+".yaml"] = long(strings.ReplaceAll(deployment, "web", name))
		texts["bundle.yaml"] += "  - name: " + name + "\n    spec:\n      object:\n" +
			"        apiVersion: v1\n        kind: ConfigMap\n        metadata: {name: " + name +
			"}\n        data: {text: " + strings.Repeat("a", 3000) + "}\n"
	}
	texts["pkg/web.yaml"] = long(deployment)
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
	for _, words := range []string{
		"ws init ws",
		"-C ws unit create a ../pkg/a.yaml", "-C ws unit create b ../pkg/b.yaml",
		"-C ws filter create f --from Unit", "-C ws invocation create i set-annotation k v",
		"-C ws unit create e --upstream-unit a",
		"-C ws unit do --no-propagate a set-annotation first 1",
	} {
		if status, out := ends(t, dir, words, ""); status != 0 {
			t.Fatalf("%s: status %d: %s", words, status, out)
		}
	}
	out, err := prepared(t, dir, "-C ws export --space '*'", "").Output()
	if err != nil {
		t.Fatal(err)
	}
	out = bytes.ReplaceAll(out, []byte(`"default"`), []byte(`"imported"`))
	if err := os.WriteFile(filepath.Join(dir, "export.json"), out, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// prepared prepares the words of a row in a directory. before are commands of a shell.
func prepared(t *testing.T, dir, words, before string) *exec.Cmd {
	t.Helper()
	words, input, _ := strings.Cut(words, " < ")
	args, err := shellwords.Split(words)
	if err != nil {
		t.Fatal(err)
	}
	cmd := process(t, args...)
	if before != "" {
		before += `; exec -a fctl "$0" "$@"`
		cmd = exec.Command("bash", append([]string{"-c", before, cmd.Path}, args...)...)
	}
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000")
	if input != "" {
		text, err := os.ReadFile(filepath.Join(dir, input))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdin = bytes.NewReader(text)
	}
	return cmd
}

// ends runs the words of a row, and returns its status and output.
func ends(t *testing.T, dir, words, before string) (status int, out string) {
	t.Helper()
	cmd := prepared(t, dir, words, before)
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(said)
}

// state returns the modes and contents of all files below a directory, without the lock,
// the index and the records for undo in .fctl.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if _, private, in := strings.Cut(rel, ".fctl/"); in && (private == "lock" ||
			strings.HasPrefix(private, "index") || strings.HasPrefix(private, "undo/")) {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		text = randomID.ReplaceAll(text, nil)
		all[rel] = fmt.Sprintf("%v %s", info.Mode(), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// randomID is the ID of a workspace.
var randomID = regexp.MustCompile(`(?m)^WorkspaceID: .*$`)

// partial returns a problem, such as a file that is neither unchanged nor completely changed. A
// command on a workspace changes all files or none.
func partial(was, is, wanted map[string]string, whole bool) string {
	if whole && !maps.Equal(is, was) && !maps.Equal(is, wanted) {
		for name := range is {
			if strings.Contains(name, ".fctl-") || strings.HasSuffix(name, ".fctl/journal") {
				return name + " is left"
			}
		}
		var part []string
		for name := range wanted {
			if is[name] != was[name] {
				part = append(part, name)
			}
		}
		return fmt.Sprintf("a part of the changes is made: %q", part)
	}
	for name, text := range is {
		before, existed := was[name]
		if after, made := wanted[name]; (!existed || text != before) && (!made || text != after) {
			return name + " is neither as it was nor as it was to be"
		}
	}
	for name := range was {
		_, here := is[name]
		if _, stays := wanted[name]; !here && stays {
			return name + " is gone"
		}
	}
	return ""
}

// eachWriter runs the command of every row, and calls check with its effect.
func eachWriter(t *testing.T, check func(t *testing.T, row writerRow)) {
	t.Helper()
	template := writable(t)
	was := state(t, template)
	for name, rows := range writerRows() {
		for i, words := range rows {
			t.Run(fmt.Sprintf("%s %d", name, i), func(t *testing.T) {
				t.Parallel()
				row := writerRow{words: words, template: template, was: was}
				row.whole = strings.HasPrefix(words, "-C ws ") && name != "unit data" ||
					name == "ws init"
				dir := row.copied(t)
				began := time.Now()
				status, out := ends(t, dir, words, "")
				row.took, row.status = time.Since(began), status
				if row.wanted = state(t, dir); status > 1 || maps.Equal(was, row.wanted) {
					t.Fatalf("it writes nothing: status %d: %s", status, out)
				}
				check(t, row)
			})
		}
	}
}

// writerRow is a row with its effect.
type writerRow struct {
	words, template string
	was, wanted     map[string]string
	status          int
	took            time.Duration
	whole           bool // all changes are made or none
}

// copied returns a copy of the directory.
func (r *writerRow) copied(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(inMemory(t), "copy")
	if out, err := exec.Command("cp", "-a", r.template, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out) // os.CopyFS changes modes
	}
	return dir
}

// checkAfter checks the files of a command that ended early, and that the workspace is usable.
func (r *writerRow) checkAfter(t *testing.T, dir, out string) {
	t.Helper()
	is := state(t, dir)
	if problem := partial(r.was, is, r.wanted, r.whole); problem != "" {
		t.Errorf("%s: %s", problem, out)
	}
	if strings.HasPrefix(r.words, "-C ws ") {
		if status, said := ends(t, dir, "-C ws unit list --space '*'", ""); status != 0 ||
			strings.Contains(said, "interrupted") {
			t.Errorf("afterwards: status %d: %s", status, said)
		}
		if later := state(t, dir); !maps.Equal(is, later) {
			t.Error("it takes effect later")
		}
	}
}

// TestWritersEndCleanly runs every command that writes without space, and ends it with a signal.
func TestWritersEndCleanly(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash sets the limit on the size of files")
	}
	eachWriter(t, func(t *testing.T, row writerRow) {
		withoutSpace(t, &row)
		onFullDisk(t, &row)
		endBySignal(t, &row)
	})
}

// withoutSpace runs a command with limits on the size of files, which simulate a full disk, each at
// another moment.
func withoutSpace(t *testing.T, row *writerRow) {
	t.Helper()
	limits := []int{2}
	if os.Getenv("LONG") != "" {
		limits = []int{0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32}
	}
	for _, limit := range limits {
		dir := row.copied(t)
		status, out := ends(t, dir, row.words, fmt.Sprintf("ulimit -f %d", limit))
		if status == row.status && maps.Equal(state(t, dir), row.wanted) {
			continue // nothing is that large
		}
		if status != 4 || !strings.Contains(out, "file too large") {
			t.Errorf("%d KiB: status %d: %s", limit, status, out)
		}
		row.checkAfter(t, dir, fmt.Sprintf("%d KiB: %s", limit, out))
	}
}

// full runs the words of a row in a small file system of its own, which only the process sees, with
// few free blocks. Its arguments are a directory, a new one for a copy of what is there afterwards,
// the number of blocks, the program and its words.
const full = `
disk=$2.disk
mkdir "$disk" && mount -t tmpfs -o size=4m tmpfs "$disk" && cp -a "$1" "$disk/copy" || exit 99
head -c $(( ($(stat -f -c '%a' "$disk") - $3) * $(stat -f -c '%S' "$disk") )) /dev/zero > "$disk/pad"
cd "$disk/copy"; to=$2; shift 3
(exec -a fctl "$@"); status=$?
rm "$disk/pad"; cp -a . "$to"
exit $status`

// onFullDisk runs a command on a disk that has no more than a few free blocks.
func onFullDisk(t *testing.T, row *writerRow) {
	t.Helper()
	if exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt").Run() != nil {
		t.Log("not tested on a full disk: no file system can be mounted")
		return
	}
	most, step := 9, 3
	if os.Getenv("LONG") != "" {
		most, step = 24, 1
	}
	for free := 0; free <= most; free += step {
		dir := filepath.Join(inMemory(t), "after")
		cmd := prepared(t, row.template, row.words, "")
		cmd.Args = slices.Concat([]string{
			"unshare", "-rm", "bash", "-c", full, "bash", row.template, dir, fmt.Sprint(free),
			cmd.Path,
		}, cmd.Args[1:])
		path, err := exec.LookPath("unshare")
		if err != nil {
			t.Fatal(err)
		}
		cmd.Path = path
		said, _ := cmd.CombinedOutput() // the status follows
		status, out := cmd.ProcessState.ExitCode(), string(said)
		if status == row.status && maps.Equal(state(t, dir), row.wanted) {
			return // there is enough space
		}
		if status != 4 || !strings.Contains(out, "no space left") {
			t.Errorf("%d free blocks: status %d: %s", free, status, out)
		}
		row.checkAfter(t, dir, fmt.Sprintf("%d free blocks: %s", free, out))
	}
}

// endBySignal ends a command with a signal at a random moment.
func endBySignal(t *testing.T, row *writerRow) {
	t.Helper()
	rounds := 1
	if os.Getenv("LONG") != "" {
		rounds = 30
	}
	ended := map[int]int{}
	for i := range rounds {
		e := endings[i%len(endings)]
		dir := row.copied(t)
		cmd := prepared(t, dir, row.words, "")
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(row.took/5 + rand.N(row.took))
		_ = cmd.Process.Signal(e.signal)
		_ = cmd.Wait() // ProcessState has the outcome
		status := cmd.ProcessState.ExitCode()
		ended[status]++
		killed := status == -1 && cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == e.signal
		if status != row.status && status != e.status && !killed { // before it had a handler
			t.Errorf("%v: status %d: %s", e.signal, status, said.String())
		}
		row.checkAfter(t, dir, said.String())
	}
	if rounds > 1 {
		t.Logf("%d times: %v", rounds, slices.Sorted(maps.Keys(ended)))
	}
}
