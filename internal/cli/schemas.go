package cli

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/k8skit/schemas"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/source"
)

// addSchemas tells the executor of the schemas in files. They are found now and read when a function asks for them, if one does.
func (j *job) addSchemas(ctx context.Context) error {
	paths := slices.Clone(j.settings.Schemas)
	if len(paths) == 0 {
		return nil
	}
	for i, path := range paths {
		if path == "-" {
			return diag.Usage("--schema: a file or directory is expected, the standard input is for FILE")
		}
		paths[i] = shorter(path)
	}
	finder := &source.Finder{Recursive: true, Toolchain: api.ToolchainKubernetesYAML}
	found, err := finder.Find(ctx, paths)
	if err != nil {
		return err
	}
	var problems diag.List
	files := slices.DeleteFunc(found.Files, func(f source.File) bool {
		if f.Problem != nil {
			problems = append(problems, diag.Failures(f.Problem, api.FailureInput)...)
		}
		return !f.Named && !isSchemaFile(f.Path)
	})
	if len(files) == 0 && problems == nil {
		return diag.Usage("--schema: there is no file whose name ends in .yaml, .yml or .json in %s", strings.Join(paths, ", "))
	}
	if problems != nil {
		return problems
	}
	return j.executor.AddSchemas(func() ([]schemas.File, error) {
		reader := &source.Reader{In: j.Streams.In}
		var all []schemas.File
		var problems []error
		for _, f := range files {
			text, err := reader.Bytes(ctx, f.Path)
			problems = append(problems, err)
			all = append(all, schemas.File{Name: diag.FileName(f.Path), Text: text})
		}
		return all, errors.Join(problems...)
	})
}

// addInputs tells the executor of CustomResourceDefinitions that a function does not see: those of other units, and those that the
// filters leave out.
func (j *job) addInputs(ctx context.Context, where string) error {
	if !j.found.Several && where == "" {
		return nil
	}
	return j.executor.AddInputs(func() []schemas.File { return j.definitions(ctx) })
}

// definitions are the input files that may have CustomResourceDefinitions. What is wrong with them is told where they are worked on.
func (j *job) definitions(ctx context.Context) []schemas.File {
	var all []schemas.File
	for _, f := range j.found.Files {
		if f.Path == "-" || f.Problem != nil || !f.Named && !isSchemaFile(f.Path) {
			continue
		}
		if text, err := j.reader.Bytes(ctx, f.Path); err == nil && bytes.Contains(text, []byte("CustomResourceDefinition")) {
			all = append(all, schemas.File{Name: diag.FileName(f.Path), Text: text})
		}
	}
	return all
}

func isSchemaFile(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}
