package gaby

// position returns the position of byte p of src, the zero Position if the text is not from a file.
func (d *document) position(p int) Position {
	if d.unit.detached {
		return Position{}
	}
	at := d.blocks.Of(d.src, p).Next(d.src, p)
	return Position{Line: d.unit.linesBefore(d.index) + at.Line + 1, Column: at.Column + 1}
}
