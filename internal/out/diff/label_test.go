package diff_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/out/diff"
)

// starts returns the lines that begin with "# name".
func starts(text []byte) (all []diff.Start) {
	for i, line := range strings.Split(string(text), "\n") {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			all = append(all, diff.Start{Line: i + 1, Name: name})
		}
	}
	return all
}

func headers(f diff.FileDiff) string {
	f.Resources, f.Starts = starts(f.Before), starts
	var labels []string
	for _, header := range regexp.MustCompile(`(?m)^@@ .* @@.*`).FindAllString(
		string(diff.Unified(f)),
		-1) {
		_, label, _ := strings.Cut(header[2:], "@@")
		labels = append(labels, strings.TrimPrefix(label, " "))
	}
	return strings.Join(labels, "|")
}

func TestHunksNameResourcesAndFunctions(t *testing.T) {
	far := strings.Repeat(".\n", 7)
	a, b := "# a\none: 1\n"+far+"two: 2\n", "# b\none: 1\n"+far+"two: 2\n"
	edit := func(text string, pairs ...string) []byte {
		return []byte(strings.NewReplacer(pairs...).Replace(text))
	}
	type step struct {
		name string
		text []byte
	}
	for name, c := range map[string]struct {
		before string
		steps  []step
		want   string
	}{
		"one function": {a, []step{{"f", edit(a, "1", "3")}}, "a  f"},
		"nobody knows": {a, []step{{"", edit(a, "1", "3")}}, "a"},
		"two, each its own": {a, []step{
			{"f", edit(a, "1", "3")},
			{"g", edit(a, "1", "3", "2", "4")},
		}, "a  f|a  g"},
		"two on one line": {
			a,
			[]step{{"f", edit(a, "1", "3")}, {"g", edit(a, "1", "5")}},
			"a  f, g",
		},
		"order of the chain": {
			"# a\none: 1\n\ntwo: 2\n",
			[]step{
				{"f", []byte("# a\none: 1\n\ntwo: 3\n")},
				{"g", []byte("# a\none: 0\n\ntwo: 3\n")},
			},
			"a  f, g",
		},
		"a function twice": {
			a,
			[]step{{"f", edit(a, "1", "3")}, {"f", edit(a, "1", "5")}},
			"a  f",
		},
		"there and back": {
			a,
			[]step{{"f", edit(a, "1", "3")}, {"g", edit(a, "2", "4")}},
			"a  g",
		},
		"two resources": {a + b, []step{{"f", edit(a+b, "1", "3")}}, "a  f|b  f"},
		"one hunk of both": {
			a + b,
			[]step{{"f", edit(a+b, "two: 2\n# b\n", "two: 3\n# b\nnew: 1\n")}},
			"a  f; b  f",
		},
		"an old name":    {a, []step{{"f", edit(a, "# a", "# z", "2", "4")}}, "a  f|a  f"},
		"added after":    {a, []step{{"f", []byte(a + b)}}, "b  f"},
		"added in front": {b, []step{{"f", []byte(a + b)}}, "a  f"},
		"added to the end": {
			a + b,
			[]step{{"f", edit(a+b, "two: 2\n# b", "two: 2\nthree: 3\n# b")}},
			"a  f",
		},
		"removed": {a + b, []step{{"f", []byte(a)}}, "b  f"},
		"many": {
			"# a\n# b\n# c\n# d\n# e\n",
			[]step{{"f", nil}},
			"a  f; b  f; c  f; and 2 more",
		},
		"no resource": {"x\n" + a, []step{{"f", []byte("y\n" + a)}}, "f"},
		"one replaced by two": {a, []step{{
			"f",
			edit(a, "two: 2\n", "two: 3\n# n\none: 1\n# m\none: 1\n"),
		}}, "a  f; n  f; m  f"},
	} {
		t.Run(name, func(t *testing.T) {
			f := diff.FileDiff{Before: []byte(c.before)}
			for _, s := range c.steps {
				f.After = s.text
				f.Steps = append(f.Steps, diff.Version{Name: s.name, Text: func() []byte {
					return s.text
				}})
			}
			if have := headers(f); have != c.want {
				t.Errorf("%s: have %q, want %q", name, have, c.want)
			}
		})
	}
}

// TestNamesInHeadersAreHarmless checks that the name of a resource cannot end the header or control
// a terminal.
func TestNamesInHeadersAreHarmless(t *testing.T) {
	patch := diff.Unified(diff.FileDiff{
		Name: "x", Before: []byte("a\n"), After: []byte("b\n"),
		Resources: []diff.Start{{Line: 1, Name: "v1/X a\n-b\x1b[2J"}},
		Starts:    func([]byte) []diff.Start { return nil },
	})
	if want := "--- a/x\n+++ b/x\n@@ -1 +1 @@ v1/X a\\n-b\\x1b[2J\n-a\n+b\n"; string(
		patch) != want {
		t.Errorf("have %q", patch)
	}
}

func tag(name string) func(string) string {
	return func(text string) string { return "<" + name + ">" + text + "</" + name + ">" }
}

func TestStyle(t *testing.T) {
	style := diff.Colors{
		File: tag("file"), Hunk: tag("hunk"), Label: tag("label"), Old: tag("old"), New: tag("new"),
		OldWord: tag("was"), NewWord: tag("is"),
	}
	for name, c := range map[string]struct{ before, after, want string }{
		"a word": {
			"replicas: 3 # of web\n", "replicas: 5 # of web\n",
			"<old>-</old><old>replicas: </old><was>3</was><old> # of web</old>\n" +
				"<new>+</new><new>replicas: </new><is>5</is><new> # of web</new>\n",
		},
		"nothing alike": {
			"first line\n", "0123456789\n",
			"<old>-first line</old>\n<new>+0123456789</new>\n",
		},
		"added beside it": {
			"replicas: 3\n", "paused: true\nreplicas: 5\n",
			"<old>-</old><old>replicas: </old><was>3</was>\n<new>+paused: true</new>\n" +
				"<new>+</new><new>replicas: </new><is>5</is>\n",
		},
		"a line end": {
			"replicas: 3\r\n", "replicas: 3\n",
			"<old>-</old><old>replicas: 3</old><was>^M</was>\n<new>+</new><new>replicas: 3</new>\n",
		},
		"no line end": {
			"replicas: 3", "replicas: 5",
			"<old>-</old><old>replicas: </old><was>3</was>\n\\ No newline at end of file\n" +
				"<new>+</new><new>replicas: </new><is>5</is>\n\\ No newline at end of file\n",
		},
		"no valid text": {
			"replicas: \xff\n", "replicas: 5\n",
			"<old>-replicas: \xff</old>\n<new>+replicas: 5</new>\n",
		},
		"very long": {
			strings.Repeat("a", 2000) + "\n", strings.Repeat("a", 2001) + "\n",
			"<old>-" + strings.Repeat("a", 2000) + "</old>\n<new>+" + strings.Repeat("a", 2001) +
				"</new>\n",
		},
		"words": {
			"image: größe:1\n", "image: grüße:1\n",
			"<old>-</old><old>image: </old><was>größe</was><old>:1</old>\n" +
				"<new>+</new><new>image: </new><is>grüße</is><new>:1</new>\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			patch := string(diff.Unified(diff.FileDiff{
				Name: "x", Before: []byte(c.before),
				After: []byte(c.after), Style: style, Steps: []diff.Version{{Name: "f"}},
			}))
			_, body, _ := strings.Cut(patch, "<label> f</label>\n")
			if body != c.want || !strings.HasPrefix(patch,
				"<file>--- a/x</file>\n<file>+++ b/x</file>\n<hunk>@@ -") {
				t.Errorf("%s: have %q, want %q", name, patch, c.want)
			}
		})
	}
}

// TestColoursAddNothingElse checks that a coloured diff without its colours is the plain one.
func TestColoursAddNothingElse(t *testing.T) {
	r := newRandom(7)
	tags := regexp.MustCompile(`</?(old|new|was|is)>`)
	for range 500 {
		before, after := r.texts(30, 5)
		before, after = strings.ReplaceAll(before, "\r", ""), strings.ReplaceAll(after, "\r", "")
		f := diff.FileDiff{Name: "x", Before: []byte(before), After: []byte(after)}
		plain := string(diff.Unified(f))
		f.Style = diff.Colors{
			Old: tag("old"), New: tag("new"), OldWord: tag("was"),
			NewWord: tag("is"),
		}
		if have := tags.ReplaceAllString(string(diff.Unified(f)), ""); have != plain {
			t.Fatalf("have\n%s\nwant\n%s", have, plain)
		}
	}
}
