package do

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/source"
)

// AddSchemas gives an executor the schemas in the files that the settings name. The files are found
// now, but read only if something needs them.
func AddSchemas(ctx context.Context, executor *functions.Executor, reader *source.Reader,
	s *settings.Settings,
) error {
	if len(s.Schemas) == 0 {
		return nil
	}
	paths, named, err := findSchemas(ctx, s.Schemas)
	if err != nil {
		return err
	}
	return executor.AddSchemas(func() ([]schemas.SchemaFile, error) {
		var all []schemas.SchemaFile
		var problems []error
		for _, path := range paths {
			text, err := readNamed(ctx, reader, named[path], path)
			problems = append(problems, err)
			file := schemas.SchemaFile{Name: diag.FileName(path), Text: text}
			if named[path].OfProject() {
				file.Project = named[path].By.String()
			}
			all = append(all, file)
		}
		return all, errors.Join(problems...)
	})
}

// addSchemaLocations gives the executor the places of schemas, of which it reads those that functions
// need.
func (l *loop) addSchemaLocations() error {
	if len(l.options.SchemaLocations) == 0 {
		return nil
	}
	var list []schemas.Location
	for _, text := range l.options.SchemaLocations {
		location, err := schemas.ParseLocation(text)
		if err != nil {
			problem := diag.Usage("--schema-location: %s: %v", configkit.Abbreviate(text), err)
			if errors.Is(err, schemas.ErrURL) {
				problem.Hint = "download the schemas and name their directory; " +
					"'fctl help schemas' lists those that are built in"
			}
			return problem
		}
		list = append(list, location)
	}
	return l.deps.Executor.AddSchemaLocations(schemas.Locations{
		List: list, Read: func(file string) ([]byte, error) {
			return Reader(l.options.Settings, l.deps.Streams).Bytes(l.ctx, file)
		},
	})
}

// findSchemas finds the files with schemas, and for each the setting that names it.
func findSchemas(ctx context.Context, in []settings.NamedPath,
) (paths []string, named map[string]settings.NamedPath, err error) {
	named = map[string]settings.NamedPath{}
	var problems diag.List
	for _, setting := range in {
		if setting.Path == "-" {
			return nil, nil, diag.Usage("--schema: a file or directory is expected, not the " +
				"standard input")
		}
		finder := &source.Finder{Recursive: true, Toolchain: api.ToolchainKubernetesYAML}
		found, err := finder.Find(ctx, []string{shorter(setting.Path)})
		if err != nil {
			return nil, nil, err
		}
		for _, f := range found.Files {
			known, twice := named[f.Path]
			switch {
			case f.Problem != nil:
				problems = append(problems,
					diag.Failures(setting.Locate(f.Problem), api.FailureInput)...)
			case !f.Explicit && !isSchemaFile(f.Path):
			case !twice:
				paths = append(paths, f.Path)
				named[f.Path] = setting
			case known.OfProject():
				named[f.Path] = setting
			}
		}
	}
	switch {
	case problems != nil:
		return nil, nil, problems
	case len(paths) == 0:
		return nil, nil, diag.Usage("--schema: no .yaml, .yml or .json file in %s",
			strings.Join(shortened(in), ", "))
	}
	return paths, named, nil
}

func shortened(files []settings.NamedPath) []string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = shorter(f.Path)
	}
	return names
}

// clashNotes returns the notes about files with schemas of built-in types, one per file and
// definition.
func clashNotes(clashes []schemas.Clash) []api.Note {
	var notes []api.Note
	for len(clashes) > 0 {
		first := clashes[0]
		n := slices.IndexFunc(clashes, func(c schemas.Clash) bool {
			return c.File != first.File || c.Definition != first.Definition
		})
		if n < 0 {
			n = len(clashes)
		}
		types := make([]api.ResourceType, n)
		for i, c := range clashes[:n] {
			types[i] = c.Type
		}
		message := fmt.Sprintf("the CustomResourceDefinition %s is ignored for %s",
			first.Definition, builtInTypes(types))
		if first.Definition == "" {
			message = fmt.Sprintf("this file of the project, named in %[2]s, replaces the schema "+
				"of %[1]s; --no-project-settings ignores it",
				builtInTypes(types), first.Project)
		}
		notes = append(notes, api.Note{Pos: api.Position{File: first.File}, Message: message})
		clashes = clashes[n:]
	}
	return notes
}

// addInputs gives the executor the resources that a function does not see: those of other units,
// and those that are not selected.
func (l *loop) addInputs() error {
	if err := l.deps.Executor.AddOwnDefinitions(l.inputs); err != nil {
		return err
	}
	if !l.request.found.Several && l.where == "" {
		return nil
	}
	return l.deps.Executor.AddInputs(l.inputs)
}

// inputs reads the input files, of all shards, that may hold Kubernetes resources. Errors are
// skipped: they are reported when functions run on the files.
func (l *loop) inputs() []schemas.SchemaFile {
	var all []schemas.SchemaFile
	reader := *l.request.reader
	reader.RegularOnly = true // a pipe can be read once, and is a unit
	for _, f := range l.request.found.All() {
		if first := l.request.first; first != nil && f.Path == first.File {
			all = append(all, schemas.SchemaFile{Name: diag.FileName(f.Path), Text: first.Data})
			continue
		}
		if f.Path == "-" || f.Problem != nil || !f.Explicit && !isSchemaFile(f.Path) {
			continue
		}
		if text, err := reader.Bytes(l.ctx, f.Path); err == nil {
			all = append(all, schemas.SchemaFile{Name: diag.FileName(f.Path), Text: text})
		}
	}
	return all
}

func isSchemaFile(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return configkit.IsKustomizationFile(filepath.ToSlash(path))
}
