//go:build !race

package hclkit_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/hclkit"
)

func TestCorpus(t *testing.T) { formattest.Corpus(t, hclkit.Converter{}, corpus) }

// TestModule edits everything in a module as people publish them, each for itself: in the whole
// file only its block changes. Every fourth block is edited in the whole file, and with LONG=1
// (make long) every block.
func TestModule(t *testing.T) {
	module, err := os.ReadFile("testdata/module.tf")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		string(module),
		strings.ReplaceAll(string(module), "\n", "\r\n"),
	} {
		t.Run(text, func(t *testing.T) {
			docs, err := hclkit.Converter{}.NativeToDocuments([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			at := 0
			for i := range docs {
				block, err := hclkit.Converter{}.DocumentsToNative(docs[i : i+1])
				if err != nil || !strings.HasPrefix(text[at:], string(block)) {
					t.Fatalf("%v: %q", err, block)
				}
				before, after := text[:at], text[at+len(block):]
				at += len(block)
				if i%4 > 0 && os.Getenv("LONG") == "" {
					continue
				}
				if text == string(module) { // the corpus covers other line ends
					formattest.EachPath(t, hclkit.Converter{}, string(block))
				}
				for _, key := range []string{"description", "zz_new"} {
					again, err := hclkit.Converter{}.NativeToDocuments([]byte(text))
					if err != nil {
						t.Fatal(err)
					}
					if _, err := again[i].Set("x", key); err != nil {
						t.Fatal(err)
					}
					edited, err := hclkit.Converter{}.DocumentsToNative(again)
					if err != nil {
						t.Fatal(err)
					}
					if !strings.HasPrefix(string(edited), before) ||
						!strings.HasSuffix(string(edited), after) || string(edited) == text {
						t.Errorf("%s of block %d gives\n%s", key, i, edited)
					}
				}
			}
			if at != len(text) {
				t.Errorf("%d bytes are in no block", len(text)-at)
			}
		})
	}
}

// TestOracle compares strings with those that the reference implementation writes and reads.
func TestOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[a-zé日😀 \n\t\r"\\$%{}]{0,12}`).Draw(t, "value")
		text := string(hclwrite.TokensForValue(cty.StringVal(value)).Bytes())
		docs, err := hclkit.Converter{}.NativeToDocuments([]byte("x = " + text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		have, _ := docs[0].Path("x").Data().(string)
		want := strings.NewReplacer("${", "$${", "%{", "%%{").Replace(value)
		if have != want {
			t.Fatalf("%s is %q, not %q", text, have, want)
		}
		if _, err := docs[0].Set(have+"!", "x"); err != nil {
			t.Fatal(err)
		}
		after, err := hclkit.Converter{}.DocumentsToNative(docs)
		if err != nil {
			t.Fatal(err)
		}
		file, diagnostics := hclsyntax.ParseConfig(after, "", hcl.InitialPos)
		if diagnostics.HasErrors() {
			t.Fatal(diagnostics)
		}
		again, diagnostics := file.Body.(*hclsyntax.Body).Attributes["x"].Expr.Value(nil)
		if diagnostics.HasErrors() || again.AsString() != value+"!" {
			t.Fatalf("%q with ! is %v", value, again)
		}
	})
}
