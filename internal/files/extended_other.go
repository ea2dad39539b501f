//go:build unix && !linux

package files

func keepExtended(int, string) error { return nil }
