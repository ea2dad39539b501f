//go:build linux && (amd64 || arm64)

package iostreams

// statusAtStart is what fcntl(F_GETFD) said about the standard streams before
// the Go runtime started: negative if a stream was closed. The runtime opens
// /dev/null in place of a closed stream, which then looks like one that somebody
// does not want to read. fctl_entry sets it; only a binary that is linked with
// -E fctl_entry, as make build does, has that. In others no stream looks closed.
var statusAtStart [3]int64 //nolint:gochecknoglobals // it is written before there is anything else

func closed(fd int) bool { return statusAtStart[fd] < 0 }
