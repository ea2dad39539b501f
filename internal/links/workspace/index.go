package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/pack"
)

// minUnindexed is the number of files, unknown or written, that makes another index worth its cost.
const minUnindexed = 64

// index holds what was read from files, so that the next command need not read them again. It is
// only a cache: an entry counts if the file has not changed since, and the index may be missing.
type index struct {
	entries []indexed
	byFile  map[string]*indexed // by the path of the definition
	size    int                 // of the file
}

// indexed is a definition and what is recorded about it.
type indexed struct {
	Path       string
	File       stamp
	Hash       string // of the file
	Stated     bool
	Definition string // the entity, packed
	State      stamp
	Recorded   string // its state, packed; empty without one
	Working    stamp  // of the working copy of a unit
	Data       string // the hash of the working copy
	Link       linkHash
}

// linkHash is the hash of a link, and the IDs that it depends on beside the definition.
type linkHash struct{ From, To, Transform, Hash string }

// stamp identifies the content of a file without reading it. The zero stamp is that of no file.
type stamp struct {
	Size, Modified, Changed int64
	Inode                   uint64
}

// indexHeader begins an index. Another version has another number.
const indexHeader = "fctl index 7\n"

func (s *stamp) pack(c *pack.Codec) {
	pack.Number(c, &s.Size)
	pack.Number(c, &s.Modified)
	pack.Number(c, &s.Changed)
	inode := int64(s.Inode)
	pack.Number(c, &inode)
	s.Inode = uint64(inode)
}

func (x *index) pack(c *pack.Codec) {
	pack.List(c, &x.entries, func(e *indexed) {
		pack.Text(c, &e.Path)
		e.File.pack(c)
		pack.Text(c, &e.Hash)
		pack.Bool(c, &e.Stated)
		pack.Text(c, &e.Definition)
		e.State.pack(c)
		pack.Text(c, &e.Recorded)
		e.Working.pack(c)
		pack.Text(c, &e.Data)
		pack.Text(c, &e.Link.From)
		pack.Text(c, &e.Link.To)
		pack.Text(c, &e.Link.Transform)
		pack.Text(c, &e.Link.Hash)
	})
}

// packed returns what write packs.
func packed(write func(*pack.Codec)) (string, bool) {
	c := pack.Writer(0)
	write(c)
	return string(c.Bytes()), c.Err() == nil
}

// unpack reads what packed returned. It reports whether it could.
func unpack(text string, read func(*pack.Codec)) bool {
	c := pack.Reader(text)
	read(c)
	return c.End() == nil
}

// stampOf returns the stamp of a regular file, zero for anything else.
func (s *Store) stampOf(name string) stamp {
	info, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(name)))
	if err != nil {
		return stamp{}
	}
	return stampOf(info)
}

func stampOf(info fs.FileInfo) stamp {
	if !info.Mode().IsRegular() {
		return stamp{}
	}
	changed, inode := changeOf(info)
	return stamp{info.Size(), info.ModTime().UnixNano(), changed, inode}
}

// readIndex reads the index. Without a usable one everything is read.
func (s *Store) readIndex() *index {
	x := &index{}
	text, err := s.readRegular(indexFile)
	if err != nil {
		return x
	}
	rest, err := pack.Unseal(indexHeader, text)
	if err != nil || !unpack(rest, x.pack) {
		return &index{} // of another version, for example, or cut off by a loss of power
	}
	x.size = len(text)
	x.byFile = make(map[string]*indexed, len(x.entries))
	for i := range x.entries {
		x.byFile[x.entries[i].Path] = &x.entries[i]
	}
	return x
}

// settled is how long ago a file must have been written for its stamp to identify its content:
// another write within the resolution of the file system's clock might leave the stamp as it is.
// Whole seconds suggest a coarse clock.
func (s stamp) settled(now time.Time) bool {
	resolution := 50 * time.Millisecond
	if s.Modified%int64(time.Second) == 0 {
		resolution = 2 * time.Second
	}
	age := now.Sub(time.Unix(0, max(s.Modified, s.Changed)))
	return s != stamp{} && age > resolution
}

// WriteIndex writes the index for the next command. It needs the lock for writing. An index that
// cannot be written only costs time.
func (w *Workspace) WriteIndex() {
	s := w.Store
	if !s.exclusive || s.unindexed.Load()+int64(len(s.written)) < minUnindexed {
		return
	}
	x := &index{entries: make([]indexed, 0, len(w.Units)+len(w.Links))}
	now := time.Now()
	for _, u := range w.Units {
		e, ok := s.indexEntry(entity.KindUnit, &u.Common, u.source, now)
		if !ok {
			continue
		}
		if file := u.DataFile(); e.Data == "" || s.written[file] || !s.isHead(u) {
			e.Working, e.Data = s.indexWorking(file, now)
		}
		x.entries = append(x.entries, e)
	}
	for _, l := range w.Links {
		if e, ok := s.indexEntry(entity.KindLink, &l.Common, l.source, now); ok {
			e.Stated, e.Link = l.Stated, l.loaded
			x.entries = append(x.entries, e)
		}
	}
	c := pack.Writer(s.index.size + s.index.size/8)
	x.pack(c)
	// Without an index the next command reads more files.
	_ = s.replace(indexFile, false, c.Seal(indexHeader), c.Bytes())
}

// indexEntry returns what the index keeps of a definition. It reports false if the content of the
// file is not known for certain. An entry whose files nobody changed stays as it is: if somebody
// did, the stamps say so.
func (s *Store) indexEntry(kind entity.Kind, c *entity.Common, from source, now time.Time,
) (indexed, bool) {
	var e indexed
	state := stateFile(kind, c.SpaceSlug, c.Slug)
	if known := s.index.byFile[from.file]; known != nil && from.indexed && !s.written[from.file] {
		e = *known
		if !s.isWritten(state) {
			return e, true
		}
	} else {
		at := s.stampOf(from.file)
		hash, err := s.hashOf(from.file)
		if err != nil || hash != from.hash || from.packed == "" || !at.settled(now) ||
			at != s.stampOf(from.file) {
			return e, false
		}
		e = indexed{Path: from.file, File: at, Hash: hash, Definition: from.packed}
	}
	// Only fctl writes recorded state, and only with the lock.
	state = s.statePath(state)
	e.State, e.Recorded = s.stampOf(state), ""
	if e.State == (stamp{}) {
		return e, true
	}
	var ok bool
	if kind == entity.KindUnit {
		var to entity.UnitStateFile
		if s.readState(state, &to) == nil {
			e.Recorded, ok = packed(to.Pack)
		}
		return e, ok
	}
	var to entity.LinkStateFile
	if s.readState(state, &to) == nil {
		e.Recorded, ok = packed(to.Pack)
	}
	return e, ok
}

// isWritten reports whether this process wrote a file of recorded state.
func (s *Store) isWritten(name string) bool {
	shared, ok := s.basesPath(name)
	return s.written[name] || ok && s.written[shared]
}

// indexWorking returns the stamp and the hash of a working copy, nothing if they are not certain.
func (s *Store) indexWorking(name string, now time.Time) (stamp, string) {
	at := s.stampOf(name)
	if !at.settled(now) {
		return stamp{}, ""
	}
	hash, err := s.hashOf(name)
	if err != nil || at != s.stampOf(name) {
		return stamp{}, ""
	}
	return at, hash
}

// isHead reports whether the index knows that the working copy of a unit is its head.
func (s *Store) isHead(u *Unit) bool {
	e := s.index.byFile[u.file]
	return e != nil && e.Data != "" && e.Data == u.DataHash && e.Working == s.stampOf(u.DataFile())
}
