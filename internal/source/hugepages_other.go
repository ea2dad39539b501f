//go:build !linux

package source

func adviseHugePages([]byte) {}
