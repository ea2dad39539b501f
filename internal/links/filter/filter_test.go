package filter_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/where"
)

// TestThreeValues selects mutations by attributes that some of them lack.
func TestThreeValues(t *testing.T) {
	five := int64(5)
	merged := &entity.Mutation{MutationNum: 1, MergeSourceID: "U", MergeEndRevisionNum: &five}
	other := &entity.Mutation{MutationNum: 2, MergeSourceID: "V"}
	edited := &entity.Mutation{MutationNum: 3, Subgroup: "security"}
	for text, want := range map[string]string{
		"":                                         "1 2 3",
		"MergeSourceID = 'U'":                      "1",
		"MergeSourceID != 'U'":                     "2",
		"MergeSourceID = 'U' IS NOT FALSE":         "1 3",
		"MergeSourceID = 'U' IS NOT TRUE":          "2 3",
		"MergeSourceID = 'U' IS FALSE":             "2",
		"MergeSourceID IS NULL":                    "3",
		"MergeSourceID IS NOT NULL":                "1 2",
		"MergeSourceID IN ('U', 'V')":              "1 2",
		"MergeSourceID NOT IN ('U')":               "2",
		"MergeEndRevisionNum >= 5":                 "1",
		"MergeEndRevisionNum > 5":                  "",
		"MergeEndRevisionNum < 6 IS NOT FALSE":     "1 2 3",
		"MutationNum > 1 AND MutationNum <= 2":     "2",
		"MutationNum IN (1,3)":                     "1 3",
		"Subgroup LIKE 'sec%'":                     "3",
		"Subgroup NOT LIKE 'sec%'":                 "",
		"Subgroup ILIKE 'SEC_RITY'":                "3",
		"Subgroup ~ '^sec'":                        "3",
		"Subgroup !~ '^x'":                         "3",
		"Subgroup ~* 'URI'":                        "3",
		"Source = 'Edit'":                          "3",
		"MergeSource = 'dev/web'":                  "1",
		"UnitID = 'me'":                            "1 2 3",
		"FunctionName IS NULL AND LinkID = 'x'":    "",
		"MutationNum = 1 OR Subgroup = 'security'": "1 3",
		"(Subgroup IS NULL) AND (MutationNum = 2 OR MergeEndRevisionNum = 5)": "1 2",
		"(MergeSourceID = 'U' IS NOT FALSE) AND MutationNum > 1":              "3",
		"MergeSourceID = 'V' OR MergeSourceID = 'U' IS NOT TRUE":              "2 3",
		"Subgroup NOT ILIKE 'X%'":                                             "3",
		"Subgroup ~~* 'SEC%' OR Subgroup !~~* 'SEC%'":                         "3",
	} {
		t.Run(text, func(t *testing.T) {
			e, err := filter.Parse(text, filter.Mutation)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				return
			}
			var got []string
			for i, m := range []*entity.Mutation{merged, other, edited} {
				c := filter.MutationContext{
					Unit: &entity.Unit{UnitID: "me"},
					UnitName: func(id string) string {
						return map[string]string{"U": "dev/web"}[id]
					},
				}
				if m == edited {
					c.Revision = &entity.Revision{Source: entity.SourceEdit}
				}
				if e.MatchAttributes(filter.OfMutation(m, c)) {
					got = append(got, string(rune('1'+i)))
				}
			}
			if got := strings.Join(got, " "); got != want {
				t.Errorf("%s selects %q, want %q", text, got, want)
			}
		})
	}
}

func TestMaps(t *testing.T) {
	unit := &entity.Unit{Common: entity.Common{
		Slug: "web", Labels: map[string]string{"app.kubernetes.io/name": "shop"},
		DeleteGates: map[string]bool{"open": false, "closed": true},
	}}
	for text, want := range map[string]bool{
		"Labels.app.kubernetes.io/name = 'shop'": true,
		"Labels.tier = 'web'":                    false,
		"Labels.tier = 'web' IS NOT TRUE":        true,
		"Labels.tier IS NULL":                    true,
		"LEN(Labels) = 1":                        true,
		"LEN(Annotations) = 0":                   true,
		"LEN(Slug) = 3":                          true,
		"Labels ? 'app.kubernetes.io/name'":      true,
		"Labels ? 'tier'":                        false,
		"DeleteGates ? 'closed'":                 true,
		"DeleteGates ? 'open'":                   false,
		"HeadRevisionNum = 0":                    true,
		"UpstreamRevisionNum = 0":                false,
	} {
		t.Run(text, func(t *testing.T) {
			e, err := filter.Parse(text, entity.KindUnit)
			if err != nil {
				t.Errorf("%s: %v", text, err)
			} else if got := e.MatchAttributes(filter.Of(unit)); got != want {
				t.Errorf("%s: %v", text, got)
			}
		})
	}
}

// TestSchemasHaveValues compares a value of every attribute with NULL: a schema must not name an
// attribute without a value.
func TestSchemasHaveValues(t *testing.T) {
	one := int64(1)
	c := entity.Common{
		Slug: "a", DisplayName: "a", SpaceID: "a", SpaceSlug: "a", Recorded: entity.Recorded{Version: 1},
		Labels: map[string]string{}, Annotations: map[string]string{},
	}
	unit := &entity.Unit{UnitID: "a", Common: c, ToolchainType: "t", UnitState: entity.UnitState{
		DataHash: "a", UpstreamUnitID: "a", UpstreamSpaceID: "a", LastChangeDescription: "a",
	}}
	link := &entity.Link{
		LinkID: "a", Common: c, FromUnit: "a", FromUnitID: "a", ToUnit: "a", ToUnitID: "a",
		ToSpace: "a", ToSpaceID: "a", WhereMutation: "a", WhereResource: "a",
		TransformInvocationID: "a", Hash: "a", StaleReasons: []entity.StaleReason{"a", "b"},
		LinkRecord: entity.LinkRecord{ResolvedHash: "a"},
	}
	id := func(string) string { return "a" }
	mutation := &entity.Mutation{
		MutationID: "a", InvocationID: "a", LinkID: "a", MergeSourceID: "a", Subgroup: "a",
		MergeBaseRevisionNum: &one, MergeEndRevisionNum: &one, RestoredRevisionNum: &one,
		UpgradedFromUpstreamRevisionNum: &one,
	}
	of := filter.OfMutation(mutation, filter.MutationContext{
		Unit: unit, Revision: &entity.Revision{RevisionID: "a", Source: "a"},
		UnitName: id, Slug: id,
	})
	for _, s := range []struct {
		name   string
		schema where.Attributes
		of     func(string) where.Operand
	}{
		{"space", filter.Schema(entity.KindSpace), filter.Of(&entity.Space{SpaceID: "a", Common: c})},
		{"unit", filter.Schema(entity.KindUnit), filter.Of(unit)},
		{"link", filter.Schema(entity.KindLink), filter.Of(link)},
		{"mutation", filter.Schema(filter.Mutation), of},
		{"revision", filter.Schema(filter.Revision), filter.Of(&entity.Revision{
			RevisionID: "a", UnitID: "a", DataHash: "a", Source: "a", Description: "a",
		})},
		{"invocation", filter.Schema(entity.KindInvocation), filter.Of(&entity.Invocation{
			InvocationID: "a", Common: c, ToolchainType: "a", FunctionName: "a", WhereResource: "a",
			BridgeWorkerID: "a",
		})},
		{"filter", filter.Schema(entity.KindFilter), filter.Of(&entity.Filter{
			FilterID: "a", Common: c, From: "a", FromSpace: "a", Where: "a", WhereData: "a",
			ResourceType: "a",
		})},
	} {
		t.Run(s.name, func(t *testing.T) {
			for name := range s.schema {
				absent := name == "CreatedAt" || name == "UpdatedAt" ||
					name == "FunctionName" && s.name == "mutation"
				if got := s.of(name); got.Present == absent {
					t.Errorf("%s: %+v", name, got)
				}
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"Slug":                     "5 E_WHERE_PARSE: invalid operator at ``",
		"Slug = 'a' AND":           "15 E_WHERE_PARSE: nothing follows the AND",
		"Slug = 'a' Slug = 'b'":    "12 E_WHERE_PARSE: AND or OR is expected at `Slug = 'b'`",
		"Slug = 'a' or Slug = 'b'": "12 E_WHERE_PARSE: AND or OR is expected at `or Slug = 'b'`",
		"(Slug = 'a' OR Slug":      "20 E_WHERE_PARSE: invalid operator at ``",
		"Slug ? 'a'":               "6 E_WHERE_PARSE: Slug cannot be compared with ?",
		"HeadRevisionNum IN (1, 'a')": "24 E_WHERE_PARSE: invalid IN clause at `(1, 'a')`: " +
			"HeadRevisionNum is compared with whole numbers",
		"AND":                   "1 E_WHERE_ATTR: unknown attribute AND",
		"slug = 'a'":            "1 E_WHERE_ATTR: unknown attribute slug",
		"Slug = \"a\"":          "8 E_WHERE_PARSE: no operand found at `\"a\"`",
		"Slug = 'a":             "8 E_WHERE_PARSE: the text that begins here has no end: a ' is missing",
		`Slug = 'a\'`:           "10 E_WHERE_PARSE: '\\\\' is not allowed in a text",
		"Slug ~ '('":            "8 E_WHERE_PARSE: error parsing regexp: missing closing ): `(`",
		"UnitID LIKE 'a'":       "8 E_WHERE_PARSE: UnitID cannot be compared with LIKE",
		"HeadRevisionNum = 'a'": "19 E_WHERE_PARSE: HeadRevisionNum is compared with whole numbers",
		"HeadRevisionNum IN 1":  "20 E_WHERE_PARSE: invalid IN clause at `1`",
		"LEN(UnitID) = 1":       "5 E_WHERE_PARSE: UnitID has no length",
		"Labels = 'a'":          "8 E_WHERE_PARSE: Labels cannot be compared with =",
		"Slug IS nothing":       "9 E_WHERE_PARSE: invalid operator at `nothing`",
		"Slug = 'a' IS 1":       "15 E_WHERE_PARSE: TRUE or FALSE is expected at `1`",
		"Slug = '" + strings.Repeat("a", 5000) +
			"'": "1 E_WHERE_PARSE: the filter has more than 4096 bytes",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := filter.Parse(text, entity.KindUnit)
			cause, ok := errors.AsType[*where.Error](err)
			if !ok {
				t.Errorf("%s: %v", text, err)
				return
			}
			if got := fmt.Sprintf("%d %v", cause.Column, err); got != want {
				t.Errorf("%s: %s\nwant %s", text, got, want)
			}
		})
	}
}
