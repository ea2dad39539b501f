package inikit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/inikit"
)

// sample is a text with its values by key, joined with dots.
type sample struct {
	text   string
	leaves map[string]string
}

// samples returns random texts, each as it is and with one value changed.
func samples(t *testing.T, n int, generate func(formattest.Dice) string) []sample {
	r := rand.New(rand.NewPCG(1, 2))
	dice := formattest.Dice(r.IntN)
	var all []sample
	for range n {
		text := generate(dice)
		docs, err := inikit.Converter{}.NativeToDocuments([]byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		leaves := formattest.Leaves(docs[0].Data())
		all = append(all, sample{text, leaves})
		key := formattest.Pick(dice, "a.x", "remote.origin.x", "core.name", "b.name")
		value := formattest.Pick(dice, "x", "7", "two words", "a # b", " lead", "trail ", `say "x"`,
			`back\slash`, "é", "l1\nl2", "k=v: w", "[a]", "it's; so",
			";x", "x ; y", "#", `"q"`, `'q' # "r"`, "a\n\nb", "a\n#b", "\u00a0x", "x\u2003",
			"\x1cx", "a\u2028b", "a\vb", "100%", "a\\", "50% ;")
		if _, err := docs[0].Set(value, strings.Split(key, ".")...); err != nil {
			continue
		}
		edited, err := inikit.Converter{}.DocumentsToNative(docs)
		if err != nil {
			t.Fatalf("%s = %q in\n%s\n%v", key, value, text, err)
		}
		leaves = formattest.Leaves(docs[0].Data())
		if leaves[key] != value {
			t.Fatalf("%s is %q, not %q", key, leaves[key], value)
		}
		all = append(all, sample{string(edited), leaves})
	}
	return all
}

func compare(t *testing.T, s sample, want map[string]string) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if s.leaves[key] != want[key] {
			t.Fatalf("%q is %q, not %q in\n%s", key, s.leaves[key], want[key], s.text)
		}
	}
	if len(s.leaves) != len(want) {
		t.Fatalf("%q, not %q in\n%s", s.leaves, want, s.text)
	}
}

// readWithPython reads with the defaults of configparser, except that duplicates are allowed and
// the case of keys is kept.
const readWithPython = `
import configparser, io, json, sys
def read(text):
    p = configparser.RawConfigParser(strict=False, default_section="\0")
    p.optionxform = str
    p.read_file(io.StringIO(text, newline=None))
    return [[s, k, v] for s in p.sections() for k, v in p.items(s)]
json.dump([read(t) for t in json.load(sys.stdin)], sys.stdout)
`

// TestConfigparser compares with Python.
func TestConfigparser(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 to compare with")
	}
	all := samples(t, 1000, generate)
	var texts []string
	for _, s := range all {
		texts = append(texts, s.text)
	}
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "-c", readWithPython)
	c.Stdin = bytes.NewReader(in)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var read [][][3]any
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatal(err)
	}
	for i, s := range all {
		want := map[string]string{}
		for _, entry := range read[i] {
			want[fmt.Sprint(entry[0], ".", entry[1])] = fmt.Sprint(entry[2])
		}
		compare(t, s, want)
	}
}

// TestGit compares with git.
func TestGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git to compare with")
	}
	for _, s := range samples(t, 200, generateGit) {
		c := exec.Command(git, "config", "--file", "-", "--list", "-z")
		c.Stdin = strings.NewReader(s.text)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %s in\n%s", err, err.(*exec.ExitError).Stderr, s.text)
		}
		want := map[string]string{}
		for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if key, value, ok := strings.Cut(entry, "\n"); ok {
				want[key] = value
			} else if entry != "" {
				want[entry] = "<nil>"
			}
		}
		compare(t, s, want)
	}
}
