package envkit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	compose "github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/google/go-cmp/cmp"
	"github.com/joho/godotenv"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/envkit"
)

// readers are the programs that must read every edited text the same.
var readers = map[string]func(t *testing.T, texts []string) []map[string]string{
	"compose":  readWithCompose,
	"godotenv": readWithGo,
	"dotenv":   readWithNode,
	"sh":       readWithShell,
}

func readWithCompose(t *testing.T, texts []string) []map[string]string {
	var all []map[string]string
	for _, text := range texts {
		variables, err := compose.UnmarshalWithLookup(text,
			func(string) (string, bool) { return "", false })
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		all = append(all, variables)
	}
	return all
}

func readWithGo(t *testing.T, texts []string) []map[string]string {
	var all []map[string]string
	for _, text := range texts {
		variables, err := godotenv.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		all = append(all, variables)
	}
	return all
}

func readWithNode(t *testing.T, texts []string) []map[string]string {
	const program = `
		const dotenv = require("dotenv"), texts = JSON.parse(require("fs").readFileSync(0))
		console.log(JSON.stringify(texts.map(text => dotenv.parse(text))))`
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node to compare with")
	}
	if exec.Command(node, "-e", `require("dotenv")`).Run() != nil {
		t.Skip("node has no dotenv to compare with: npm install dotenv, and NODE_PATH")
	}
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node, "-e", program)
	c.Stdin, c.Stderr = bytes.NewReader(in), os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func readWithShell(t *testing.T, texts []string) []map[string]string {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh to compare with")
	}
	dir := t.TempDir()
	for i, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%05d", i)),
			[]byte(strings.ReplaceAll(text, "\r\n", "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(
		sh, "-c",
		`for f in "$0"/*; do env -i sh -c 'set -a; . "$0"; env -0' "$f" || exit; printf '\0'; done`,
		dir)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	for of := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00\x00"), "\x00\x00") {
		variables := map[string]string{}
		for variable := range strings.SplitSeq(of, "\x00") {
			key, value, _ := strings.Cut(variable, "=")
			variables[key] = value
		}
		all = append(all, variables)
	}
	return all
}

// randomText returns a text of characters that break when they are not quoted properly.
func randomText(d formattest.Dice) string {
	var b strings.Builder
	for range d(6) {
		b.WriteString(formattest.Pick(d, "a", "it", "x1", " ", "'", `"`, `\`, "$", "${A}", "$A",
			"#", " # ", "`", "\n", `\n`, `\"`, "=", ":", ";", "&", "|", "!", "~", "*", "(", ")",
			"é", "日", "\t", "/", ",", "{", "}", "\r", "\u00a0"))
	}
	return b.String()
}

// TestReaders sets random values in random files, as new variables and in place of old ones. Every
// reader must read the new value, and the other variables as before.
func TestReaders(t *testing.T) {
	count := 200
	if os.Getenv("LONG") != "" {
		count = 1500
	}
	r := rand.New(rand.NewPCG(1, 2))
	dice := formattest.Dice(r.IntN)
	var before, after, keys, values []string
	refused := 0
	for range count {
		end := formattest.Pick(dice, "\n", "\n", "\n", "\r\n")
		var b strings.Builder
		for i := range 1 + dice(4) {
			b.WriteString(formattest.Pick(dice, "", "", "# it's \"so # far"+end, end, "export "))
			fmt.Fprintf(&b, "K%d=", i)
			b.WriteString(formattest.Pick(dice, "", "1", "word", "a:b/c", "'single # q'",
				`"double q"`, `"two`+end+`lines"`, `'two`+end+`lines'`, `"x" # note`, "x # note",
				`""`, `''`, `"it's"`, `'"'`))
			b.WriteString(end)
		}
		key, value := formattest.Pick(dice, "K0", "K1", "K2", "NEW"), randomText(dice)
		docs, err := envkit.Converter{}.NativeToDocuments([]byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := docs[0].Set(value, key); err != nil {
			refused++
			continue
		}
		edited, err := envkit.Converter{}.DocumentsToNative(docs)
		if err != nil && end == "\r\n" && strings.Contains(value, "\n") {
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("%s = %q in\n%s\n%v", key, value, b.String(), err)
		}
		before, after, keys, values = append(before, b.String()), append(after, string(edited)),
			append(keys, key), append(values, value)
	}
	if refused > count/3 {
		t.Errorf("%d of %d texts were refused", refused, count)
	}
	for name, read := range readers {
		t.Run(name, func(t *testing.T) {
			old, now := read(t, before), read(t, after)
			for i, have := range now {
				if name == "sh" && strings.Contains(after[i], "\r\n") {
					continue // the shell cannot read such a text
				}
				want := old[i]
				if strings.Contains(want[keys[i]], "\r\n") {
					// the lines of a multi-line value end like those of the text, and compose keeps
					// the carriage returns
					have[keys[i]] = strings.ReplaceAll(have[keys[i]], "\r\n", "\n")
				}
				want[keys[i]] = values[i]
				delete(want, "_")
				delete(have, "_")
				if diff := cmp.Diff(want, have); diff != "" {
					t.Errorf("%s = %q (-want +%s)\n%s\nin\n%s\nbefore\n%s", keys[i], values[i],
						name, diff, after[i], before[i])
				}
			}
		})
	}
}
