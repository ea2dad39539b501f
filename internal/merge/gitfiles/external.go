package gitfiles

import "strings"

// TwoVersions is a file as git gives it to an external diff.
type TwoVersions struct {
	Path  string    // in the repository, of the new version
	Files [2]string // with the old and the new version, os.DevNull for none
}

// External parses the words with which git calls an external diff: PATH OLD-FILE OLD-HEX OLD-MODE
// NEW-FILE NEW-HEX NEW-MODE and, for a renamed file, its new path and how it changed. See git(1),
// GIT_EXTERNAL_DIFF. It reports false for other words.
func External(words []string) (TwoVersions, bool) {
	if len(words) != 7 && len(words) != 9 {
		return TwoVersions{}, false
	}
	for _, mode := range []string{words[3], words[6]} {
		if mode != "." && (len(mode) != 6 || strings.Trim(mode, "01234567") != "") {
			return TwoVersions{}, false
		}
	}
	v := TwoVersions{words[0], [2]string{words[1], words[4]}}
	if len(words) == 9 {
		v.Path = words[7]
	}
	return v, true
}
