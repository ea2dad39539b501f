// Program names is a Smith plugin that is a KRM function: it makes a ConfigMap with the names of
// the objects that its resource depends on.
package main

import (
	"fmt"
	"io"
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
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	list, err := krm.Parse(text)
	if err != nil {
		return err
	}
	config := list.FunctionConfig.Value()
	if config.Get("kind").Text() == "PluginDescription" {
		_, err = fmt.Print(description)
		return err
	}
	made, err := gaby.ParseYAML([]byte("apiVersion: v1\nkind: ConfigMap # by a function\ndata: {}\n"))
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
	_, err = os.Stdout.Write(made.BytesWithNewline())
	return err
}
