package workspace

import (
	"path"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// Marker is the name of the file that makes a directory a workspace.
const Marker = "fctl-workspace.yaml"

// The paths of a workspace are relative to its root, with slashes.
const (
	spacesDir = "spaces"
	// attributesDir has files about paths that need and provide values.
	attributesDir = "attributes"
	privateDir    = ".fctl"
	stateDir      = privateDir + "/state"
	lockFile      = privateDir + "/lock"
	journalFile   = privateDir + "/journal"
	undoDir       = privateDir + "/undo"
	indexFile     = privateDir + "/index"
)

func spaceDir(space string) string       { return path.Join(spacesDir, space) }
func spaceFile(space string) string      { return path.Join(spaceDir(space), "space.yaml") }
func unitDir(space, unit string) string  { return path.Join(spaceDir(space), "units", unit) }
func unitFile(space, unit string) string { return path.Join(unitDir(space, unit), "unit.yaml") }

func dataFile(space, unit string, t api.ToolchainType) string {
	return path.Join(unitDir(space, unit), "data."+extension(t))
}

// folder returns the folder of the definitions of a kind, which is below that of the space.
func folder(kind entity.Kind) string { return string(kind) + "s" }

// definitionFile returns the path of the definition of a link, an invocation or a filter.
func definitionFile(kind entity.Kind, space, slug string) string {
	return path.Join(spaceDir(space), folder(kind), slug+".yaml")
}

// stateFile returns the path of what is recorded about an entity.
func stateFile(kind entity.Kind, space, slug string) string {
	switch kind {
	case entity.KindSpace:
		return path.Join(stateDir, space, "space.json")
	case entity.KindUnit:
		return path.Join(unitState(space, slug), "unit.json")
	}
	return path.Join(stateDir, space, folder(kind), slug+".json")
}

// unitState returns the folder of a unit's history.
func unitState(space, unit string) string { return path.Join(stateDir, space, "units", unit) }

func revisionDir(space, unit string, n int64) string {
	return path.Join(unitState(space, unit), "revisions", strconv.FormatInt(n, 10))
}

func mutationsFile(space, unit string) string {
	return path.Join(unitState(space, unit), "mutations.jsonl")
}

func conflictsFile(space, unit string) string {
	return path.Join(unitState(space, unit), "conflicts.json")
}

func liveFile(space, unit string, n int64) string {
	return path.Join(unitState(space, unit), "live", strconv.FormatInt(n, 10))
}

func gabyPosition(at gaby.Position, file string) api.Position {
	return api.Position{File: file, Line: at.Line, Column: at.Column}
}
