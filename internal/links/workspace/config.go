package workspace

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/linkline"
	"github.com/fctl-dev/fctl/internal/links/starter"
)

// Config is what the marker of a workspace says.
type Config = entity.Workspace

// The values of Config.History.
const (
	HistoryIgnored = ""      // git ignores .fctl
	HistoryBases   = "bases" // git keeps what later merges need
	HistoryGit     = "git"   // git keeps .fctl/state
)

// InitOptions say what a new workspace is like.
type InitOptions struct {
	WorkspaceID string // a UUID that distinguishes the workspace from others
	History     string
	Space       string // the default space
	// Attributes adds the starter file for attributes.
	Attributes bool
}

// InitResult is what Init did.
type InitResult struct {
	Wrote   []string // new files
	Left    []string // files that existed already
	Ignored []string // lines added to an existing .gitignore
	// Hidden says that .gitignore has a line that hides what git is to keep of .fctl.
	Hidden bool
}

// Init makes dir a workspace with one space. Nothing is overwritten.
func Init(ctx context.Context, dir string, o InitOptions) (*InitResult, error) {
	if dir == "" {
		dir = "."
	}
	if !entity.IsSlug(o.Space) {
		return nil, invalidSlug(o.Space)
	}
	root, err := files.OpenRoot(ctx, dir)
	if err != nil {
		return nil, diag.Input(diag.FileName(dir), "", err)
	}
	s := &Store{dir: dir, root: root, Now: now, ManyFiles: manyFiles}
	defer s.Close() //nolint:errcheck // the lock ends with the process at the latest
	if _, err := root.Lstat(Marker); !errors.Is(err, fs.ErrNotExist) {
		return nil, s.fail(Marker, entity.CodeSlugTaken, "the directory is a workspace already")
	}
	if err := s.take(ctx, true); err != nil {
		return nil, err
	}
	return s.init(ctx, o)
}

func (s *Store) init(ctx context.Context, o InitOptions) (*InitResult, error) {
	marker, err := entity.YAML(Config{
		WorkspaceID: o.WorkspaceID, DefaultSpace: o.Space, History: o.History, Layout: LayoutSmall,
	})
	if err != nil {
		return nil, err
	}
	t := s.Begin("")
	type file struct {
		name string
		data []byte
	}
	files := []file{{Marker, marker}, {linksPath(o.Space), []byte(linkline.Header)}}
	if o.Attributes {
		files = append(files, file{starter.AttributesFile, starter.Attributes()})
	}
	done := &InitResult{}
	for _, f := range files {
		if _, err := s.root.Lstat(f.name); errors.Is(err, fs.ErrNotExist) {
			t.writeFile(f.name, f.data, "", 0)
			done.Wrote = append(done.Wrote, f.name)
		} else {
			done.Left = append(done.Left, f.name)
		}
	}
	if err := s.ignore(t, o.History, done); err != nil {
		return nil, err
	}
	return done, t.Commit(ctx)
}

// ignoreFile says what git ignores.
const ignoreFile = ".gitignore"

// ignore makes git ignore what it is not to keep. Lines are appended to an existing file.
func (s *Store) ignore(t *Tx, history string, done *InitResult) error {
	lines := map[string][]string{
		HistoryIgnored: {".fctl/"},
		HistoryBases:   {".fctl/*", "!.fctl/bases/"},
		HistoryGit:     {".fctl/*", "!.fctl/state/"},
	}[history]
	info, err := s.root.Lstat(ignoreFile)
	if errors.Is(err, fs.ErrNotExist) {
		t.writeFile(ignoreFile, []byte(strings.Join(lines, "\n")+"\n"), "", 0)
		done.Wrote = append(done.Wrote, ignoreFile)
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("a regular file is expected")
	}
	var was []byte
	if err == nil {
		was, err = s.readRegular(ignoreFile)
	}
	if err != nil {
		return s.unreadable(ignoreFile, err)
	}
	text, added := starter.Ignore(was, lines)
	done.Ignored = added
	done.Hidden = history != HistoryIgnored && starter.Ignores(was, ".fctl/")
	if len(done.Ignored) > 0 {
		t.writeFile(ignoreFile, text, hash(was), 0)
	}
	return nil
}

func invalidSlug(slug string) error {
	return entity.Fail(entity.CodeSlug, "invalid name %s", quote(slug)).WithHint(
		"names have letters, digits, _ and -, begin with a letter or digit, and have at most 128")
}
