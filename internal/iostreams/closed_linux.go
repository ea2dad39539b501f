//go:build linux && (amd64 || arm64)

package iostreams

// statusAtStart has the results of fcntl(F_GETFD) for the standard streams before the Go runtime
// started, negative for a closed stream. The runtime opens /dev/null in place of a closed stream,
// which then looks like a stream redirected there on purpose. fctl_entry sets it; only a binary
// linked with -E fctl_entry, as by make build, runs that. In other binaries no stream counts as
// closed.
var statusAtStart [3]int64 //nolint:gochecknoglobals // written before the runtime starts

func closed(fd int) bool { return statusAtStart[fd] < 0 }
