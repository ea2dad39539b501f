//go:build !linux

// Package hugepages does nothing on this system.
package hugepages

// Advise does nothing.
func Advise([]byte) {}
