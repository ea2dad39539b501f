package sensitive_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
)

const words = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {user: postgres}\n---\n"

func configMap(data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {" + data + "}\n"
}

// TestCopiesOfWords checks that a value that is a word is masked where a change copied it, and
// nowhere else.
func TestCopiesOfWords(t *testing.T) {
	const other = "a: postgres, b: x"
	for name, c := range map[string]struct{ before, after, said, want string }{
		"copied":  {other, "a: postgres, b: postgres", "", "a: postgres, b: (sensitive)"},
		"quoted":  {other, `a: postgres, b: "postgres"`, "", `a: postgres, b: "(sensitive)"`},
		"in text": {other, "a: postgres, b: x:postgres@y", "", "a: postgres, b: x:(sensitive)@y"},
		"added":   {other, other + ", l: [d, postgres]", "", other + ", l: [d, (sensitive)]"},
		"edited":  {"a: postgres:14", "a: postgres:15", "", "a: postgres:15"},
		"moved":   {other, "b: x, c: postgres", "", "b: x, c: postgres"},
		"shifted": {"l: [d, postgres]", "l: [postgres]", "", "l: [postgres]"},
		"said":    {other, "a: postgres, b: postgres", "b=postgres", "a: postgres, b: postgres"},
		"part":    {other, "a: postgres, b: postgresql", "", "a: postgres, b: postgresql"},
	} {
		t.Run(name, func(t *testing.T) {
			v := sensitive.FindChange(k8skit.Converter{}, k8skit.New(),
				[]byte(words+configMap(c.before)), []byte(words+configMap(c.after)), []byte(c.said))
			_, got, _ := strings.Cut(string(v.Text(sensitive.After)), "---\n")
			if want := configMap(c.want); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
			_, got, _ = strings.Cut(string(v.Text(sensitive.Before)), "---\n")
			if want := configMap(c.before); got != want {
				t.Errorf("before: %s\nwant\n%s", got, want)
			}
		})
	}
}

// TestCopiesOfWordsInRows checks the other forms of what a change copied.
func TestCopiesOfWordsInRows(t *testing.T) {
	v := sensitive.FindChange(k8skit.Converter{}, k8skit.New(), []byte(words+configMap("a: postgres")),
		[]byte(words+configMap("a: postgres, b: postgres")))
	r := api.ResourceInfo{ResourceType: "v1/ConfigMap", ResourceName: "/c"}
	row := func(path api.ResolvedPath) api.AttributeValue {
		return api.AttributeValue{
			AttributeInfo: api.AttributeInfo{
				AttributeIdentifier: api.AttributeIdentifier{ResourceInfo: r, Path: path},
			},
			Value: "postgres",
		}
	}
	rows := v.Attributes(api.AttributeValueList{row("data.a"), row("data.b")})
	if rows[0].Value != "postgres" || rows[1].Value != sensitive.Mask {
		t.Errorf("rows: %v, %v", rows[0].Value, rows[1].Value)
	}
	mutations := v.Mutations(api.ResourceMutationList{{
		Resource: r,
		PathMutationMap: api.MutationMap{
			"data.b": {Value: "postgres"},
			"data.i": {Value: "postgres:2", Previous: "postgres:1"},
		},
	}})
	if got := mutations[0].PathMutationMap["data.b"].Value; got != sensitive.Mask {
		t.Errorf("mutation: %s", got)
	}
	if got := mutations[0].PathMutationMap["data.i"].Value; got != "postgres:2" {
		t.Errorf("mutation of an image: %s", got)
	}
}

// TestCopiesFromOtherUnits checks that the values of other files are masked where they are copied.
func TestCopiesFromOtherUnits(t *testing.T) {
	change := find(words).Change([]byte(configMap("a: x")), []byte(configMap("a: postgres")))
	if got, want := string(change.Text(sensitive.After)), configMap("a: (sensitive)"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
