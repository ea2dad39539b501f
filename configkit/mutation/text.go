package mutation

import (
	"encoding/json"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
	"github.com/fctl-dev/fctl/internal/lines"
)

// patchContext is the number of unchanged lines around a change in the patch of a text.
const patchContext = 3

// textPatch returns the patch of an update of a multi-line or JSON text, or "" for any other value.
// Such texts are often whole configuration files in a ConfigMap. The patch shows readers what
// changed in them, and lets a merge recover the old text.
func textPatch(before, after gaby.Value) string {
	a, b := before.Text(), after.Text()
	ofLines := hasLines(a) || hasLines(b)
	if !ofLines && !mutationpath.MayBeJSON(a) || !isString(before) || !isString(after) {
		return ""
	}
	if patch := jsonPatch(a, b); patch != "" || !ofLines {
		return patch
	}
	return lines.Unified(a, b, patchContext)
}

func isString(v gaby.Value) bool { return v.Kind() == gaby.Scalar && v.Tag() == "!!str" }

// hasLines reports whether text has a newline before its last byte.
func hasLines(text string) bool {
	i := strings.IndexByte(text, '\n')
	return i >= 0 && i < len(text)-1
}

// jsonPatch returns the patch between two JSON texts as a JSON list of mutations, or "" if either
// is not JSON.
func jsonPatch(before, after string) string {
	if !mutationpath.IsJSON(before) || !mutationpath.IsJSON(after) {
		return ""
	}
	a, err := gaby.ParseYAML([]byte(before))
	b, errB := gaby.ParseYAML([]byte(after))
	if err != nil || errB != nil {
		return ""
	}
	var r resourceChange
	d := differ{}
	d.diff(&r, a.Value(), b.Value(), nil)
	list := make([]api.JSONMutation, len(r.paths))
	for i, p := range r.paths {
		list[i] = api.JSONMutation{
			MutationType: p.op, Path: api.ResolvedPath(p.path.String()),
			Value: json.RawMessage(mutationpath.AppendCanonicalJSON(nil, p.value)),
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return ""
	}
	return string(text)
}

// mergeTexts merges two updates of the multi-line text base. ok is false if their lines conflict.
func mergeTexts(base, source, target gaby.Value) (merged gaby.Value, ok bool) {
	if !isString(base) || !isString(source) || !isString(target) || !hasLines(base.Text()) {
		return gaby.Value{}, false
	}
	text, clean := lines.MergeText(base.Text(), target.Text(), source.Text())
	if !clean {
		return gaby.Value{}, false
	}
	return stringValue(text)
}

// mergeImages merges two updates of the image base. ok is false if their parts conflict.
func mergeImages(base, source, target gaby.Value) (merged gaby.Value, ok bool) {
	text, clean := configkit.MergeImages(base.Text(), target.Text(), source.Text())
	if !clean || !isString(base) || !isString(source) || !isString(target) {
		return gaby.Value{}, false
	}
	return stringValue(text)
}

// stringValue returns text as the value of a document of its own.
func stringValue(text string) (gaby.Value, bool) {
	doc, err := gaby.ParseYAML([]byte("null\n"))
	if err != nil {
		return gaby.Value{}, false
	}
	if err := doc.SetData(text); err != nil {
		return gaby.Value{}, false
	}
	return doc.Value(), true
}

// PlainPath returns a path of a mutation as messages show it: elements of a list with a merge key by
// that key, others by their index.
func PlainPath(path api.ResolvedPath) string { return mutationpath.Plain(string(path)) }

// NamedPath returns the path of the value to which segments lead, as mutations have it: elements of
// a list with merge keys by these keys.
func NamedPath(
	root gaby.Value, segments []string, keys *configkit.MergeKeyTree,
) api.ResolvedPath {
	return api.ResolvedPath(mutationpath.To(root, segments, keys).String())
}
