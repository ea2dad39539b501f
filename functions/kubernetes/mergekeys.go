package kubernetes

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

func vetMergeKeysFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-merge-keys",
			Description: "Check that no two elements of a list have the same merge key, such as " +
				"two containers with the same name",
			Examples: []string{"vet-merge-keys"},
		},
		PerDocument: true,
	}, "whether the elements of lists can be distinguished, and the keys of those that cannot",
		func(c *handler.Call) (api.ValidationResult, error) {
			var found api.AttributeValueList
			resources := 0
			err := yamlkit.EachDocument(c.Docs, provider,
				func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
					resources++
					found = append(found, sameMergeKeys(doc, info, provider)...)
					return nil
				})
			c.Matched(resources)
			return handler.Verdict(found), err
		})
}

// sameMergeKeys returns the merge keys of list elements that repeat those of a preceding element.
func sameMergeKeys(
	doc *gaby.YamlDoc, info *api.ResourceInfo, provider configkit.ResourceProvider,
) (found api.AttributeValueList) {
	reasons := map[api.ResolvedPath]string{} // by path of the key
	yamlkit.Walk(doc.Value(), provider.MergeKeys(info.ResourceType),
		func(w *yamlkit.Cursor) bool {
			if w.Value.Kind() == gaby.List && w.Keys != nil && len(w.Keys.Keys) > 0 &&
				!w.Keys.Shared {
				for index, reason := range sameKeys(w.Value, w.Keys) {
					reasons[w.IndexPath()+api.ResolvedPath("."+strconv.Itoa(index)+"."+
						yamlpath.Escape(w.Keys.Keys[0]))] = reason
				}
			}
			if len(reasons) > 0 && w.Value.Kind() == gaby.Scalar {
				if reason, ok := reasons[w.IndexPath()]; ok {
					row := w.Row(info, w.Path(), api.AttributeNameNone)
					row.Reason = reason
					found = append(found, row)
				}
			}
			return w.Keys != nil || len(reasons) > 0 // else there are no merge keys below
		})
	return found
}

// sameKeys returns, by index, a message for each element of a list that has the keys of a preceding
// one.
func sameKeys(list gaby.Value, keys *configkit.MergeKeyTree) map[int]string {
	var same map[int]string
	first := map[string]gaby.Value{}
	for index, e := range list.All() {
		if key, text := mergeKeyOf(e, keys); key != "" {
			if other, ok := first[key]; !ok {
				first[key] = e
			} else {
				if same == nil {
					same = map[int]string{}
				}
				same[index] = fmt.Sprintf("the element at %s has %s, too", other.Position(), text)
			}
		}
	}
	return same
}

// mergeKeyOf returns the merge key of a list element, as a text to compare and one to show. Both
// are empty if the element lacks the first key. Other missing keys get their default, as in the
// cluster.
func mergeKeyOf(element gaby.Value, keys *configkit.MergeKeyTree) (key, shown string) {
	var compared, texts []string
	for i, name := range keys.Keys {
		v := element.Get(name)
		text := v.Text()
		if v.Kind() != gaby.Scalar || v.Tag() == "!!null" {
			if i == 0 {
				return "", ""
			}
			text = keys.Defaults[name]
		}
		compared = append(compared, strconv.Quote(text))
		if text != "" {
			texts = append(texts, name+" "+text)
		}
	}
	return strings.Join(compared, " "), strings.Join(texts, " and ")
}
