package yamlpath_test

import (
	"fmt"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

func ExamplePath_Resolve() {
	doc, err := gaby.ParseYAML([]byte(
		"spec:\n  containers:\n  - {name: web, image: nginx}\n  - {name: log, image: fluent}\n"))
	if err != nil {
		panic(err)
	}
	path, err := yamlpath.Parse("spec.containers.*?name:container.image")
	if err != nil {
		panic(err)
	}
	err = path.Resolve(doc.Value(), yamlpath.Options{}, func(m *yamlpath.Match) error {
		fmt.Println(yamlpath.Join(m.Segments), m.Value.Text(), m.Arguments[0].Value)
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// spec.containers.0.image nginx web
	// spec.containers.1.image fluent log
}

func ExamplePath_Bind() {
	doc, err := gaby.ParseYAML([]byte(
		"containers: [{name: log, image: fluent}, {name: web, image: nginx}]\n"))
	if err != nil {
		panic(err)
	}
	path, err := yamlpath.Parse("containers.?name=%s.image")
	if err == nil {
		path, err = path.Bind([]string{"web"})
	}
	if err != nil {
		panic(err)
	}
	_ = path.Resolve(doc.Value(), yamlpath.Options{}, func(m *yamlpath.Match) error {
		fmt.Println(yamlpath.Join(m.Segments), m.Value.Text())
		return nil
	})
	// Output: containers.1.image nginx
}

func ExampleEscape() {
	fmt.Println("metadata.annotations." + yamlpath.Escape("example.com/owner"))
	// Output: metadata.annotations.example~1com/owner
}
