package schemas

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// OpenAPI returns the definitions of the newest release as an OpenAPI document of a cluster has
// them: without descriptions.
func OpenAPI() (gaby.Value, error) {
	a := archive{packed: packedReleases}
	releases, err := releasesOf(&a)
	if err != nil {
		return gaby.Value{}, err
	}
	var text bytes.Buffer
	text.WriteString(`{"definitions":{`)
	for _, f := range a.zip.File {
		file := strings.TrimSuffix(f.Name, ".json")
		if file == "versions" || file == "kinds" {
			continue
		}
		all, err := a.file(file)
		if err != nil {
			return gaby.Value{}, err
		}
		for _, history := range all.All() {
			if v := at(history, releases, len(releases)-1); v.Exists() {
				text.WriteString(strconv.Quote(file+"."+history.Key()) + ":")
				text.Write(v.Doc().Bytes())
				text.WriteByte(',')
			}
		}
	}
	text.Truncate(text.Len() - 1)
	text.WriteString("}}")
	return schemaText(strings.ReplaceAll(text.String(), `"$ref":"`, `"$ref":"#/definitions/`))
}
