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
		"v1/Service shop/web: spec: to be set to a: 1 …, but the target has 6, which stays " +
			"(Subtracted)": {
			Reason: api.ConflictSubtracted, Path: "spec", Source: source, Target: target,
		},
		"v1/Service shop/web: to be deleted, although the target has 6, which is lost " +
			"(DeleteShadowed)": {
			Reason: api.ConflictDeleteShadowed, Source: *gone, Target: target,
		},
		"v1/Service shop/web: to be changed, but the target has deleted it, which stays " +
			"(Subtracted)": {
			Reason: api.ConflictSubtracted,
			Source: api.MutationInfo{MutationType: api.MutationTypeUpdate}, Target: gone,
		},
		"v1/Service shop/web: spec: to be set to a: 1 …, but it is protected (ProtectedPath)": {
			Reason: api.ConflictProtectedPath, Path: "spec", Source: source,
		},
		"v1/Service shop/web: to be added as 6, but the resource does not exist (UnresolvedPath)": {
			Reason: api.ConflictUnresolvedPath,
			Source: api.MutationInfo{MutationType: api.MutationTypeAdd, Value: "6\n"},
		},
		"v1/Service shop/web: spec: to be set to a: 1 …, but the target has changed its " +
			"elements, too; they stay (ArrayReordered)": {
			Reason: api.ConflictArrayReordered, Path: "spec", Source: source,
		},
		"v1/Service shop/web: spec: to be set to a: 1 …, but the target has 6, which excludes it " +
			"and stays (ExclusiveWithheld)": {
			Reason: api.ConflictExclusiveWithheld, Path: "spec", Source: source, Target: target,
		},
		"v1/Service shop/web: spec: removed, since another field, which excludes it, is to be " +
			"set to a: 1 … (ExclusiveCleared)": {
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
