package gaby_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	// Only the data of the module is used, found in the module cache; the import keeps it in
	// go.mod.
	_ "github.com/goccy/go-yaml/testdata/yaml-test-suite"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

const suiteModule = "github.com/goccy/go-yaml"

// suiteDir returns the directory of the public yaml-test-suite, which that module contains as
// files.
func suiteDir(t *testing.T) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", suiteModule).Output()
	if dir := strings.TrimSpace(string(out)); err == nil && dir != "" {
		return filepath.Join(dir, "testdata", "yaml-test-suite")
	}
	out, err = exec.Command("go", "mod", "download", "-json", suiteModule).Output()
	var module struct{ Dir string }
	if err == nil && json.Unmarshal(out, &module) == nil && module.Dir != "" {
		return filepath.Join(module.Dir, "testdata", "yaml-test-suite")
	}
	t.Skipf("the module %s, which carries the yaml-test-suite, cannot be had: %v", suiteModule, err)
	return ""
}

// A suiteCase is one directory of the suite.
type suiteCase struct {
	Name    string
	YAML    []byte
	JSON    []any // values of its documents; nil if the suite has none
	Invalid bool
}

func suiteCases(t *testing.T) []suiteCase {
	root := suiteDir(t)
	var cases []suiteCase
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "in.yaml" {
			return err
		}
		dir := filepath.Dir(path)
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		c := suiteCase{Name: filepath.ToSlash(name)}
		if c.YAML, err = os.ReadFile(path); err != nil {
			return err
		}
		_, err = os.Stat(filepath.Join(dir, "error"))
		c.Invalid = err == nil
		if text, err := os.ReadFile(filepath.Join(dir, "in.json")); err == nil {
			if c.JSON, err = jsonValues(text); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		cases = append(cases, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 350 {
		t.Fatalf("found only %d cases in %s", len(cases), root)
	}
	return cases
}

func jsonValues(text []byte) ([]any, error) {
	values := []any{}
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return values, nil
		} else if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
}

// suiteExceptions are the cases where gaby deviates from the suite, with the reasons.
var suiteExceptions = map[string]string{
	"construct-binary": "!!binary is decoded, as yaml.v3 does; the suite keeps the base64",
	"spec-example-6-28-non-specific-tags": "`! 12` is the number, as for yaml.v3; the " +
		"suite says text",
	"tabs-in-various-contexts/003": "lines of a flow collection need no " +
		"indentation, so a tab there is a blank; JSON is written so",
	"wrong-indented-flow-sequence": "flow collections continue in any column, as " +
		"for yaml.v3; people write so",
	"wrong-indented-multiline-quoted-scalar": "quoted text continues in any column, as for yaml.v3",
	"tabs-that-look-like-indentation/01": "quoted text continues in any column, after " +
		"tabs too, as for yaml.v3",
	"anchor-with-colon-in-the-middle":    "left to yaml.v3, which ends the anchor at the colon",
	"question-mark-at-start-of-flow-key": "left to yaml.v3, which takes the ? for an indicator",
	"scalars-in-flow-start-with-syntax-char/01": "left to yaml.v3, which takes the ? for an " +
		"indicator",
	"trailing-whitespace-in-streams/02": "a last line of blanks without a line end is " +
		"not a line, as for yaml.v3",
	"trailing-line-of-spaces/01": "a last line of blanks without a line end gets " +
		"none added, as for yaml.v3",
}

// suiteUnsupported are the valid cases that are refused with ErrUnsupported and a position, by
// their content. yaml.v3 cannot read them either, so their meaning cannot be compared.
var suiteUnsupported = map[string][]string{
	"an entry whose key has no text": {
		"block-mapping-with-missing-keys", "empty-implicit-key-in-single-pair-flow-sequences",
		"empty-keys-in-block-and-flow-mapping",
		"empty-lines-at-end-of-document", "question-mark-edge-cases/00",
		"single-character-streams/01", "spec-example-7-2-empty-content",
		"spec-example-7-3-completely-empty-flow-nodes",
		"spec-example-8-18-implicit-block-mapping-entries", "syntax-character-edge-cases/00",
	},
	"an explicit key with an anchor or that is an alias": {"aliases-in-explicit-block-mapping"},
	"an anchor whose name has a colon in it": {
		"allowed-characters-in-alias",
		"anchors-with-colon-in-name",
	},
	"a colon on the line below its key": {
		"flow-mapping-colon-on-line-after-key/00", "flow-mapping-colon-on-line-after-key/01",
		"flow-mapping-colon-on-line-after-key/02",
	},
	"a question mark after a blank in a flow collection": {"question-marks-in-scalars"},
	"a tab in front of the first content of a line": {
		"tab-at-beginning-of-line-followed-by-a-flow-mapping", "tab-indented-top-flow",
		"tabs-that-look-like-indentation/00",
	},
}

// TestYAMLTestSuite checks that valid cases mean what the suite says, except those listed above,
// and that invalid ones are errors with a position or ErrUnsupported.
func TestYAMLTestSuite(t *testing.T) {
	var valid, library, unsupportedValid, invalid, unsupportedInvalid, excepted int
	used := map[string]bool{}
	refused := map[string]bool{}
	for _, names := range suiteUnsupported {
		for _, name := range names {
			refused[name] = true
		}
	}
	for _, c := range suiteCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			why, isException := suiteExceptions[c.Name]
			used[c.Name] = true
			docs, unsupported, err := readAll(c.YAML)
			problem := ""
			switch {
			case c.Invalid && (unsupported || errors.Is(err, gaby.ErrUnsupported)):
				unsupportedInvalid++
			case errors.Is(err, gaby.ErrUnsupported):
				unsupportedValid++
				if !refused[c.Name] {
					problem = fmt.Sprintf("refuses valid YAML: %v", err)
				}
				delete(refused, c.Name)
			case unsupported && err == nil:
				problem = sameAsSuite(c, docs)
				library++
			case c.Invalid && err == nil:
				problem = fmt.Sprintf("accepts invalid YAML as %#v", docs)
			case c.Invalid:
				invalid++
			case err != nil:
				problem = fmt.Sprintf("refuses valid YAML: %v", err)
			default:
				problem = sameAsSuite(c, docs)
				valid++
			}
			if err != nil {
				if err := wellFormedRefusal(err, c.YAML); err != nil {
					t.Error(err)
				}
			}
			if _, err := checkUnit(c.YAML); err != nil {
				t.Errorf("against yaml.v3: %v\n%s", err, c.YAML)
			}
			switch {
			case problem != "" && isException:
				excepted++
			case problem != "":
				t.Errorf("%s\n%s\n%q", problem, c.YAML, c.YAML)
			case isException:
				t.Errorf("is not an exception any more: %s", why)
			}
		})
	}
	for name := range suiteExceptions {
		t.Run(name, func(t *testing.T) {
			if !used[name] {
				t.Errorf("the exception %s is not a case of the suite", name)
			}
		})
	}
	for name := range refused {
		t.Errorf("%s is not refused any more", name)
	}
	t.Logf("valid: %d mean the same, %d read by the library mean the same, %d unsupported; "+
		"invalid: %d refused, %d unsupported; %d explained exceptions",
		valid, library, unsupportedValid, invalid, unsupportedInvalid, excepted)
}

// readAll returns the values of all documents of a text and whether some were left to yaml.v3, or
// the first error.
func readAll(text []byte) (docs []any, unsupported bool, err error) {
	c, err := gaby.ParseAll(text)
	if err != nil {
		return nil, false, err
	}
	for _, d := range c {
		if err := d.Check(); err != nil {
			return nil, unsupported, err
		}
		unsupported = unsupported || gaby.Unsupported(d) != nil
		docs = append(docs, d.Data())
	}
	return docs, unsupported, nil
}

// sameAsSuite compares with the suite's JSON, or with yaml.v3 if it has none; it returns "" if they
// agree.
func sameAsSuite(c suiteCase, have []any) string {
	want := c.JSON
	if want == nil {
		roots, err := oracle(c.YAML)
		if err != nil {
			return "" // no reader to compare with; checkUnit has checked the rest
		}
		for _, r := range roots {
			v, err := dataOf(r)
			if err != nil {
				return ""
			}
			want = append(want, v)
		}
	}
	// A document without content is not a document for gaby; its bytes belong to a neighbour.
	want, have = withoutNulls(want), withoutNulls(have)
	if len(want) != len(have) {
		return fmt.Sprintf("%d documents, want %d: %#v, %#v", len(have), len(want), have, want)
	}
	for i := range want {
		if d := diffData(asJSON(want[i]), asJSON(have[i]), ""); d != "" {
			return fmt.Sprintf("document %d (suite, gaby): %s", i+1, d)
		}
	}
	return ""
}

func withoutNulls(docs []any) []any {
	var some []any
	for _, d := range docs {
		if d != nil {
			some = append(some, d)
		}
	}
	return some
}

// asJSON converts numbers to float64, as encoding/json decodes them.
func asJSON(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case []any:
		l := make([]any, len(v))
		for i := range v {
			l[i] = asJSON(v[i])
		}
		return l
	case map[string]any:
		m := map[string]any{}
		for k := range v {
			m[k] = asJSON(v[k])
		}
		return m
	}
	return v
}
