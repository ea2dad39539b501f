package renames_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/merge/renames"
)

func TestFind(t *testing.T) {
	file := func(path, text string, resources ...string) renames.LoneFile {
		return renames.LoneFile{Path: path, Data: []byte(text), Resources: resources}
	}
	const text = "a: 1\nb: 2\nc: 3\nd: 4\n"
	tests := []struct {
		name          string
		before, after []renames.LoneFile
		want          string
	}{
		{"nothing", nil, []renames.LoneFile{file("a", text)}, ""},
		{
			"equal",
			[]renames.LoneFile{file("a", text)},
			[]renames.LoneFile{file("x", text)},
			"a>x",
		},
		{
			"equal, by base name first",
			[]renames.LoneFile{file("p/a", text), file("p/b", text)},
			[]renames.LoneFile{file("q/b", text), file("q/a", text)},
			"p/b>q/b p/a>q/a",
		},
		{
			"changed",
			[]renames.LoneFile{file("a", text)},
			[]renames.LoneFile{file("x", "a: 1\nb: 2\nc: 3\nd: 5\n")},
			"a>x",
		},
		{
			"less than half",
			[]renames.LoneFile{file("a", text)},
			[]renames.LoneFile{file("x", "a: 1\nb: 7\nc: 7\nd: 7\n")},
			"",
		},
		{
			"the most similar first",
			[]renames.LoneFile{file("a", text), file("b", "a: 1\nb: 2\nc: 3\nd: 5\ne: 5\n")},
			[]renames.LoneFile{file("x", "a: 1\nb: 2\nc: 3\nd: 5\n")},
			"b>x",
		},
		{"empty", []renames.LoneFile{file("a", "")}, []renames.LoneFile{file("x", "")}, ""},
		{
			"indentation does not count",
			[]renames.LoneFile{file("a", text)},
			[]renames.LoneFile{file("x", "  a: 1\n  b: 2\n  c: 3\n  d: 4\n")},
			"a>x",
		},
		{
			"other resources in the same lines",
			[]renames.LoneFile{file("a", text, "v1/Service web")},
			[]renames.LoneFile{file("x", text+"e: 5\n", "v1/Service api")},
			"",
		},
		{
			"the same resource in other lines",
			[]renames.LoneFile{file("a", text, "v1/Service web")},
			[]renames.LoneFile{file("x", "z: 1\n", "v1/Service web")},
			"a>x",
		},
		{
			"one resource of four has moved",
			[]renames.LoneFile{file("a", text, "1", "2", "3", "4")},
			[]renames.LoneFile{file("x", "z: 1\n", "4")},
			"",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pairs, complete := renames.Find(test.before, test.after)
			var got []string
			for _, p := range pairs {
				got = append(got, test.before[p.Old].Path+">"+test.after[p.New].Path)
			}
			if text := strings.Join(got, " "); text != test.want || !complete {
				t.Errorf("got %q, %t, want %q", text, complete, test.want)
			}
		})
	}
}

// Files with too much in common are not compared with each other, but equal ones are still found.
func TestFindAmongMany(t *testing.T) {
	for _, shared := range []string{"", "c: 1\nd: 1\ne: 1\nf: 1\n"} {
		var before, after []renames.LoneFile
		for i := range 4000 {
			before = append(before, renames.LoneFile{
				Path: fmt.Sprint("a", i), Data: fmt.Appendf(nil, "%sa: %d\nb: %d\n", shared, i, i),
			})
			after = append(after, renames.LoneFile{
				Path: fmt.Sprint("b", i), Data: fmt.Appendf(nil, "%sa: %d\nb: \n", shared, i),
			})
		}
		after[7].Data = before[9].Data
		pairs, complete := renames.Find(before, after)
		switch equal := (renames.Pair{Old: 9, New: 7}); {
		case shared == "" && (!complete || len(pairs) < 3999),
			shared != "" && (complete || !slices.Equal(pairs, []renames.Pair{equal})):
			t.Errorf("with %q in each got %d pairs, %t", shared, len(pairs), complete)
		case !slices.Contains(pairs, equal):
			t.Errorf("with %q in each the equal files are not paired", shared)
		}
	}
}

// Files with the same content and files that have one resource each of a large file cost no more
// than their number.
func TestFindIsLinear(t *testing.T) {
	var before, after []renames.LoneFile
	var all renames.LoneFile
	for i := range 20_000 {
		before = append(before, renames.LoneFile{Path: fmt.Sprint("a", i), Data: []byte("x: 1\n")})
		after = append(after, renames.LoneFile{Path: fmt.Sprint("b", i), Data: []byte("x: 1\n")})
		name, text := fmt.Sprint("v1/ConfigMap ", i), fmt.Sprintf("name: %d\n", i)
		all.Resources, all.Data = append(all.Resources, name), append(all.Data, text...)
		after = append(after, renames.LoneFile{
			Path: fmt.Sprint("c", i), Data: []byte(text), Resources: []string{name},
		})
	}
	if pairs, complete := renames.Find(append(before, all), after); len(pairs) != 20_000 || !complete {
		t.Errorf("got %d pairs, %t", len(pairs), complete)
	}
}
