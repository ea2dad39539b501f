package explain

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/diag"
)

const goldenDir = "../../../golden-output"

// golden returns the golden files by the names of their cases.
func golden(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(goldenDir, "*", "*.out"))
	if err != nil || len(files) < 1000 {
		t.Fatalf("%d golden files: %v", len(files), err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(filepath.Base(file), ".out")] = string(text)
	}
	return texts
}

// messages returns the command line of a golden file and the lines of its standard error.
func messages(text string) (command string, lines []string) {
	first, rest, _ := strings.Cut(text, "\n")
	_, errors, _ := strings.Cut(rest, "== stderr\n")
	if errors, _, _ = strings.Cut(errors, "\n== "); errors != "" {
		lines = strings.Split(strings.TrimSuffix(errors, "\n"), "\n")
	}
	return strings.TrimPrefix(first, "$ "), lines
}

// about returns the first message that is an instance of an error, with the lines that belong to it.
func about(e KnownError, lines []string) []string {
	belongs := func(line string) bool {
		return strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "hint: ")
	}
	begin := slices.IndexFunc(lines, func(line string) bool { return !belongs(line) && e.matches(line) > 0 })
	if begin < 0 {
		return nil
	}
	end := begin + 1
	for end < len(lines) && belongs(lines[end]) {
		end++
	}
	shown := slices.Clone(lines[begin:end])
	for i, line := range shown {
		if r := []rune(line); len(r) > 400 {
			shown[i] = string(r[:150]) + "…" + string(r[len(r)-150:])
		}
	}
	return shown
}

// TestExamplesOfErrors compares the examples with the golden files. UPDATE_DOCS=1 copies them from there.
func TestExamplesOfErrors(t *testing.T) {
	texts := golden(t)
	var want bytes.Buffer
	var row KnownError
	for line := range strings.Lines(errorsText) {
		if strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "! ") {
			continue
		}
		want.WriteString(line)
		if id, text, _ := strings.Cut(strings.TrimSpace(line), " "); len(id) > 1 {
			row = KnownError{ID: id, Text: text}
		}
		name, is := strings.CutPrefix(strings.TrimSpace(line), "@ ")
		if !is {
			continue
		}
		text, known := texts[name]
		command, lines := messages(text)
		if !known || !strings.Contains(text, "\nexit status ") || len(lines) == 0 {
			t.Errorf("%s is not a golden case that ends with an error", name)
			continue
		}
		want.WriteString("$ " + diag.Printable(command) + "\n")
		for _, line := range about(row, lines) {
			want.WriteString("! " + line + "\n")
		}
	}
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile("errors.txt", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want.String() != errorsText {
		t.Error("the examples of errors.txt are not those of golden-output: make gen copies them")
	}
}

// TestErrorsAreFound checks that the message of each example leads to its error.
func TestErrorsAreFound(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range KnownErrors() {
		if p.Meaning == "" || p.WayOut == "" || p.Section == "" || p.Example == "" || seen[p.ID] {
			t.Errorf("%s lacks something, or is there twice: %+v", p.ID, p)
		}
		seen[p.ID] = true
		if got, ok := FindError(p.ID); !ok || got != p {
			t.Errorf("%s leads to %s", p.ID, got.ID)
		}
		found := false
		for line := range strings.Lines(p.Example) {
			got, ok := FindError(line)
			found = found || ok && got == p
		}
		if !found {
			t.Errorf("no message of the example leads to %s:\n%s", p.ID, p.Example)
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d errors are explained", len(seen))
	}
	if got, ok := FindError("replicas"); ok {
		t.Errorf("a word leads to %s", got.ID)
	}
}

// TestErrorsAreExplained checks that every golden case which ends with an error has one that is
// explained.
func TestErrorsAreExplained(t *testing.T) {
	for name, text := range golden(t) {
		if !regexp.MustCompile(`\nexit status [^013]`).MatchString(text) {
			continue // it did its work, or a check did not pass
		}
		_, lines := messages(text)
		explained := false
		for _, line := range lines {
			_, ok := FindError(line)
			explained = explained || ok
		}
		if !explained {
			t.Errorf("%s: no error of it is explained:\n%s", name, strings.Join(lines, "\n"))
		}
	}
}
