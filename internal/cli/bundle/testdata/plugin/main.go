// Program names is a Smith plugin that is a KRM function: it makes a ConfigMap with the names of
// the objects that its resource depends on.
package main

import (
	"io"
	"log"
	"os"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
)

const description = `apiVersion: fctl.dev/v1
kind: PluginDescription
metadata: {name: names}
spec:
  apiVersion: v1
  kind: ConfigMap
  schema: {type: object, properties: {title: {type: string}}, required: [title]}
`

func main() {
	if err := answer(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// answer reads a call and writes what the plugin returns.
func answer(in io.Reader, out io.Writer) error {
	var list *krm.ResourceList
	text, err := io.ReadAll(in)
	if err == nil {
		list, err = krm.Parse(text)
	}
	if err != nil {
		return err
	}
	config := list.FunctionConfig.Value()
	if config.Get("kind").Text() == "PluginDescription" {
		_, err = io.WriteString(out, description)
		return err
	}
	made, err := gaby.ParseYAML([]byte("apiVersion: v1\nkind: ConfigMap # by a function\n" +
		"data: {}\n"))
	if err != nil {
		return err
	}
	data := map[string]string{
		"title": config.Get("spec").Get("title").Text(), "call": os.Getenv("FCTL_PLUGIN_CALL"),
		"namespace": config.Get("namespace").Text(),
	}
	for _, item := range list.Items {
		v := item.Doc.Value()
		data[krm.Annotation(item.Doc, "smith.fctl.dev/resource")] = v.Get("kind").Text()
	}
	for _, key := range []string{"title", "call", "namespace", "source"} {
		if _, err := made.Set(data[key], "data", key); err != nil {
			return err
		}
	}
	_, err = out.Write(made.BytesWithNewline())
	return err
}
