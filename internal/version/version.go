// Package version reads the version that the go command recorded in a program, so that builds need no
// flags.
//
// Layer: base.
package version

import (
	"cmp"
	"runtime/debug"
)

// Version is the version of a program. `version -o json` prints its JSON.
type Version struct {
	Version  string
	Commit   string `json:",omitempty"`
	Time     string `json:",omitempty"`
	Modified bool   // the working tree had uncommitted changes
	Go       string
	Platform string
}

// Read returns the version of this program, with "(devel)" if it has none.
func Read() Version {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	return Version{
		Version: cmp.Or(info.Main.Version, "(devel)"), Commit: setting["vcs.revision"],
		Time: setting["vcs.time"], Modified: setting["vcs.modified"] == "true",
		Go: info.GoVersion, Platform: setting["GOOS"] + "/" + setting["GOARCH"],
	}
}

// Line returns the version as a line of text. The version of a build from a work tree has the commit
// and +dirty.
func (v Version) Line(program string) string {
	text := program + " " + v.Version
	if v.Time != "" {
		text += " " + v.Time
	}
	return text + " " + v.Go + " " + v.Platform + "\n"
}
