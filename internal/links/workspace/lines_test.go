package workspace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConflictedLines reads a links file in which git has left conflicts.
func TestConflictedLines(t *testing.T) {
	const text = "a: u <- v\n<<<<<<< HEAD\nb: u <- v\nc: u <- v\n||||||| base\nb: u <- w\n=======\n" +
		"b: u <- x\nc: u <- v\n>>>>>>> b\nd: u <- v\nd: u <- x\n<<<<<<< HEAD\ne: u <- v\n"
	dir := t.TempDir()
	if _, err := Init(t.Context(), dir, InitOptions{Space: "s"}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), dir, OpenOptions{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // only read
	tx := s.Begin("")
	tx.write(linksPath("s"), []byte(text))
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	w, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got, names []string
	for _, l := range w.Links {
		names = append(names, l.Slug)
	}
	for _, e := range w.Problems {
		if !strings.Contains(e.Message, "no unit") {
			got = append(got, e.Message)
		}
	}
	want := []string{
		"lines 2 to 10 are a git conflict that is not resolved, about the links b, c",
		"link d is also in line 11",
		"lines 13 to 14 are a git conflict that is not resolved, about the links e",
	}
	if diff := cmp.Diff(want, got) + cmp.Diff([]string{"a"}, names); diff != "" {
		t.Error(diff)
	}
}
