//go:build unix && !linux

package sink

func keepExtended(int, string) error { return nil }
