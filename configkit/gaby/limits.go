package gaby

// Limits bounds what one document may cost. Inputs are untrusted: without limits a few lines of aliases stand for gigabytes.
type Limits struct {
	DocumentBytes int // length of one document's text
	Depth         int // maps and lists inside each other
	AliasNodes    int // values of a document after replacing aliases by what they stand for; only counted when there are aliases
}

// DefaultLimits returns the limits used when none are given: 256 MiB, 1,000 levels, one million values.
func DefaultLimits() Limits {
	return Limits{DocumentBytes: 256 << 20, Depth: 1000, AliasNodes: 1_000_000}
}

// An Option changes how text is parsed.
type Option func(*Limits)

// WithLimits sets the limits; a zero field keeps its default.
func WithLimits(l Limits) Option {
	return func(have *Limits) {
		if l.DocumentBytes > 0 {
			have.DocumentBytes = l.DocumentBytes
		}
		if l.Depth > 0 {
			have.Depth = l.Depth
		}
		if l.AliasNodes > 0 {
			have.AliasNodes = l.AliasNodes
		}
	}
}
