package gaby

// Limits bounds the cost of one document. Inputs are untrusted: without limits a few lines of
// aliases expand to gigabytes.
type Limits struct {
	DocumentBytes int // length of the text of a document
	Depth         int // nesting of maps and lists
	// AliasNodes is the number of values of a document with aliases expanded. It is only checked if
	// there are aliases.
	AliasNodes int
}

// DefaultLimits returns the limits used if none are given: 256 MiB, 1,000 levels, one million
// values.
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
