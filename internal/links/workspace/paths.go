package workspace

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

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

// folder returns the folder of the entities of a kind in a space.
func folder(kind entity.Kind) string { return string(kind) + "s" }

// linksFile has the links of a space, one in each line.
const linksFile = "links.yaml"

func linksPath(space string) string { return path.Join(spacesDir, space, linksFile) }

// unitBase is the path of a unit, to which the endings of its files are added.
func unitBase(space, unit string) string { return path.Join(spacesDir, space, "units", unit) }

// unitEnding ends the definition of a unit whose data lies beside it, in NAME.EXT.
const unitEnding = ".unit.yaml"

// definitionFile returns the path of a definition with a file of its own, in a folder if it is that
// of a unit.
func definitionFile(kind entity.Kind, space, slug string) string {
	return entityFile(spacesDir, kind, space, slug, ".yaml")
}

// stateFile returns the path of what is recorded about an entity.
func stateFile(kind entity.Kind, space, slug string) string {
	return entityFile(stateDir, kind, space, slug, ".json")
}

// recordFile returns the path of what is recorded about an entity.
func recordFile(e Entity) string {
	return stateFile(e.Kind(), e.Base().SpaceSlug, e.Base().Slug)
}

// KindOf returns the kind of entity that a file of a workspace defines. It reports false for other
// files.
func KindOf(file string) (entity.Kind, bool) {
	parts := strings.Split(filepath.ToSlash(file), "/")
	for at := len(parts) - 1; at > 0; at-- {
		if parts[at] != spacesDir {
			continue
		}
		root := filepath.FromSlash(strings.Join(parts[:at], "/"))
		if _, err := os.Stat(filepath.Join(root, Marker)); err != nil {
			continue
		}
		below := path.Join(parts[at:]...)
		for _, kind := range []entity.Kind{
			entity.KindSpace, entity.KindUnit, entity.KindLink, entity.KindInvocation,
			entity.KindFilter,
		} {
			slug := strings.TrimSuffix(parts[len(parts)-1], ".yaml")
			if kind == entity.KindUnit {
				slug = parts[len(parts)-2]
			}
			space := parts[min(at+1, len(parts)-1)]
			if below == definitionFile(kind, space, slug) || kind == entity.KindUnit &&
				path.Dir(below) == unitBase(space, "") && strings.HasSuffix(below, unitEnding) {
				return kind, true
			}
		}
	}
	return "", false
}

func entityFile(dir string, kind entity.Kind, space, slug, extension string) string {
	switch kind {
	case entity.KindSpace:
		return path.Join(dir, space, "space"+extension)
	case entity.KindUnit:
		return path.Join(dir, space, "units", slug, "unit"+extension)
	}
	return path.Join(dir, space, folder(kind), slug+extension)
}

// stateDir returns the folder of a unit's history.
func (u *Unit) stateDir() string { return path.Join(stateDir, u.SpaceSlug, "units", u.Slug) }

// revisionDir returns the folder of a revision.
func (u *Unit) revisionDir(n int64) string {
	return path.Join(u.stateDir(), "revisions", strconv.FormatInt(n, 10))
}

func (u *Unit) mutationsFile() string { return u.stateDir() + "/mutations.jsonl" }

func (u *Unit) conflictsFile() string { return u.stateDir() + "/conflicts.json" }

// externalFile has the content of the last external merge.
func (u *Unit) externalFile() string { return u.stateDir() + "/external" }

// liveFile returns the path of a capture of the live state.
func (u *Unit) liveFile(n int64) string {
	return path.Join(u.stateDir(), "live", strconv.FormatInt(n, 10))
}
