package functionconfig

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestAdmission compares verdicts and reasons with testdata/servers.txt. The verdicts there are those of
// the libraries of a real API server, k8s.io/apiextensions-apiserver 0.37, with fctl's definition and
// with Porch's own. A case without an object is that of problems.txt.
func TestAdmission(t *testing.T) {
	servers := map[string]*Admission{}
	for _, name := range APIServers() {
		a, err := NewAdmission(name)
		if err != nil {
			t.Fatal(err)
		}
		servers[name] = a
	}
	long := regexp.MustCompile(`A\{\d+\}`) // many letters
	specs := map[string]string{}
	for _, c := range problemCases(t) {
		specs[c.name] = c.spec
	}
	text, err := os.ReadFile("testdata/servers.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(strings.TrimPrefix(strings.TrimSpace(string(text)), "=== "), "\n=== ")
	if len(cases) < 133 {
		t.Errorf("only %d cases", len(cases))
	}
	var found strings.Builder
	for _, block := range cases {
		name, rest, _ := strings.Cut(block, "\n")
		spec, want, ok := strings.Cut("\n"+rest, "\n---")
		if !ok {
			t.Fatalf("%s has no verdicts", name)
		}
		found.WriteString("=== " + name + spec + "\n---\n")
		short := strings.NewReplacer()
		switch {
		case spec == "":
			spec = specs[name]
		case !strings.Contains(spec, "kind:"):
			spec = head + strings.TrimPrefix(spec, "\n") + "\n"
		}
		if macro := long.FindString(spec); macro != "" {
			n, _ := strconv.Atoi(strings.Trim(macro, "A{}"))
			spec = strings.Replace(spec, macro, strings.Repeat("a", n), 1)
			short = strings.NewReplacer(strings.Repeat("a", n), macro)
		}
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, server := range APIServers() {
				problems, accepted, err := servers[server].Check(t.Context(), []byte(spec), "f", false)
				if err != nil {
					t.Fatal(err)
				}
				if (accepted == 0) != (len(problems) > 0) {
					t.Errorf("%d accepted, %d problems", accepted, len(problems))
				}
				verdict := server + " accepts it"
				if len(problems) > 0 {
					verdict = server + " refuses it"
				}
				for _, p := range problems {
					verdict += "\n  " + strconv.Itoa(p.Pos.Line) + ":" + strconv.Itoa(p.Pos.Column) + ": " +
						short.Replace(p.Message)
				}
				got = append(got, verdict)
			}
			all := strings.Join(got, "\n")
			found.WriteString(all + "\n")
			if all != strings.TrimSpace(want) {
				t.Errorf("got\n%s\nwant\n%s", all, want)
			}
		})
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("testdata/servers.txt", []byte(found.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
