package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

func TestStream(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"plain", []string{"a: 1\n", "b: 2\n"}, "# Source: ./0\na: 1\n---\n# Source: ./1\nb: 2\n"},
		{
			"separators",
			[]string{"---\na: 1\n", "---\nb: 2\n---\nc: 3\n"},
			"---\n# Source: ./0\na: 1\n---\n# Source: ./1\nb: 2\n---\nc: 3\n",
		},
		{
			"a comment after the separator",
			[]string{"a: 1\n", "--- # x\nb: 2\n"},
			"# Source: ./0\na: 1\n--- # x\n# Source: ./1\nb: 2\n",
		},
		{
			"comments before the separator",
			[]string{"a: 1\n", "# x\n\n---\nb: 2\n"},
			"# Source: ./0\na: 1\n# x\n\n---\n# Source: ./1\nb: 2\n",
		},
		{
			"content after the separator",
			[]string{"a: 1\n", "--- |\n b\n"},
			"# Source: ./0\na: 1\n# Source: ./1\n--- |\n b\n",
		},
		{
			"no line end",
			[]string{"a: 1", "b: 2", "---\nc: 3"},
			"# Source: ./0\na: 1\n---\n# Source: ./1\nb: 2\n---\n# Source: ./2\nc: 3",
		},
		{
			"directives",
			[]string{"a: 1\n", "%YAML 1.2\n---\nb: 2\n"},
			"# Source: ./0\na: 1\n...\n%YAML 1.2\n---\n# Source: ./1\nb: 2\n",
		},
		{
			"byte order marks",
			[]string{"\uFEFFa: 1\n", "\uFEFF---\nb: 2\n"},
			"# Source: ./0\na: 1\n---\n# Source: ./1\nb: 2\n",
		},
		{
			"line ends",
			[]string{"a: 1\r\n", "---\r\nb: 2\r\n"},
			"# Source: ./0\na: 1\r\n---\r\n# Source: ./1\nb: 2\r\n",
		},
		{"nothing", []string{"", "a: 1\n"}, "# Source: ./0\n---\n# Source: ./1\na: 1\n"},
		{
			"no separator",
			[]string{"a: 1\n", "---x: 1\n"},
			"# Source: ./0\na: 1\n---\n# Source: ./1\n---x: 1\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s stream
			var got []byte
			for i, text := range c.texts {
				got = append(got, bytes.Join(s.next("./"+string(rune('0'+i)), true,
					Chunks{[]byte(text)}), nil)...)
			}
			if string(got) != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if _, err := gaby.ParseAll(got); err != nil {
				t.Errorf("it cannot be read: %v", err)
			}
		})
	}
}

func TestStreamOfOtherFormats(t *testing.T) {
	var s stream
	var got []byte
	for _, text := range []string{"A=1", "B=2\n"} {
		got = append(got, bytes.Join(s.next("./x.env", false, Chunks{[]byte(text)}), nil)...)
	}
	if want := "# Source: ./x.env\nA=1\n# Source: ./x.env\nB=2\n"; string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestStreamNames checks that no file name can end its comment.
func TestStreamNames(t *testing.T) {
	var s stream
	text := string(bytes.Join(s.next("./a\nkind: Secret\u2028\r.yaml", true,
		Chunks{[]byte("a: 1\n")}), nil))
	if text != "# Source: ./a\\nkind: Secret\\u2028\\r.yaml\na: 1\n" ||
		strings.Count(text, "\n") != 2 {
		t.Errorf("got %q", text)
	}
}
