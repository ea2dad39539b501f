package treemerge

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// mayLeave says why a link is not taken.
const mayLeave = "its target may be outside of the directory, so OURS does not get it"

// content returns the content of a file of the result, which has a path already: a version of it,
// or a merged one whose mode is not known yet. It is nil if the file is a link that is not taken.
func (m *treeMerger) content(f *MergedFile) *TreeFile {
	ours, theirs := m.Ours[f.Ours], m.Theirs[f.Theirs]
	from, merged := m.side(f)
	switch {
	case from == nil:
		return merged
	case from == ours && f.Path == f.Ours, !leadsOut(f.Path, from):
		return from
	}
	if theirs != nil {
		m.conflict(f.Theirs, true,
			fmt.Sprintf("it is a symbolic link to %s; %s", from.Data, mayLeave))
	}
	return ours
}

// side returns the version whose content a file of the result has; nil if the content is merged.
func (m *treeMerger) side(f *MergedFile) (from, merged *TreeFile) {
	ours, theirs := m.Ours[f.Ours], m.Theirs[f.Theirs]
	switch {
	case theirs == nil:
		return ours, nil
	case ours == nil:
		return theirs, nil
	case sameContent(ours, theirs):
		return ours, nil
	}
	if base := m.Base[f.Base]; base != nil {
		switch {
		case sameContent(base, theirs):
			return ours, nil
		case sameContent(base, ours):
			return theirs, nil
		}
	}
	if ours.IsLink() || theirs.IsLink() {
		m.conflict(f.Ours, false,
			fmt.Sprintf("it is %s in OURS and %s in THEIRS", ours.what(), theirs.what()))
		return ours, nil
	}
	text, conflicts, ok := m.Content(f)
	if !ok {
		m.conflict(f.Ours, false, "both sides changed it, and it is not text")
		return ours, nil
	}
	m.result.Inside += conflicts
	return nil, &TreeFile{Data: text}
}

// what says what a file is.
func (f *TreeFile) what() string {
	if f.IsLink() {
		return "a symbolic link to " + string(f.Data)
	}
	return "a file"
}

// mode returns the permissions of a file of the result, which is not a symbolic link.
func (m *treeMerger) mode(f *MergedFile) fs.FileMode {
	ours, theirs, base := m.Ours[f.Ours], m.Theirs[f.Theirs], m.Base[f.Base]
	switch {
	case theirs == nil || theirs.IsLink():
		return ours.Mode
	case ours == nil || ours.IsLink():
		return theirs.Mode
	case ours.Mode == theirs.Mode:
		return ours.Mode
	case (base == nil || base.IsLink()) && ours.Mode&0o111 == theirs.Mode&0o111:
		return ours.Mode & theirs.Mode // as a file with secrets, which is written for its owner only
	case base == nil || base.IsLink():
		m.conflict(f.Ours, false, fmt.Sprintf("its mode is %s in OURS and %s in THEIRS",
			ModeText(ours.Mode), ModeText(theirs.Mode)))
	case base.Mode == ours.Mode:
		return theirs.Mode
	case base.Mode != theirs.Mode:
		m.conflict(f.Ours, false, fmt.Sprintf("OURS changed its mode from %s to %s, THEIRS to %s",
			ModeText(base.Mode), ModeText(ours.Mode), ModeText(theirs.Mode)))
	}
	return ours.Mode
}

// ModeText returns permissions as chmod takes them, such as 755.
func ModeText(mode fs.FileMode) string { return fmt.Sprintf("%03o", mode.Perm()) }

// leadsOut reports whether a file is a symbolic link that may lead out of the directory from a path
// in it. The check knows only the text of the target: ".." after a name may leave the directory,
// because the name can itself be a link.
func leadsOut(at string, f *TreeFile) bool {
	if f == nil || !f.IsLink() {
		return false
	}
	target := string(f.Data)
	if path.IsAbs(target) || filepath.IsAbs(target) || filepath.VolumeName(target) != "" {
		return true
	}
	above := strings.Count(path.Clean(at), "/")
	named := false
	for name := range bytes.SplitSeq(f.Data, []byte("/")) {
		switch string(name) {
		case "", ".":
		case "..":
			if above--; named || above < 0 {
				return true
			}
		default:
			named = true
		}
	}
	return false
}
