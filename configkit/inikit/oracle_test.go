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

	"github.com/go-ini/ini"

	"github.com/fctl-dev/fctl/configkit/inikit"
	"github.com/fctl-dev/fctl/configkit/nativekit/nativetest"
)

// sample is a text and the values in it, under their keys joined with dots.
type sample struct {
	text   string
	leaves map[string]string
}

// samples are random texts, each as it is and with a value set to something else.
func samples(t *testing.T, n int, generate func(nativetest.Dice) string) []sample {
	r := rand.New(rand.NewPCG(1, 2))
	dice := nativetest.Dice(r.IntN)
	var all []sample
	for range n {
		text := generate(dice)
		docs, err := inikit.Converter{}.NativeToDocuments([]byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		leaves := nativetest.Leaves(docs[0].Data())
		all = append(all, sample{text, leaves})
		key := nativetest.Pick(dice, "a.x", "remote.origin.x", "core.name", "b.name")
		value := nativetest.Pick(dice, "x", "7", "two words", "a # b", " lead", "trail ", `say "x"`, `back\slash`, "é", "l1\nl2", "k=v: w", "[a]", "it's; so")
		if _, err := docs[0].Set(value, strings.Split(key, ".")...); err != nil {
			continue
		}
		edited, err := inikit.Converter{}.DocumentsToNative(docs)
		if err != nil {
			t.Fatalf("%s = %q in\n%s\n%v", key, value, text, err)
		}
		leaves = nativetest.Leaves(docs[0].Data())
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

// unquoted is a value without the quotes that are all around it.
func unquoted(value string) string {
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && strings.IndexByte(value[1:], value[0]) == n-2 {
		return value[1 : n-1]
	}
	return value
}

const readWithPython = `
import configparser, json, sys
def read(text):
    p = configparser.RawConfigParser(strict=False, allow_no_value=True, inline_comment_prefixes=("#", ";"), default_section="\0")
    p.optionxform = str
    p.read_string(text)
    return [[s, k, v] for s in p.sections() for k, v in p.items(s)]
json.dump([read(t) for t in json.load(sys.stdin)], sys.stdout)
`

// TestConfigparser compares with Python. Quotes and comments behind values are told apart as it can be made to do.
func TestConfigparser(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 to compare with")
	}
	all := slices.DeleteFunc(samples(t, 1000, generate), func(s sample) bool { return strings.Contains(s.text, `"a #`) })
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
			value := entry[2]
			if text, ok := value.(string); ok {
				value = unquoted(text)
			}
			want[fmt.Sprint(entry[0], ".", entry[1])] = fmt.Sprint(value)
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

// TestGoINI compares with a Go library, which reads values of several lines in another way.
func TestGoINI(t *testing.T) {
	options := ini.LoadOptions{SpaceBeforeInlineComment: true, IgnoreContinuation: true, AllowBooleanKeys: true, KeyValueDelimiters: "=:"}
	compared := 0
	for _, s := range samples(t, 1000, generate) {
		if strings.Contains(s.text, "# none") || strings.Contains(s.text, `"a #`) || strings.Contains(s.text, "  two") || strings.Contains(s.text, "l2") {
			continue
		}
		file, err := ini.LoadSources(options, []byte(s.text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, s.text)
		}
		want := map[string]string{}
		for _, section := range file.Sections() {
			for _, key := range section.Keys() {
				want[section.Name()+"."+key.Name()] = key.Value()
			}
		}
		compare(t, s, want)
		compared++
	}
	if compared < 100 {
		t.Fatalf("%d texts were compared", compared)
	}
}
