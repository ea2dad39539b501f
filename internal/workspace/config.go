package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// Config is what the marker of a workspace says.
type Config = entity.Workspace

// The values of Config.History.
const (
	HistoryIgnored = ""      // git ignores .fctl
	HistoryBases   = "bases" // git keeps what later merges need
	HistoryGit     = "git"   // git keeps .fctl/state
)

func decodeConfig(text entity.Text) (*Config, error) { return entity.DecodeWorkspace(text) }

// InitOptions say what a new workspace is like.
type InitOptions struct {
	History string
	Space   string // the default space
}

// Init makes dir a workspace with one space. It returns the names of the files it wrote. Nothing is
// overwritten.
func Init(ctx context.Context, dir string, o InitOptions) ([]string, error) {
	if dir == "" {
		dir = "."
	}
	if !entity.IsSlug(o.Space) {
		return nil, invalidSlug(o.Space)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, diag.Input(diag.FileName(dir), "", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, Marker)); !errors.Is(err, fs.ErrNotExist) {
		return nil, &entity.Error{
			Code: entity.CodeSlugTaken, Message: "the directory is a workspace already",
			Pos: (&Store{dir: dir}).position(Marker),
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, diag.Input(diag.FileName(dir), "", err)
	}
	s := &Store{dir: dir, root: root, Now: now, ManyFiles: manyFiles}
	defer s.Close() //nolint:errcheck // the lock ends with the process at the latest
	if err := s.take(ctx, true); err != nil {
		return nil, err
	}
	return s.init(ctx, o)
}

func (s *Store) init(ctx context.Context, o InitOptions) ([]string, error) {
	marker, err := entity.YAML(Config{DefaultSpace: o.Space, History: o.History})
	if err != nil {
		return nil, err
	}
	space, err := entity.YAML(&entity.Space{
		SpaceID: entity.ID(entity.KindSpace, o.Space, o.Space, 0),
		Common:  entity.Common{Slug: o.Space},
	})
	if err != nil {
		return nil, err
	}
	t := s.Begin("")
	ignored := map[string]string{
		HistoryIgnored: ".fctl/\n",
		HistoryBases:   ".fctl/*\n!.fctl/bases/\n",
		HistoryGit:     ".fctl/*\n!.fctl/state/\n",
	}[o.History]
	var names []string
	for _, f := range []struct {
		name string
		data []byte
	}{
		{Marker, marker}, {spaceFile(o.Space), space}, {".gitignore", []byte(ignored)},
	} {
		if _, err := s.root.Lstat(f.name); errors.Is(err, fs.ErrNotExist) {
			t.write(phaseDefinition, f.name, f.data)
			names = append(names, f.name)
		}
	}
	return names, t.Commit(ctx)
}

func invalidSlug(slug string) error {
	return &entity.Error{
		Code:    entity.CodeSlug,
		Message: "invalid name " + quote(slug),
		Hint:    "names have letters, digits, _ and -, begin with a letter or digit, and have at most 128",
	}
}
