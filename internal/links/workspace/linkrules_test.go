package workspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// problemsOf writes files into a workspace with two units of Kubernetes/YAML (a, b), one of
// AppConfig/Env (env), and a second space (other) with a unit far. It returns what validating the
// workspace finds, one code and position a line.
func problemsOf(t *testing.T, files map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	if _, err := workspace.Init(t.Context(), dir,
		workspace.InitOptions{Space: "s"}); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{
		"spaces/s/units/a/unit.yaml":       "{}\n",
		"spaces/s/units/b/unit.yaml":       "{}\n",
		"spaces/s/units/env/unit.yaml":     "ToolchainType: AppConfig/Env\n",
		"spaces/other/space.yaml":          "{}\n",
		"spaces/other/units/far/unit.yaml": "{}\n",
		"spaces/s/invocations/i.yaml": "ToolchainType: Kubernetes/YAML\n" +
			"FunctionName: get-replicas\n",
	})
	write(t, dir, files)
	s, w := open(t, dir, workspace.OpenOptions{})
	defer s.Close() //nolint:errcheck // only read
	found := []string{}
	for _, e := range w.Validate() {
		file := e.Pos.File[strings.LastIndex(e.Pos.File, "/")+1:]
		found = append(found, fmt.Sprintf("%s %s:%d:%d", e.Code, file, e.Pos.Line, e.Pos.Column))
	}
	return found
}

// TestLegalFields is the table of fields and the types of links that allow them.
func TestLegalFields(t *testing.T) {
	const (
		binding = "Bindings: [{NeededResource: {ResourceType: v1/A, ResourceName: x}, " +
			"NeededPath: p}]"
		manual = "Bindings: [{NeededResource: {ResourceType: v1/A, ResourceName: x}, " +
			"NeededPath: p, ProvidedResource: {ResourceType: v1/A, ResourceName: x}, " +
			"ProvidedPath: p}]"
		write = "DownstreamPaths: [{Path: p, Expression: x}]"
	)
	// What a link of a type needs to be legal.
	basis := map[entity.UpdateType]string{
		entity.UpdateInsert: binding, entity.UpdateTransformPaths: write,
	}
	const all = "UpgradeUnit MergeUnits Insert Upsert TransformPaths NeedsProvides"
	rows := []struct {
		field, legal string
		code         entity.Code
	}{
		{"AutoUpdate: true", all, entity.CodeNoneAutoUpdate},
		{
			"UseLiveState: true", "MergeUnits Insert Upsert TransformPaths NeedsProvides",
			entity.CodeFieldNotAllowed,
		},
		{"WhereMutation: Subgroup = 'x'", "UpgradeUnit MergeUnits", entity.CodeFieldNotAllowed},
		{
			"MergeDisableSubtraction: true", "UpgradeUnit MergeUnits",
			entity.CodeFieldNotAllowed,
		},
		{"WhereResource: ConfigHub.ResourceType = 'v1/A'", all, entity.CodeFieldNotAllowed},
		{manual, "NeedsProvides", entity.CodeBindingsForbidden},
		{"TransformInvocation: i", "Upsert", entity.CodeFieldNotAllowed},
		{"UpstreamPaths: [{Name: x, Path: p}]", "TransformPaths", entity.CodeFieldNotAllowed},
		{
			"UpstreamGetters: [{Name: x, FunctionInvocation: {FunctionName: get-replicas}}]",
			"TransformPaths", entity.CodeFieldNotAllowed,
		},
		{write, "TransformPaths", entity.CodeFieldNotAllowed},
		{
			"DownstreamSetters: [{FunctionInvocation: {FunctionName: set-replicas}}]",
			"TransformPaths", entity.CodeFieldNotAllowed,
		},
		{"InsertStripMetadata: true", "Insert", entity.CodeFieldNotAllowed},
	}
	for _, row := range rows {
		name, _, _ := strings.Cut(row.field, ":")
		for _, typ := range entity.UpdateTypes() {
			t.Run(name+"/"+string(typ), func(t *testing.T) {
				text := fmt.Sprintf("FromUnit: a\nToUnit: b\nUpdateType: %s\n", typ)
				if b := basis[typ]; b != "" && !strings.HasPrefix(b, name) {
					text += b + "\n"
				}
				line := strings.Count(text, "\n") + 1
				want := []string{}
				if !slices.Contains(strings.Fields(row.legal), string(typ)) {
					want = []string{fmt.Sprintf("%s l.yaml:%d:%d", row.code, line, len(name)+3)}
					if name == "Bindings" && typ == entity.UpdateInsert { // it has others
						want = []string{fmt.Sprintf("%s l.yaml:%d", entity.CodeBindingInvalid,
							line)}
					}
				}
				got := problemsOf(t, map[string]string{
					"spaces/s/links/l.yaml": text + row.field + "\n",
				})
				if len(want) == 1 && len(got) == 1 && strings.HasPrefix(got[0], want[0]) {
					return
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestLinkRules is what else makes a link illegal.
func TestLinkRules(t *testing.T) {
	const transform = "FromUnit: a\nToUnit: b\nUpdateType: TransformPaths\n"
	binding := func(fields string) string {
		return "FromUnit: a\nToUnit: b\nUpdateType: Insert\nBindings:\n- " + fields + "\n"
	}
	manual := func(fields string) string {
		return "FromUnit: a\nToUnit: b\nBindings:\n" + strings.Repeat("- "+fields+"\n", 2)
	}
	const needed = "NeededResource: {ResourceType: v1/A, ResourceName: x}"
	rows := []struct {
		name, link string
		want       []string
	}{
		{"nothing is wrong", "FromUnit: a\nToUnit: b\n", nil},
		{"another space", "FromUnit: a\nToUnit: far\nToSpace: other\n", nil},
		{"From of another space", "FromUnit: other/far\nToUnit: b\n", []string{"E_LINK_SPACE"}},
		{"no such unit", "FromUnit: a\nToUnit: zzz\n", []string{"E_UNIT_NOT_FOUND"}},
		{"both ends are missing", "{}\n", []string{"E_UNIT_NOT_FOUND", "E_UNIT_NOT_FOUND"}},
		{"no such space", "FromUnit: a\nToUnit: b\nToSpace: zzz\n", []string{"E_NOT_FOUND"}},
		{"itself", "FromUnit: a\nToUnit: a\n", []string{"E_LINK_SELF", "E_LINK_CYCLE"}},
		{"no such type", "FromUnit: a\nToUnit: b\nUpdateType: Upset\n", []string{"E_UPDATE_TYPE"}},
		{
			"the ID is that of another unit",
			"FromUnit: a\nToUnit: b\nToUnitID: " + entity.ID(entity.KindUnit, "s", "a", 0) + "\n",
			[]string{"E_REF_MISMATCH"},
		},
		{
			"merging another toolchain", "FromUnit: a\nToUnit: env\nUpdateType: MergeUnits\n",
			[]string{"E_TOOLCHAIN"},
		},
		{
			"upgrading another toolchain", "FromUnit: a\nToUnit: env\nUpdateType: UpgradeUnit\n",
			[]string{"E_TOOLCHAIN"},
		},
		{
			"Upsert into another toolchain", "FromUnit: env\nToUnit: a\nUpdateType: Upsert\n",
			[]string{"E_TOOLCHAIN"},
		},
		{
			"Upsert of another toolchain", "FromUnit: a\nToUnit: env\nUpdateType: Upsert\n",
			[]string{"E_TOOLCHAIN"},
		},
		{"nothing to write", transform, []string{"E_EMPTY_TRANSFORM"}},
		{"only expressions", transform + "DownstreamPaths: [{Path: p, Expression: x}]\n", nil},
		{
			"an unknown evaluator",
			transform + "DownstreamPaths: [{Path: p, Expression: x, Evaluator: lua}]\n",
			[]string{"E_EVALUATOR"},
		},
		{
			"an unknown data type",
			transform + "DownstreamPaths: [{Path: p, Expression: x, DataType: float}]\n",
			[]string{"E_DATATYPE"},
		},
		{"no binding", "FromUnit: a\nToUnit: b\nUpdateType: Insert\n", []string{"E_BINDING_COUNT"}},
		{
			"two bindings",
			binding(needed+"\n  NeededPath: p") + "- " + needed + "\n  NeededPath: q\n",
			[]string{"E_BINDING_COUNT"},
		},
		{"no NeededPath", binding(needed), []string{"E_BINDING_INVALID"}},
		{
			"no name", binding("NeededResource: {ResourceType: v1/A}\n  NeededPath: p"),
			[]string{"E_BINDING_INVALID"},
		},
		{
			"a provided path", binding(needed + "\n  NeededPath: p\n  ProvidedPath: q"),
			[]string{"E_BINDING_INVALID"},
		},
		{
			"an automatic binding", binding(needed + "\n  NeededPath: p\n  AutoUpdate: true"),
			[]string{"E_BINDING_INVALID"},
		},
		{
			"half a binding", "FromUnit: a\nToUnit: b\nBindings:\n- " + needed + "\n",
			[]string{"E_BINDING_INVALID"},
		},
		{
			"bound twice",
			manual(needed + "\n  NeededPath: p\n  ProvidedPath: q\n  ProvidedResource:" +
				" {ResourceType: v1/B, ResourceName: y}"),
			[]string{"E_BINDING_DUP"},
		},
		{
			"a filter that ends with AND",
			"FromUnit: a\nToUnit: b\nWhereResource: kind = 'A' AND\n",
			[]string{"E_WHERE_PARSE"},
		},
		{
			"a filter over 1024 bytes",
			"FromUnit: a\nToUnit: b\nWhereResource: kind = '" + strings.Repeat("x", 1024) + "'\n",
			[]string{"E_WHERE_PARSE"},
		},
		{
			"an unknown attribute",
			"FromUnit: a\nToUnit: b\nUpdateType: MergeUnits\nWhereMutation: Colour = 'red'\n",
			[]string{"E_WHERE_ATTR"},
		},
		{
			"a filter of mutations over 4096 bytes",
			"FromUnit: a\nToUnit: b\nUpdateType: MergeUnits\nWhereMutation: Subgroup = '" +
				strings.Repeat("x", 4096) + "'\n",
			[]string{"E_WHERE_PARSE"},
		},
		{
			"an unknown field", "FromUnit: a\nToUnit: b\nUpdatType: None\n",
			[]string{"E_UNKNOWN_FIELD"},
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var codes []string
			for _, line := range problemsOf(t, map[string]string{
				"spaces/s/links/l.yaml": row.link,
			}) {
				code, at, _ := strings.Cut(line, " ")
				codes = append(codes, code)
				if !strings.HasPrefix(at, "l.yaml:") || strings.HasPrefix(at, "l.yaml:0") &&
					code != "E_LINK_CYCLE" {
					t.Errorf("the position of %s is %s", code, at)
				}
			}
			if diff := cmp.Diff(row.want, codes); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("two upgrades", func(t *testing.T) {
		got := problemsOf(t, map[string]string{
			"spaces/s/links/l1.yaml": "FromUnit: a\nToUnit: b\nUpdateType: UpgradeUnit\n",
			"spaces/s/links/l2.yaml": "FromUnit: a\nToUnit: far\nToSpace: other\n" +
				"UpdateType: UpgradeUnit\n",
		})
		if diff := cmp.Diff([]string{"E_UPGRADE_DUP l2.yaml:4:13"}, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a cycle over two spaces", func(t *testing.T) {
		got := problemsOf(t, map[string]string{
			"spaces/s/links/l1.yaml": "FromUnit: a\nToUnit: far\nToSpace: other\n",
			"spaces/other/links/l2.yaml": "FromUnit: far\nToUnit: a\nToSpace: s\n" +
				"UpdateType: None\n",
		})
		if len(got) != 1 || !strings.HasPrefix(got[0], "E_LINK_CYCLE l") {
			t.Error(got)
		}
	})
}

// TestToolchainStays edits the toolchain of a unit in its definition.
func TestToolchainStays(t *testing.T) {
	dir := shop(t)
	s, w := open(t, dir, workspace.OpenOptions{Write: true})
	if err := change(t.Context(), s, w); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{
		"spaces/shop/units/web/unit.yaml": "ToolchainType: AppConfig/JSON\n",
	})
	s, w = open(t, dir, workspace.OpenOptions{})
	defer s.Close() //nolint:errcheck // only read
	if len(w.Problems) != 1 || w.Problems[0].Code != entity.CodeToolchainImmutable ||
		w.Problems[0].Pos.Column != 16 {
		t.Error(w.Problems)
	}
	if u, err := w.Unit("shop", "web"); err == nil {
		t.Error(u)
	}
}
