package do

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/source"
)

// AddResourceTypes adds to an executor the resource type definitions in the files that the settings
// name.
func AddResourceTypes(ctx context.Context, executor *functions.Executor, reader *source.Reader,
	s *settings.Settings,
) error {
	var files []resourcetypes.TypesFile
	for _, f := range s.ResourceTypes {
		if f.Path == "-" {
			return diag.Usage("--resource-types: a file is expected, not the standard input")
		}
		name := shorter(f.Path)
		text, err := readNamed(ctx, reader, f, name)
		if err != nil {
			return err
		}
		files = append(files, resourcetypes.TypesFile{Name: diag.FileName(name), Text: text})
	}
	if len(files) == 0 {
		return nil
	}
	return executor.AddResourceTypes(files...)
}

// SettingsNotes returns the notes about the settings, nil if the settings turn notes off.
func SettingsNotes(s *settings.Settings, executor *functions.Executor) []api.Note {
	if !s.ShowsNotes() {
		return nil
	}
	return append(s.Notes, overridden(executor, s.ResourceTypes)...)
}

// readNamed reads a file that a setting names, or that was found in a directory it names.
func readNamed(ctx context.Context, reader *source.Reader, f settings.NamedPath,
	path string,
) ([]byte, error) {
	if f.OfProject() {
		return f.Read(path)
	}
	text, err := reader.Bytes(ctx, path)
	return text, f.Locate(err)
}

// overridden returns the notes about a project's files that change the paths of built-in types.
func overridden(executor *functions.Executor, files []settings.NamedPath) []api.Note {
	var notes []api.Note
	for _, f := range files {
		name := diag.FileName(shorter(f.Path))
		if types, at := executor.OverriddenTypes(name); f.OfProject() && len(types) > 0 {
			notes = append(notes, api.Note{
				Pos: api.Position{File: name, Line: at.Line, Column: at.Column},
				Message: fmt.Sprintf("this file of the project, named in %[2]s, changes the "+
					"paths of %[1]s; --no-project-settings ignores it",
					builtInTypes(types), f.By),
			})
		}
	}
	return notes
}

// builtInTypes lists built-in types in words, at most five by name.
func builtInTypes(types []api.ResourceType) string {
	const shown = 5
	if types[0] == api.ResourceTypeAny {
		return "all types"
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	if len(names) > shown {
		names = append(names[:shown], fmt.Sprintf("%d more", len(types)-shown))
	}
	if len(names) == 1 {
		return "the built-in type " + names[0]
	}
	return "the built-in types " + strings.Join(names, ", ")
}

// shorter returns path relative to the working directory, if that is shorter.
func shorter(path string) string {
	if here, err := filepath.Abs("."); err == nil {
		if rel, err := filepath.Rel(here, path); err == nil && len(rel) < len(path) {
			return rel
		}
	}
	return path
}
