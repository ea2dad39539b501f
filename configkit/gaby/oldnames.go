package gaby

// The methods below have new names. They stay until all branches that use the old ones have landed.

// TextIs is [Value.EqualText].
func (v Value) TextIs(s string) bool { return v.EqualText(s) }

// Elsewhere is [Value.IsAliased].
func (v Value) Elsewhere() bool { return v.IsAliased() }

// Written is [Value.SourceStyle].
func (v Value) Written() SourceStyle { return v.SourceStyle() }

// Detach is [YamlDoc.DropPositions].
func (d *YamlDoc) Detach() { d.DropPositions() }

// Ended is [YamlDoc.BytesWithNewline].
func (d *YamlDoc) Ended() []byte { return d.BytesWithNewline() }

// PlaceBehind is [YamlDoc.MoveKeyAfter].
func (d *YamlDoc) PlaceBehind(key string, segments ...string) error {
	return d.MoveKeyAfter(key, segments...)
}

// ArrangeKeys is [YamlDoc.ReorderKeys].
func (d *YamlDoc) ArrangeKeys(keys []string, segments ...string) bool {
	return d.ReorderKeys(keys, segments...)
}

// Pieces is [Container.Chunks].
func (c Container) Pieces() [][]byte { return c.Chunks() }

// SamePieces is [SameChunks].
func SamePieces(list [][]byte, text []byte) bool { return SameChunks(list, text) }
