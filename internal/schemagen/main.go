// Command schemagen makes internal/knowledge/schemas/schemas.zip, the schemas of Kubernetes
// resources, from the OpenAPI documents in the modules k8s.io/kubernetes. `make gen-schemas` runs
// it; the go command fetches and verifies the modules.
//
// The rules of this package: only what decides whether a resource is valid is kept, definitions
// that versions have in common are kept once, and the same modules give the same bytes. To add a
// version of Kubernetes, add it to versions.
//
// Layer: programs.
package main

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"

	"github.com/fctl-dev/fctl/internal/files"
)

// versions returns the versions of k8s.io/kubernetes, oldest first.
func versions() []string {
	return []string{"v1.33.13", "v1.34.4", "v1.35.4", "v1.36.3"}
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: schemagen FILE")
	}
	if err := write(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// write writes the file.
func write(path string) error {
	var all library
	for _, version := range versions() {
		definitions, err := read(version)
		if err != nil {
			return fmt.Errorf("k8s.io/kubernetes@%s: %w", version, err)
		}
		all.add(version, definitions)
	}
	text, err := all.zip()
	if err != nil {
		return err
	}
	log.Printf("%s: %d bytes, %d resource types", path, len(text), len(all.kinds))
	return files.Write(context.Background(), path, 0o666, text)
}

// read returns the definitions of a version.
func read(version string) (map[string]*schema, error) {
	out, err := exec.Command("go", "mod", "download", "-json",
		"k8s.io/kubernetes@"+version).Output()
	var module struct{ Zip, Error string }
	if jsonErr := json.Unmarshal(out, &module); jsonErr != nil || module.Error != "" {
		return nil, errors.Join(err, jsonErr, errors.New(module.Error))
	}
	z, err := zip.OpenReader(module.Zip)
	if err != nil {
		return nil, err
	}
	defer func() { _ = z.Close() }()
	file := func(name string) ([]byte, error) {
		f, err := z.Open("k8s.io/kubernetes@" + version + "/" + name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		return io.ReadAll(f)
	}
	swagger, err := file("api/openapi-spec/swagger.json")
	if err != nil {
		return nil, err
	}
	source, err := file("pkg/generated/openapi/zz_generated.openapi.go")
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
