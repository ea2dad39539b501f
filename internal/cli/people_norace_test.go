//go:build linux && !race

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// hostile is what a terminal obeys or does not show.
const hostile = "\x1b]0;t\a\x1b[2J\u202ex"

// canaries match the secret values of testdata/people, also in base64 wherever they begin in it.
var canaries = regexp.MustCompile(`kanaryTok|zq9x|a2FuYXJ5|thbmFyeV|rYW5hcnl`)

// steers matches what nothing that people read may have. A terminal writes \r\n for \n.
var steers = regexp.MustCompile(
	"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\u009f\u200b\u202a-\u202e\u2066-\u2069]|\r[^\r\n]")

// styles matches the styles of fctl. The hostile texts have none.
var styles = regexp.MustCompile("\x1b\\[[0-9;]*m")

// obeyed matches what CI systems obey.
var obeyed = regexp.MustCompile(`(?m)^\s*::[a-z-]+.*::|##\[|##vso\[`)

// peopleRow says how a command is run, and what its payload has.
type peopleRow struct {
	values string // "", piped or values
	lines  []string
}

func peopleRows(t *testing.T) map[string]*peopleRow {
	t.Helper()
	text, err := os.ReadFile("testdata/people.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]*peopleRow{}
	var row *peopleRow
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "  "):
			row.lines = append(row.lines, line)
		default:
			row = &peopleRow{}
			name := line
			for _, values := range []string{"values", "piped"} {
				if command, has := strings.CutSuffix(line, " "+values); has {
					name, row.values = command, values
				}
			}
			rows[name] = row
		}
	}
	return rows
}

// commandsOf returns the names of the commands that do something.
func commandsOf(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		switch {
		case c.Hidden || !c.Runnable() && !c.HasSubCommands(): // topics
		case c.HasSubCommands():
			names = append(names, commandsOf(c)...)
		default:
			names = append(names, strings.TrimPrefix(c.CommandPath(), "fctl "))
		}
	}
	return names
}

// TestCommandsForPeople runs every command on hostile input, on a pseudo terminal and in a pipe, and
// checks what people see: nothing that steers the terminal or a CI system, and no secret value
// except in the payload of commands that 'fctl help secrets' lists.
func TestCommandsForPeople(t *testing.T) {
	rows := peopleRows(t)
	a := &command.App{Streams: iostreams.New(nil, nil, nil), Executor: standard}
	root := newRoot(a, io.Discard)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	names := commandsOf(root)
	for _, name := range names {
		if rows[name] == nil {
			t.Errorf("testdata/people.txt does not say how to run fctl %s on hostile input", name)
		}
	}
	for name := range rows {
		if !slices.Contains(names, name) {
			t.Errorf("testdata/people.txt has fctl %s, which does not exist", name)
		}
	}
	compareWithHelp(t, rows)
	fixture := hostileWorkspace(t)
	for name, row := range rows {
		t.Run(name, func(t *testing.T) { row.check(t, fixture) })
	}
}

// compareWithHelp checks that help lists the commands whose payload has secret values.
func compareWithHelp(t *testing.T, rows map[string]*peopleRow) {
	t.Helper()
	text, err := helpTexts.ReadFile("help/secrets.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []struct{ values, before string }{
		{"values", "print values everywhere:"}, {"piped", "print values in a pipe or file:"},
	} {
		_, after, found := strings.Cut(string(text), list.before+"\n\n")
		block, _, _ := strings.Cut(after, "\n\n")
		var want []string
		for name, row := range rows {
			if row.values == list.values {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		var have []string
		for line := range strings.Lines(block) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
			have = append(have, name)
		}
		if slices.Sort(have); !found || !slices.Equal(have, want) {
			t.Errorf("help secrets: %s\n%s\nwant\n%s", list.before, strings.Join(have, "\n"),
				strings.Join(want, "\n"))
		}
	}
}

func standard() (*functions.Executor, error) { return functions.NewStandardExecutor(), nil }

// hostileWorkspace returns a directory with the files of testdata/people and a workspace whose texts
// are hostile, in which a link has copied a secret value.
func hostileWorkspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/people")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir+"/hostile.sh", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"ws init ws",
		"-C ws space update default --display-name HOSTILE --label t=HOSTILE",
		"-C ws unit create up ../secret.yaml --display-name HOSTILE --label t=HOSTILE " +
			"--change-desc HOSTILE",
		"-C ws unit create app ../app.yaml --display-name ::error::pwn --annotation t=HOSTILE " +
			"--change-desc '##vso[task.x]HOSTILE'",
		"-C ws link create tp app up --display-name HOSTILE --update-type TransformPaths " +
			"--upstream-path p=v1/Secret:shop/s:stringData.password " +
			"--downstream-path v1/ConfigMap:shop/app:data.x=cel:params.p",
		"-C ws link resolve tp --change-desc HOSTILE",
	} {
		out, errOut, status := runForPeople(t, dir, line, false)
		if status != 0 {
			t.Fatalf("%s: %s%s", line, out, errOut)
		}
	}
	git := exec.Command("sh", "-euc", `mkdir repo && cd repo && git init -q -b main .
cp ../secret.yaml ../app.yaml . && git add . && git commit -q -m one
cp ../changed.yaml secret.yaml && printf '# \033[2J\n' >> app.yaml && git commit -q -a -m two`)
	git.Dir = dir
	git.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME=/nonexistent",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// check runs the lines of a row.
func (row *peopleRow) check(t *testing.T, fixture string) {
	t.Helper()
	seen := map[bool]bool{} // secret values on a terminal, and in the payload of a pipe
	for _, isTerminal := range []bool{true, false} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(fixture)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir+"/hostile.sh", 0o700); err != nil {
			t.Fatal(err)
		}
		for _, line := range row.lines {
			values := row.values // in the output of the line
			for _, word := range []string{"piped", "masked"} {
				if rest, has := strings.CutPrefix(strings.TrimSpace(line), word+" "); has {
					values, line = word, rest
				}
			}
			out, errOut, _ := runForPeople(t, dir, line, isTerminal)
			people := errOut
			if isTerminal {
				people += out
			}
			if at := steers.FindString(people); at != "" {
				t.Errorf("%s, terminal %v: %q in %q", line, isTerminal, at, people)
			}
			if at := obeyed.FindString(errOut); at != "" {
				t.Errorf("%s, terminal %v: %q in %q", line, isTerminal, at, errOut)
			}
			if canaries.MatchString(errOut) {
				t.Errorf("%s, terminal %v: a secret value in the messages %q", line, isTerminal, errOut)
			}
			seen[isTerminal] = seen[isTerminal] || canaries.MatchString(out)
			if canaries.MatchString(out) && values != "values" && (isTerminal || values != "piped") {
				t.Errorf("%s, terminal %v: a secret value in %q", line, isTerminal, out)
			}
		}
	}
	want := map[bool]bool{true: row.values == "values", false: row.values != ""}
	if seen[true] != want[true] || seen[false] != want[false] {
		t.Errorf("secret values on a terminal %v, in a pipe %v, want %v, %v", seen[true],
			seen[false], want[true], want[false])
	}
}

// runForPeople runs a command line in a directory. On a terminal, both streams are the terminal,
// with the messages in errOut as far as they are not in out.
func runForPeople(t *testing.T, dir, line string, isTerminal bool) (out, errOut string, status int) {
	t.Helper()
	line, stdin, _ := strings.Cut(line, " < ")
	words, err := shellwords.Split(line)
	if err != nil {
		t.Fatal(err)
	}
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "HOSTILE", hostile)
	}
	t.Chdir(dir)
	in := "/dev/null"
	if stdin != "" {
		in = stdin
	}
	input, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close() //nolint:errcheck // it was only read
	limit := time.Minute
	if slices.Contains(words, "watch") {
		limit = 300 * time.Millisecond // it runs until it is interrupted
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	outFile, readOut := stream(t, isTerminal)
	errFile, readErr := stream(t, isTerminal)
	was := [3]*os.File{os.Stdin, os.Stdout, os.Stderr}
	os.Stdin, os.Stdout, os.Stderr = input, outFile, errFile
	streams := iostreams.System()
	os.Stdin, os.Stdout, os.Stderr = was[0], was[1], was[2]
	streams.SetEnv(func(string) string { return "" })
	status = Run(ctx, &command.App{Streams: streams, Executor: standard}, words)
	return styles.ReplaceAllString(readOut(), ""), styles.ReplaceAllString(readErr(), ""), status
}

// stream returns a file to write to, a terminal or a pipe, and what returns what was written.
func stream(t *testing.T, isTerminal bool) (*os.File, func() string) {
	t.Helper()
	read, write, err := os.Pipe()
	if isTerminal {
		read, write, err = openTerminal()
	}
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(&b, read)
		done <- err
	}()
	return write, func() string {
		_ = write.Close()
		// a terminal that nobody has open ends with EIO
		if err := <-done; err != nil && !errors.Is(err, syscall.EIO) {
			t.Error(err)
		}
		_ = read.Close()
		return b.String()
	}
}

// openTerminal opens a pseudo terminal: its two ends.
func openTerminal() (ptmx, terminal *os.File, err error) {
	ptmx, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(ptmx.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	return ptmx, terminal, err
}
