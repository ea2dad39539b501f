package out_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/internal/out"
)

func TestTable(t *testing.T) {
	rows := [][]string{
		{"web", "nginx:1.27", "a long path that says where"}, {"ü", ""}, {"x\ty\x1b[2J", "1", "-"},
	}
	for name, c := range map[string]struct {
		table out.Table
		want  []string
	}{
		"rows": {out.Table{Rows: rows}, []string{
			`web          nginx:1.27  a long path that says where`,
			`ü`,
			`x\ty\x1b[2J  1           -`,
		}},
		"a head and an indent": {
			out.Table{
				Indent: "  ", Head: []string{"NAME", "IMAGE"}, Rows: rows[1:2],
				HeadStyle: func(line string) string { return "<" + line + ">" },
			},
			[]string{`<  NAME  IMAGE>`, `  ü`},
		},
		"a narrow terminal": {
			out.Table{Head: []string{"NAME", "IMAGE", "PATH"}, Rows: rows, Width: 38},
			[]string{
				`NAME         IMAGE       PATH`,
				`web          nginx:1.27  …t says where`,
				`ü`,
				`x\ty\x1b[2J  1           -`,
			},
		},
		"names and values last": {
			out.Table{
				Head: []string{"TYPE", "NAME", "VALUE", "PATH", "POSITION"},
				Rows: [][]string{{
					"apps/v1/Deployment", "production/web", "registry.example.com/nginx:1.27",
					"spec.template.spec.containers.0.image", "deployment.yaml:13:16",
				}},
				Width: 84,
			},
			[]string{
				`TYPE        NAME            VALUE                            PATH        POSITION`,
				`…eployment  production/web  registry.example.com/nginx:1.27  …s.0.image  …yaml:13:16`,
			},
		},
		"a terminal that is too narrow": {
			out.Table{Head: []string{"NAME", "IMAGE", "PATH"}, Rows: rows[:1], Width: 20},
			[]string{`NAME  IMAGE       PATH`, `web   nginx:1.27  …ays where`},
		},
		"a secret value that does not fit": {
			out.Table{
				Head: []string{"PATH"}, Rows: [][]string{{"x 0123456789abcdef"}}, Width: 10,
				Mask: strings.NewReplacer("0123456789abcdef", "***").Replace,
			},
			[]string{"PATH", "x ***"},
		},
		"nothing": {out.Table{}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Split(c.table.String(), "\n")
			if d := cmp.Diff(append(c.want, ""), got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"replicas", 8, "replicas"},
		{"replicas", 7, "replic…"},
		{"größer", 6, "größer"},
		{"a word", 3, "a…"},
		{"", 0, ""},
	} {
		if got := out.Shorten(c.text, c.width); got != c.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
