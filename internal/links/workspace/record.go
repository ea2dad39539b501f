package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/links/pack"
	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
)

// operation is one change of a file.
type operation = files.Change

// record is what takes a command back. While the command writes it is the journal; afterwards it is
// kept for undo.
type record struct {
	Title string
	Ops   []operation
}

// recordHeader begins a record. Another version has another number.
const recordHeader = "fctl record 1\n"

// encode returns the parts of a record's file.
func (r *record) encode() (parts [][]byte, err error) {
	packed, err := pack.Append(nil, r)
	return [][]byte{pack.Seal(recordHeader, packed), packed}, err
}

// decode reads a record. It refuses one that is damaged, and one that fctl does not write: a record
// can come with a clone of somebody's repository.
func (r *record) decode(text []byte) error {
	rest, err := pack.Unseal(recordHeader, text)
	if err == nil {
		err = pack.Unmarshal(rest, r)
	}
	if err != nil {
		return err
	}
	for i := range r.Ops {
		if err := checkOperation(&r.Ops[i]); err != nil {
			return err
		}
	}
	return nil
}

// ownFiles matches the paths of what fctl alone writes, and what a record may name of it.
var ownFiles = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.fctl/(?:(?:state|bases)(?:/.+)?|undo/[0-9]+)$`)
})

// checkOperation returns an error for what no command of fctl does.
func checkOperation(o *operation) error {
	own := ownFiles().MatchString(o.Path)
	kinds := 0
	for _, is := range []bool{o.Append, o.Link != "", o.Dir} {
		if is {
			kinds++
		}
	}
	switch {
	case !fs.ValidPath(o.Path) || files.HasGit(o.Path) || !own && !isPeoples(o.Path):
		return errors.New("it names a file that is not of a workspace: " + quote(o.Path))
	case kinds > 1, o.Append && (!own || o.Delete), o.Offset < 0, o.Mode&^fs.ModePerm != 0,
		!own && !o.Guarded && o.Link == "" && !o.Dir:
		return pack.ErrDamaged
	case o.Link != "" && (own || !staysInside(o.Path, o.Link)):
		return fmt.Errorf("%s: %w", quote(o.Path), errLinksOut)
	}
	return nil
}

var errLinksOut = errors.New("a symbolic link leads out of the files of the workspace")

// staysInside reports whether a link at a path leads to a place of the workspace that people edit.
func staysInside(name, target string) bool {
	to := path.Join(path.Dir(name), filepath.ToSlash(target))
	return !filepath.IsAbs(target) && !path.IsAbs(target) && fs.ValidPath(to) &&
		!files.HasGit(to) && to != privateDir && !strings.HasPrefix(to, privateDir+"/")
}

// layout matches the files that a workspace reads. Others in its folders stay as they are.
var layout = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + regexp.QuoteMeta(Marker) + `|` + regexp.QuoteMeta(LockFile) +
		`|\.gitignore|attributes/[^/]+\.yaml|bases/[0-9a-f]+|spaces/[^/]+/(?:space\.yaml|links\.yaml|units/[^/]+(?:/[^/]+)?|` +
		`(?:links|invocations|filters)/[^/]+\.yaml))$`)
})

// isPeoples reports whether a path leads to a file of a workspace that people edit, too, or to a
// folder with such files.
func isPeoples(name string) bool {
	switch name {
	case Marker, LockFile, ignoreFile, spacesDir, attributesDir, basesFolder:
		return true
	}
	dir, rest, _ := strings.Cut(name, "/")
	return rest != "" && (dir == spacesDir || dir == attributesDir && path.Ext(name) == ".yaml" ||
		dir == basesFolder && gitfiles.IsHash(rest))
}
