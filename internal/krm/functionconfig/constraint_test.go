package functionconfig

import (
	"strings"
	"testing"
)

func TestConstraintLimits(t *testing.T) {
	for _, text := range []string{
		">=" + strings.Repeat("1", 600), strings.Repeat("1||", 40) + "1", "~1,", ",~1", "~1 ||",
		"1 -",
		"- 1", "~1~2", "==1", "><1", "!1", "~1 2 - ", ">*", "1.*.2", "1.2.3.4", "1|2",
		">18446744073709551616",
	} {
		t.Run(text, func(t *testing.T) {
			if c, err := parseConstraint(text); err == nil {
				t.Errorf("%q is %+v", text, c)
			}
		})
	}
}

func FuzzParseTag(f *testing.F) {
	for _, s := range []string{
		"v0.2", "~0.4", ">=0.2, <0.3", "0.1 - 0.3", "1.x || ^2", "*", "!=1.2-rc",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tag, err := ParseTag(text)
		if err != nil {
			return
		}
		tag.Allows("v0.4.1")
		if !tag.IsConstraint() && !tag.Allows(text) {
			t.Errorf("the literal %q does not allow itself", text)
		}
	})
}
