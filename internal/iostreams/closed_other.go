//go:build !(linux && (amd64 || arm64))

package iostreams

// closed returns false: on this system it is not known whether a standard stream was closed when
// the program started.
func closed(int) bool { return false }
