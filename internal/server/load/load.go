// Package load measures a server under load, beside a handler of HTTP that does nothing. Its test has
// the build tag load; make bench-server runs it.
//
// Layer: commands.
package load
