// Package load measures a runner under load. Its test has the build tag load; make bench-runner
// runs it.
//
// Layer: commands.
package load
