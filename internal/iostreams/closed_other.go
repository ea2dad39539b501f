//go:build !(linux && (amd64 || arm64))

package iostreams

// closed reports whether a standard stream was closed when the program started, which is not known
// on this system.
func closed(int) bool { return false }
