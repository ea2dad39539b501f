package api_test

import (
	"encoding/json"
	"testing"

	"github.com/fctl-dev/fctl/api"
)

func TestMutationJSON(t *testing.T) {
	for text, protected := range map[string]bool{
		`{"MutationType": "Update", "Index": 1, "Value": "5\n"}`:                     false,
		`{"MutationType": "Update", "Index": 1, "Value": "5\n", "Predicate": true}`:  false,
		`{"MutationType": "Update", "Index": 1, "Value": "5\n", "Predicate": false}`: true,
		`{"MutationType": "Update", "Index": 1, "Value": "5\n", "Protected": true}`:  true,
		`{"MutationType": "Update", "Index": 1, "Value": "5\n", "Protected": true, "Predicate": ` +
			`true}`: true,
		`{"MutationType": "Update", "Index": 1, "Value": "5\n", "Protected": false, "Patch": "", ` +
			`"Else": {}}`: false,
	} {
		t.Run(text, func(t *testing.T) {
			var info api.MutationInfo
			if err := json.Unmarshal([]byte(text), &info); err != nil {
				t.Fatal(err)
			}
			if info != (api.MutationInfo{
				MutationType: api.MutationTypeUpdate, Index: 1, Value: "5\n", Protected: protected,
			}) {
				t.Errorf("%s is %+v", text, info)
			}
			want := `{"MutationType":"Update","Index":1,"Value":"5\n"}`
			if protected {
				want = `{"MutationType":"Update","Index":1,"Value":"5\n","Protected":true}`
			}
			if got, err := json.Marshal(info); err != nil || string(got) != want {
				t.Errorf("%s becomes %s, %v", text, got, err)
			}
		})
	}
	if err := json.Unmarshal([]byte(`{"Predicate": "no"}`), new(api.MutationInfo)); err == nil {
		t.Error("a predicate that is not a bool")
	}

	m := api.ResourceMutation{
		Resource: api.ResourceInfo{
			ResourceName: "shop/web", ResourceNameWithoutScope: "web",
		},
		PathMutationMap: api.MutationMap{
			"a": {MutationType: api.MutationTypeAdd, Value: "<\n", Previous: "does not travel"},
		},
	}
	got, err := json.Marshal(api.ResourceMutationList{m})
	const want = `[{"Resource":{"ResourceName":"shop/web","ResourceNameWithoutScope":"web",` +
		`"ResourceType":"","ResourceCategory":""},"ResourceMutationInfo":{"MutationType":"",` +
		`"Index":0,"Value":""},"PathMutationMap":{"a":{"MutationType":"Add","Index":0,` +
		`"Value":"\u003c\n"}},"Aliases":{"shop/web":{}},"AliasesWithoutScopes":{"web":{}}}]`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if names := m.Names(); len(names) != 1 || len(m.NamesWithoutScopes()) != 1 {
		t.Error(names)
	}
}

func TestConflictString(t *testing.T) {
	target := &api.MutationInfo{MutationType: api.MutationTypeUpdate, Value: "6\n"}
	gone := &api.MutationInfo{MutationType: api.MutationTypeDelete, Value: "6\n"}
	source := api.MutationInfo{MutationType: api.MutationTypeUpdate, Value: "a: 1\nb: 2\n"}
	resource := api.ResourceInfo{ResourceType: "v1/Service", ResourceName: "shop/web"}
	for want, c := range map[string]api.MutationConflict{
		"v1/Service shop/web: spec: the target keeps 6, the source sets a: 1 … (Subtracted)": {
			Reason: api.ConflictSubtracted, Path: "spec", Source: source, Target: target,
		},
		"v1/Service shop/web: the target loses 6, since the source deletes it (DeleteShadowed)": {
			Reason: api.ConflictDeleteShadowed, Source: *gone, Target: target,
		},
		"v1/Service shop/web: the target has deleted it, the source changes it (Subtracted)": {
			Reason: api.ConflictSubtracted,
			Source: api.MutationInfo{MutationType: api.MutationTypeUpdate}, Target: gone,
		},
		"v1/Service shop/web: spec: the target keeps its value, which may not be overwritten; " +
			"the source sets a: 1 … (ProtectedPath)": {
			Reason: api.ConflictProtectedPath, Path: "spec", Source: source,
		},
		"v1/Service shop/web: the source adds 6, but the target has no such resource " +
			"(UnresolvedPath)": {
			Reason: api.ConflictUnresolvedPath,
			Source: api.MutationInfo{MutationType: api.MutationTypeAdd, Value: "6\n"},
		},
		"v1/Service shop/web: spec: both sides changed the elements; the target keeps its own, " +
			"the source sets a: 1 … (ArrayReordered)": {
			Reason: api.ConflictArrayReordered, Path: "spec", Source: source,
		},
		"v1/Service shop/web: spec: the target keeps 6, which excludes this; the source sets " +
			"a: 1 … (ExclusiveWithheld)": {
			Reason: api.ConflictExclusiveWithheld, Path: "spec", Source: source, Target: target,
		},
		"v1/Service shop/web: spec: the target loses it, since the source sets a: 1 … in another " +
			"field, which excludes it (ExclusiveCleared)": {
			Reason: api.ConflictExclusiveCleared, Path: "spec", Source: source, Target: target,
		},
	} {
		t.Run(want, func(t *testing.T) {
			if c.Resource = resource; c.String() != want {
				t.Errorf("%s\nwant %s", c, want)
			}
		})
	}
}

// TestConflictDescribe checks that a conflict between markers, which show both values, does not
// claim that one side has kept its own.
func TestConflictDescribe(t *testing.T) {
	c := api.MutationConflict{
		Reason: api.ConflictSubtracted,
		Source: api.MutationInfo{MutationType: api.MutationTypeUpdate, Value: "7\n"},
		Target: &api.MutationInfo{MutationType: api.MutationTypeUpdate, Value: "5\n"},
	}
	if got := c.Describe("OURS", "THEIRS", true); got != "OURS has 5, THEIRS sets 7" {
		t.Error(got)
	}
	if got := c.Describe("OURS", "THEIRS", false); got != "OURS keeps 5, THEIRS sets 7" {
		t.Error(got)
	}
}
