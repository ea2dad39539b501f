package diag_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

func TestFileName(t *testing.T) {
	for path, want := range map[string]string{
		"-":         "<stdin>",
		"a.yaml":    "./a.yaml",
		"d/a.yaml":  "./d/a.yaml",
		"./a.yaml":  "./a.yaml",
		"../a.yaml": "../a.yaml",
		"/a.yaml":   "/a.yaml",
		".a.yaml":   "./.a.yaml",
		"..a.yaml":  "./..a.yaml",
	} {
		t.Run(path, func(t *testing.T) {
			if got := diag.FileName(path); got != want {
				t.Errorf("FileName(%q) = %q, want %q", path, got, want)
			}
		})
	}
}

func text(t *testing.T, l diag.List) string {
	t.Helper()
	var b strings.Builder
	if err := l.Write(&b, diag.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestProblemsAreSortedByPosition(t *testing.T) {
	l := diag.In("./a.yaml", []*api.Failure{
		{
			Class: api.FailureFunction, Pos: api.Position{Line: 12, Column: 5},
			Resource: "apps/v1/Deployment default/web", Function: "set-replicas", Message: "late",
			Hint: "the same",
		},
		{
			Class: api.FailureInput, Pos: api.Position{Line: 3, Column: 9},
			Resource: "v1/Pod /caf\xe9", Message: "second\nline \x1b[31m ü",
		},
		{
			Class: api.FailureInput, Pos: api.Position{Line: 3, Column: 2}, Argument: "path",
			Message: "first", Hint: "the same",
		},
	})
	l.Sort()
	const want = `./a.yaml:3:2: argument path: first
hint: the same
./a.yaml:3:9: v1/Pod /caf�: second\nline \x1b[31m ü
./a.yaml:12:5: apps/v1/Deployment default/web: set-replicas: late
`
	if got := text(t, l); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestFileNamesAreEscaped(t *testing.T) {
	if got := text(t, diag.In("./a\x1b[31m.yaml",
		[]*api.Failure{{Message: "bad"}})); got != "./a\\x1b[31m.yaml: bad\n" {
		t.Errorf("got %q", got)
	}
}

func TestFilesKeepTheirOrder(t *testing.T) {
	l := append(
		diag.In("./z.yaml", []*api.Failure{{Pos: api.Position{Line: 9, Column: 1}, Message: "z9"}}),
		diag.In("./a.yaml", []*api.Failure{{
			Pos:     api.Position{Line: 1, Column: 1},
			Message: "a1",
		}})...)
	l = append(l, diag.In("./z.yaml",
		[]*api.Failure{{Pos: api.Position{Line: 2, Column: 1}, Message: "z2"}})...)
	l.Sort()
	if got, want := text(t, l),
		"./z.yaml:2:1: z2\n./z.yaml:9:1: z9\n./a.yaml:1:1: a1\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestProblemWithoutPosition(t *testing.T) {
	got := text(t, diag.List{diag.UsageHint("fctl list", "no such %s", "sun")})
	if want := "fctl: no such sun\nhint: fctl list\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFailuresKeepsCauses(t *testing.T) {
	err := error(diag.Input("./a.yaml", "", fs.ErrNotExist))
	l := diag.Failures(err, api.FailureFunction)
	if len(l) != 1 || l[0].Class != api.FailureInput || !errors.Is(l, fs.ErrNotExist) {
		t.Errorf("got %v", l)
	}
	if l := diag.Failures(errors.New("x"), api.FailureFunction); l[0].Class != api.FailureFunction {
		t.Errorf("an unknown error got class %d", l[0].Class)
	}
	if err := diag.Usage("reading: %w", fs.ErrPermission); !errors.Is(err, fs.ErrPermission) {
		t.Error("the cause is lost")
	}
}

func TestFailuresTakesJoinedErrorsApart(t *testing.T) {
	known := diag.Input("./a.yaml", "", fs.ErrNotExist)
	l := diag.Failures(errors.Join(errors.New("x"), errors.Join(known, diag.List{known, known})),
		api.FailureFunction)
	if len(l) != 4 || l[0].Message != "x" || l[1] != known {
		t.Errorf("got %d problems: %v", len(l), l)
	}
	if got := diag.Failures(fmt.Errorf("%w: %w", errors.New("changed"), fs.ErrExist),
		api.FailureFunction); len(got) != 1 || got[0].Message != "changed: file already exists" {
		t.Errorf("one problem with two causes: got %v", got)
	}
}

func TestNotesNameTheirFile(t *testing.T) {
	var b strings.Builder
	err := diag.WriteNotes(&b, "./a.yaml",
		[]api.Note{{Function: "set-replicas", Message: "nothing matched"}}, diag.Style{})
	if want := "./a.yaml: note: set-replicas: nothing matched\n"; err != nil || b.String() != want {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

func TestStyle(t *testing.T) {
	var b strings.Builder
	mark := func(s string) string { return "<" + s + ">" }
	if err := (diag.List{diag.UsageHint("h", "m")}).Write(&b,
		diag.Style{Position: mark, Hint: mark}); err != nil {
		t.Fatal(err)
	}
	if want := "<fctl: >m\n<hint:> h\n"; b.String() != want {
		t.Errorf("got %q", b.String())
	}
}

type badExpression struct {
	text   string
	column int
}

func (e badExpression) Error() string             { return "no" }
func (e badExpression) Expression() (string, int) { return e.text, e.column }

func TestACaretPointsIntoAnExpression(t *testing.T) {
	for _, c := range []struct {
		text   string
		column int
		want   string
	}{
		{"a.?b.c", 4, "fctl: no\n  a.?b.c\n     ^\n"},
		{"größe.?", 8, "fctl: no\n  größe.?\n         ^\n"},
		{"a\nb ! c\nd", 5, "fctl: no\n  b ! c\n    ^\n"},
		{
			strings.Repeat("x", 200), 150,
			"fctl: no\n  …" + strings.Repeat("x", 100) + "…\n   " + strings.Repeat(" ", 50) +
				"^\n",
		},
		{strings.Repeat("x", 200), 3, "fctl: no\n  " + strings.Repeat("x", 100) + "…\n    ^\n"},
		{"a", 0, "fctl: no\n  a\n"},
		{"a\nb", 0, "fctl: no\n"},
		{"a", 3, "fctl: no\n"},
		{"\x1b[m", 1, "fctl: no\n"},
	} {
		t.Run(c.text, func(t *testing.T) {
			err := fmt.Errorf("argument path: %w", badExpression{c.text, c.column})
			if got := text(t, diag.List{{Message: "no", Err: err}}); got != c.want {
				t.Errorf("%q column %d:\n%s\nwant\n%s", c.text, c.column, got, c.want)
			}
		})
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files"} {
		t.Run(want, func(t *testing.T) {
			if got := diag.Count(n, "file"); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
