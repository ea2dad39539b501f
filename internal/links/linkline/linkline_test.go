package linkline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/linkline"
)

// TestLines reads the lines that links are written to.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slug := rapid.StringMatching("[a-z0-9][a-z0-9_-]{0,4}")
		l := &entity.Link{
			LinkID: entity.RecordID("a", "b", int64(rapid.IntRange(0, 9).Draw(t, "id"))),
			Common: entity.Common{Slug: slug.Draw(t, "slug"), SpaceSlug: "s"}, FromUnit: slug.Draw(t, "from"),
			ToUnit: slug.Draw(t, "to"), ToSpace: slug.Draw(t, "space"), Stated: true,
			UpdateType: rapid.SampledFrom(append(entity.UpdateTypes(), "")).Draw(t, "type"),
			AutoUpdate: rapid.Bool().Draw(t, "auto"), UseLiveState: rapid.Bool().Draw(t, "live"),
			OriginOnly: rapid.Bool().Draw(t, "origin"), MergeDisableSubtraction: rapid.Bool().Draw(t, "all"),
			Merged: rapid.SampledFrom([]string{"", strings.Repeat("1a", 20)}).Draw(t, "merged"),
		}
		own := rapid.Bool().Draw(t, "own")
		if rapid.Bool().Draw(t, "derived") {
			l.LinkID = entity.ID(entity.KindLink, "s", l.Slug, 0)
		}
		text, ok := linkline.Format(l, own)
		if !ok {
			t.Fatalf("%+v does not fit", l)
		}
		got := &entity.Link{Common: entity.Common{Slug: l.Slug, SpaceSlug: "s"}}
		keeps, problem := linkline.Parse(got, text, "s")
		if problem != nil {
			t.Fatalf("%s: %v", text, problem)
		}
		if got.LinkID == "" {
			got.LinkID = entity.ID(entity.KindLink, "s", l.Slug, 0)
		}
		if diff := cmp.Diff(l, got); diff != "" || keeps != own {
			t.Fatalf("%s: %s", text, diff)
		}
	})
	for _, l := range []*entity.Link{
		{FromUnit: "a", ToUnit: "b", WhereResource: "x"},
		{FromUnit: "a"},
		{FromUnit: "a", ToUnit: "b", Common: entity.Common{Labels: map[string]string{"a": "b"}}},
	} {
		if line, ok := linkline.Format(l, false); ok {
			t.Errorf("%+v is %s", l, line)
		}
	}
}

// TestEditLines edits links files: other lines stay, and so does the order.
func TestEditLines(t *testing.T) {
	const conflict = "<<<<<<< HEAD\nc: a <- x\n=======\nc: a <- y\n>>>>>>> b\n"
	for _, row := range []struct {
		was     string
		changes map[string]string
		want    string
	}{
		{"", nil, linkline.Header},
		{"", map[string]string{"b": "1", "a": "2", "c": ""}, linkline.Header + "a: 2\nb: 1\n"},
		{"b: 1", map[string]string{"a": "2", "c": "3"}, "a: 2\nb: 1\nc: 3\n"},
		{
			"# all\n\nb: 1 # one\n# two\nc: 2\n",
			map[string]string{"bb": "4", "b": "3", "c": "2"},
			"# all\n\nb: 3 # one\nbb: 4\n# two\nc: 2\n",
		},
		{"a: 1\r\nb: 2\r\n", map[string]string{"a": "", "c": "3"}, "b: 2\r\nc: 3\r\n"},
		{"c: 1\nb: 2\n", map[string]string{"a": "3"}, "a: 3\nc: 1\nb: 2\n"},
		{"a: 1\n" + conflict + "e: 2\n", map[string]string{"d": "3"}, "a: 1\nd: 3\n" + conflict + "e: 2\n"},
	} {
		if got := linkline.Edit(row.was, row.changes); got != row.want {
			t.Errorf("%q with %v is %q, not %q", row.was, row.changes, got, row.want)
		}
		if got := linkline.Edit(row.want, row.changes); got != row.want {
			t.Errorf("%q is edited again: %q", row.want, got)
		}
	}
}
