//go:build !race

package gaby_test

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

func TestOracleCorpus(t *testing.T) {
	docs, refused, library := 0, 0, 0
	for _, f := range corpus(t) {
		t.Run(f.Name, func(t *testing.T) {
			v, err := checkUnit(f.Text)
			if err != nil {
				t.Errorf("%v\n%s", err, clip(f.Text))
			}
			docs += v.Docs
			if v.Library != nil {
				library++
			}
			if v.Refused != nil {
				refused++
				if v.Oracle == nil && !errors.Is(v.Refused, gaby.ErrUnsupported) &&
					refusedByDesign[f.Name] == "" {
					t.Errorf("gaby calls invalid what yaml.v3 accepts: %v", v.Refused)
				}
			}
			if v.Oracle != nil && v.Refused == nil && acceptedByDesign[f.Name] == "" {
				t.Errorf("gaby accepts what yaml.v3 refuses: %v", v.Oracle)
			}
		})
	}
	t.Logf("%d documents compared, %d files refused, %d read by the library", docs, refused,
		library)
}

// refusedByDesign names the corpus files that yaml.v3 reads into nodes and gaby refuses, with the
// reasons.
var refusedByDesign = map[string]string{
	"alias-bomb": "a limit; yaml.v3 refuses it too when it decodes the nodes",
	"alias-self": "a value inside itself; yaml.v3 refuses it too when it decodes the " +
		"nodes",
	"anchors-across-docs": "YAML 1.2 ends anchors with their document",
	"utf16le":             "UTF-8 only, as every tool that writes Kubernetes YAML",
}

// acceptedByDesign names the corpus files that gaby reads and yaml.v3 refuses: all are valid YAML
// 1.2.
var acceptedByDesign = map[string]string{
	"block-root-zero":      "a literal root may be at column 1",
	"anchor-odd-names":     "an anchor may have any characters but blanks and brackets in its name",
	"block-tab-first":      "text of a literal may begin with a tab",
	"docs-bare-after-end":  "after ... a document needs no ---",
	"flow-multiline-key":   "a key in a flow map may be on several lines",
	"tab-after-dash":       "a tab may be between a dash and a scalar",
	"block-top-level-zero": "a literal root may be at column 1",
	"directive-reserved":   "unknown directives are to be ignored",
	"docs-end-only":        "a stream of nothing but an end marker is empty",
	"tabs-blank-lines":     "a line of blanks is not indentation",
	"tabs-comment-line":    "a comment may follow tabs",
	"tabs-flow-lines":      "flow collections have no indentation",
}

// TestOracleLineEnds runs the corpus again with the other line ending, and without the last
// newline.
func TestOracleLineEnds(t *testing.T) {
	for _, f := range corpus(t) {
		if bytes.Contains(f.Text, []byte("\r")) || bytes.HasPrefix(f.Text, []byte("\xef\xbb\xbf")) {
			continue
		}
		for name, text := range map[string][]byte{
			"crlf": bytes.ReplaceAll(f.Text, []byte("\n"), []byte("\r\n")),
			"cr":   bytes.ReplaceAll(f.Text, []byte("\n"), []byte("\r")),
			"cut":  bytes.TrimRight(f.Text, "\n"),
			"bom":  append([]byte("\xef\xbb\xbf"), f.Text...),
			"deep": indentUnder(f.Text),
		} {
			if _, err := checkUnit(text); err != nil {
				t.Errorf("%s, %s: %v\n%s", f.Name, name, err, clip(text))
			}
		}
	}
}

// indentUnder returns text as the value of a key of another document.
func indentUnder(text []byte) []byte {
	return append([]byte("first: 1\n---\nouter:\n"),
		bytes.ReplaceAll(append([]byte("  "), text...), []byte("\n"), []byte("\n  "))...)
}

// TestOracleCuts cuts every small corpus file after every fifth byte, and with LONG=1 (make long)
// after each byte.
func TestOracleCuts(t *testing.T) {
	step := 5
	if os.Getenv("LONG") != "" {
		step = 1
	}
	for n, f := range corpus(t) {
		if len(f.Text) > 800 {
			continue
		}
		for i := n % step; i < len(f.Text); i += step {
			if _, err := checkUnit(f.Text[:i:i]); err != nil {
				t.Errorf("%s cut at %d: %v\n%q", f.Name, i, err, clip(f.Text[:i]))
				break
			}
		}
	}
}

// TestOracleData checks the proof itself: dataOf must return what yaml.v3 decodes.
func TestOracleData(t *testing.T) {
	compared := 0
	for _, f := range corpus(t) {
		roots, _ := yamlDocs(f.Text)
		for _, r := range roots {
			var want any
			if err := r.Decode(&want); err != nil {
				continue
			}
			have, err := dataOf(r)
			if err != nil {
				t.Errorf("%s: yaml.v3 decodes what dataOf does not: %v", f.Name, err)
				continue
			}
			want, ok := plainKeys(want)
			if !ok {
				continue
			}
			compared++
			if d := diffData(want, have, ""); d != "" {
				t.Errorf("%s: %s", f.Name, d)
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d documents compared", compared)
	}
}

// plainKeys converts the map[any]any of yaml.v3 to map[string]any; ok is false if a key or a value
// has a type that gaby never returns.
func plainKeys(v any) (any, bool) {
	switch v := v.(type) {
	case time.Time:
		return nil, false
	case []any:
		for i := range v {
			x, ok := plainKeys(v[i])
			if !ok {
				return nil, false
			}
			v[i] = x
		}
	case map[string]any:
		for k := range v {
			x, ok := plainKeys(v[k])
			if !ok {
				return nil, false
			}
			v[k] = x
		}
	case map[any]any:
		m := map[string]any{}
		for k, x := range v {
			key, ok := k.(string)
			if !ok {
				return nil, false
			}
			if m[key], ok = plainKeys(x); !ok {
				return nil, false
			}
		}
		return m, true
	}
	return v, true
}
