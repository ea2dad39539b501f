package gaby

import "github.com/fctl-dev/fctl/configkit/gaby/internal/scan"

// scan fills the slab of d. The error is a *SyntaxError.
func (d *document) scan() error {
	nodes := d.unit.arena.take((d.bodyEnd-d.bodyStart)/20 + 4)
	t, err := scan.Document(d.src, d.bodyStart, d.bodyEnd, scan.ScanLimits(*d.limits), nodes)
	if err != nil {
		d.noLibrary = err.Outside
		return &SyntaxError{
			Pos: d.position(err.At), Msg: err.Msg, Hint: err.Hint, Unsupported: err.Unsupported,
		}
	}
	d.n, d.nsrc = d.unit.arena.keep(t.Nodes), int32(len(t.Nodes))
	d.props, d.aliases = t.Props, t.Aliases
	d.separators, d.duplicates = t.Separators, t.Duplicates
	return nil
}
