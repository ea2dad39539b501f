package gaby

// LimitGrowth lets allow refuse edits. It gets the number of bytes that the new values of an
// edit take; the edit fails with its error. Several goroutines may call it, each for
// documents of its own.
func (c Container) LimitGrowth(allow func(bytes int) error) {
	for _, d := range c {
		d.v.d.allow = allow
	}
}

// nodeSize is roughly the memory of a new value without its text, in bytes.
const nodeSize = 32

// grow asks whether a document may grow by so many bytes.
func (d *document) grow(bytes int) error {
	if d.allow == nil || bytes <= 0 {
		return nil
	}
	return d.allow(bytes)
}

// grew asks whether a document may have the values that were built since the last call.
func (d *document) grew() error {
	bytes := d.grown
	d.grown = 0
	return d.grow(bytes)
}
