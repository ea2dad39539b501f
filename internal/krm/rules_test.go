package krm

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rules are the ids of the rules of KRM functions: of the wire format (W), annotations (A),
// declarations (D), orchestration (O), execution (E), files (F), results (R), kpt's commands (K),
// and wrap and xargs (X).
const rules = "W0 W1 W2 W3 W4 W5 W6 W7 W8 A1 A2 A3 A4 D1 D2 D3 D4 D5 D6 " +
	"O1 O2 O3 O4 O5 O6 O7 O8 O9 O10 O11 E1 E2 E3 E4 E5 E6 E7 E8 E9 E10 E11 " +
	"F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 R1 R2 R3 K1 K2 K3 K4 K5 K6 K7 K8 K9 K10 K11 " +
	"X1 X2 X3 X4 X5 X5b X6 X7 X8"

// Every rule has a test that names it, so that one finds what a change of a rule is about.
func TestEveryRuleIsTested(t *testing.T) {
	cited := map[string]bool{}
	id := regexp.MustCompile(`(?:\bTest|\b)([WADOFKRXE][0-9]{1,2}b?)(?:[^0-9a-z]|to|$)`)
	for _, dir := range []string{
		"..", "../../examples/krm", "../../cmd/fctl/testdata/script",
	} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") &&
				!strings.HasPrefix(e.Name(), "krm-") || e.Name() == "rules_test.go" {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range id.FindAllStringSubmatch(string(text), -1) {
				cited[m[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for rule := range strings.FieldsSeq(rules) {
		t.Run(rule, func(t *testing.T) {
			if !cited[rule] {
				t.Errorf("no test names %s", rule)
			}
		})
	}
}
