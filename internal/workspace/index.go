package workspace

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// minUnindexed is the number of unknown files that makes another index worth its cost.
const minUnindexed = 64

// index holds what was read from files, so that the next command need not read them again. It is
// only a cache: an entry counts if the file has not changed since, and the index may be missing.
type index struct {
	Definitions map[string]*indexed // by path
	Hashes      map[string]hashed   // of working copies, by path
}

// indexed is a definition and what is recorded about it.
type indexed struct {
	File       stamp
	Hash       string // of the file
	Stated     bool
	Definition []byte // the entity in JSON
	State      stamp
	Recorded   []byte
}

// hashed is the hash of a file.
type hashed struct {
	File stamp
	Hash string
}

// stamp identifies the content of a file without reading it. The zero stamp is that of no file.
type stamp struct {
	Size, Modified, Changed int64
	Inode                   uint64
}

// stampOf returns the stamp of a regular file, zero for anything else.
func (s *Store) stampOf(name string) stamp {
	info, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(name)))
	if err != nil || !info.Mode().IsRegular() {
		return stamp{}
	}
	changed, inode := changeOf(info)
	return stamp{info.Size(), info.ModTime().UnixNano(), changed, inode}
}

// readIndex reads the index. Without a usable one everything is read.
func (s *Store) readIndex() *index {
	x := &index{}
	text, err := s.root.ReadFile(indexFile)
	if err != nil || x.decode(text) != nil {
		return &index{} // of another version, for example
	}
	return x
}

// settled is how long ago a file must have been written for its stamp to identify its content:
// another write within the resolution of the file system's clock might leave the stamp as it is.
// Whole seconds suggest a coarse clock.
func (st stamp) settled(now time.Time) bool {
	resolution := 50 * time.Millisecond
	if st.Modified%int64(time.Second) == 0 {
		resolution = 2 * time.Second
	}
	age := now.Sub(time.Unix(0, max(st.Modified, st.Changed)))
	return st != stamp{} && age > resolution
}

// cached returns a definition of the index, if its file has not changed.
func (x *index) cached(d definition, st stamp) *indexed {
	e := x.Definitions[d.file]
	if e == nil || e.File != st || (st == stamp{}) {
		return nil
	}
	return e
}

// WriteIndex writes the index for the next command. It needs the lock for writing. An index that
// cannot be written only costs time.
func (w *Workspace) WriteIndex() {
	s := w.Store
	if !s.exclusive || s.unindexed.Load() < minUnindexed {
		return
	}
	now := time.Now()
	x := &index{Definitions: map[string]*indexed{}, Hashes: map[string]hashed{}}
	add := func(kind entity.Kind, c *entity.Common, from source, stated bool) {
		e := s.index.Definitions[from.file]
		if st := s.stampOf(from.file); e == nil || e.File != st {
			hash, err := s.hashOf(from.file)
			if err != nil || hash != from.hash || from.raw == nil || !st.settled(now) ||
				st != s.stampOf(from.file) {
				return
			}
			e = &indexed{File: st, Hash: hash, Stated: stated, Definition: from.raw}
		}
		// Only fctl writes recorded state, and only with the lock.
		name := s.statePath(stateFile(kind, c.SpaceSlug, c.Slug))
		if at := s.stampOf(name); at != e.State {
			e.State, e.Recorded = at, nil
			if text, err := s.root.ReadFile(name); err == nil {
				var compact bytes.Buffer
				if json.Compact(&compact, text) == nil {
					e.Recorded = compact.Bytes()
				}
			}
		}
		x.Definitions[from.file] = e
	}
	for _, u := range w.Units {
		add(entity.KindUnit, &u.Common, u.source, false)
		w.indexHash(x, u, now)
	}
	for _, l := range w.Links {
		add(entity.KindLink, &l.Common, l.source, l.Stated)
	}
	_ = s.replaceWith(indexFile, x.encode) // without it the next command reads more files
}

// indexHash puts the hash of a working copy into the index.
func (w *Workspace) indexHash(x *index, u *Unit, now time.Time) {
	name := u.DataFile()
	st := w.Store.stampOf(name)
	if h := w.Store.index.Hashes[name]; h.File == st && h.Hash != "" {
		x.Hashes[name] = h
		return
	}
	if !st.settled(now) {
		return
	}
	if h, err := w.Store.hashOf(name); err == nil && st == w.Store.stampOf(name) {
		x.Hashes[name] = hashed{st, h}
	}
}

// isHead reports whether the index knows that the working copy of a unit is its head.
func (s *Store) isHead(u *Unit) bool {
	h := s.index.Hashes[u.DataFile()]
	return h.Hash != "" && h.Hash == u.DataHash && h.File == s.stampOf(u.DataFile())
}
