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
	byFile map[string]*indexed // by the path of the definition
	size   int                 // of the file
}

// indexed is a definition and what is recorded about it.
type indexed struct {
	Path       string
	File       stamp
	Hash       string // of the file
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
const indexHeader = "fctl index 11\n"

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
	text, err := s.readRegular(indexFile)
	if err != nil {
		return &index{}
	}
	var entries []indexed
	rest, err := pack.Unseal(indexHeader, text)
	if err != nil || pack.Unmarshal(rest, &entries) != nil {
		return &index{} // of another version, for example, or cut off by a loss of power
	}
	x := &index{size: len(text), byFile: make(map[string]*indexed, len(entries))}
	for i := range entries {
		x.byFile[entries[i].Path] = &entries[i]
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
	entries := make([]indexed, 0, len(w.Units)+len(w.Links))
	now := time.Now()
	for entry := range w.All() {
		e, ok := s.indexEntry(entry, now)
		if !ok {
			continue
		}
		switch entry := entry.(type) {
		case *Unit:
			file := entry.DataFile()
			if e.Data == "" || s.written[file] || !s.isHead(entry) {
				e.Working, e.Data = s.indexWorking(file, now)
			}
		case *Link:
			e.Link = entry.loaded
		}
		entries = append(entries, e)
	}
	// Without an index the next command reads more files.
	size := s.index.size + s.index.size/8
	if packed, err := pack.Append(make([]byte, 0, size), &entries); err == nil {
		_ = s.replace(indexFile, false, pack.Seal(indexHeader, packed), packed)
	}
}

// indexEntry returns what the index keeps of an entity. It reports false if the content of its file
// is not known for certain. An entry whose files nobody changed stays as it is: if somebody did, the
// stamps say so.
func (s *Store) indexEntry(entry Entity, now time.Time) (e indexed, ok bool) {
	from, state := entry.from(), recordFile(entry)
	if from.inline {
		if from.packed == "" {
			return e, false // it was written
		}
		e = indexed{Path: from.key(entry.Base().Slug), Hash: from.hash}
		if known := s.index.byFile[e.Path]; known != nil && known.Hash == e.Hash && known.File == (stamp{}) {
			if e = *known; !s.isWritten(state) {
				return e, true
			}
		}
	} else if known := s.index.byFile[from.file]; known != nil && from.indexed && !s.written[from.file] {
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
	to := entity.New(entry.Kind()).State()
	if s.readState(state, to) != nil {
		return e, false
	}
	recorded, err := pack.Append(nil, to)
	e.Recorded = string(recorded)
	return e, err == nil
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
