package process

// SandboxCommand is the first argument with which a Sandbox starts its own program again. That
// program then calls EnterSandbox.
const SandboxCommand = "enter-sandbox"

// Sandbox runs programs in Linux namespaces of their own, without root: as user 65534, without
// network, without new privileges, on a read-only file system with an empty /tmp.
//
// The namespaces are entered in two steps, since Go cannot run code between fork and exec: the
// child first runs Self, which mounts, drops its capabilities and executes the function.
type Sandbox struct {
	// Self is a program that calls EnterSandbox when its first argument is SandboxCommand.
	Self string
}

// nobody is the user and group of functions in sandboxes and containers. Images FROM scratch have
// no user names (E2).
const nobody = 65534
