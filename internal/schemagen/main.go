// Command schemagen makes the files of internal/knowledge/schemas: schemas.zip, the schemas of
// Kubernetes resources, from the OpenAPI documents in the modules k8s.io/kubernetes, and
// operators.zip, the schemas of custom resources, from the CustomResourceDefinitions in the modules
// of operators. `make gen-schemas` and `make gen-operators` run it; the go command fetches and
// verifies the modules.
//
// The rules of this package: only what decides whether a resource is valid is kept, definitions
// that versions have in common are kept once, and the same modules give the same bytes. To add a
// version of Kubernetes, add it to versions; to update an operator, change its row in operators.
//
// Layer: programs.
package main

import (
	"context"
	"fmt"
	"io/fs"
	"log"
	"os"
	"strings"

	"github.com/fctl-dev/fctl/internal/files"
)

// versions returns the versions of k8s.io/kubernetes, oldest first.
func versions() []string {
	return []string{"v1.33.13", "v1.34.4", "v1.35.4", "v1.36.3", "v1.37.2"}
}

func main() {
	log.SetFlags(0)
	makers := map[string]func() ([]byte, error){
		"kubernetes": kubernetes, "operators": customResources,
	}
	if len(os.Args) != 3 || makers[os.Args[1]] == nil {
		log.Fatal("usage: schemagen kubernetes|operators FILE")
	}
	text, err := makers[os.Args[1]]()
	if err == nil {
		log.Printf("%s: %d bytes", os.Args[2], len(text))
		err = files.Write(context.Background(), os.Args[2], 0o666, text)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// kubernetes makes schemas.zip.
func kubernetes() ([]byte, error) {
	var all library
	for _, version := range versions() {
		definitions, err := read(version)
		if err != nil {
			return nil, fmt.Errorf("k8s.io/kubernetes@%s: %w", version, err)
		}
		all.add(version, definitions)
	}
	return all.zip()
}

// read returns the definitions of a version.
func read(version string) (map[string]*schema, error) {
	m, err := download("k8s.io/kubernetes", version)
	if err != nil {
		return nil, err
	}
	defer m.close()
	swagger, err := fs.ReadFile(m, "api/openapi-spec/swagger.json")
	if err != nil {
		return nil, err
	}
	source, err := fs.ReadFile(m, "pkg/generated/openapi/zz_generated.openapi.go")
	if err != nil {
		return nil, err
	}
	definitions, err := definitionsOf(swagger)
	if err != nil {
		return nil, err
	}
	enums, orders, err := enumsOf(source)
	if err != nil {
		return nil, err
	}
	for _, e := range enums {
		if err := e.apply(definitions); err != nil {
			return nil, err
		}
	}
	for _, o := range orders {
		o.apply(definitions)
	}
	return definitions, nil
}

// minor returns "1.36" for v1.36.3.
func minor(version string) string {
	return strings.Join(strings.Split(strings.TrimPrefix(version, "v"), ".")[:2], ".")
}
