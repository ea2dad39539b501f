package namespaces

import (
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

// moveFacts is what the move of a part of a unit found out and what only all parts together can
// answer.
type moveFacts struct {
	selected   bool // whether there are where-expressions
	namespaces map[string]bool
	unknown    map[string]int
	types      map[api.ResourceType]*movedType
	defined    map[string]configkit.Scope
	moves      []move
	own        map[string]bool // names of the Namespaces of the part
	moving     []string        // names of the Namespaces that the function sees
	renamed    bool            // whether one of them was renamed
	left       leftCount
	rest       []restText
}

// move is the kind, namespace and name of a resource after the move, and its former namespace.
type move struct {
	after [3]string
	old   string
}

// restText is a resource without a namespace, after the move.
type restText struct {
	text   []byte
	edited bool           // whether the move edited it
	docs   gaby.Container // nil until text is parsed
	line   int            // of the resource in the unit
}

// leave leaves the facts about a part for join. It returns ErrWholeUnit if the part alone cannot be
// handled.
func (m *Move) leave(renamed bool) error {
	f := &moveFacts{
		selected: m.selected, namespaces: m.left.namespaces, unknown: m.unknown, types: m.types,
		defined: m.defined,
		moving:  m.namespaceNames(), renamed: renamed, left: m.left.count(),
	}
	if m.Own {
		handler.Leave(m.fc, f)
		return nil
	}
	f.own = m.ownNamespaces()
	for _, doc := range m.left.rest {
		if !doc.IsDocument() {
			return handler.ErrWholeUnit // an element of a List has no text of its own
		}
		rest := restText{text: doc.Source(), line: doc.Position().Line}
		if rest.text == nil {
			rest.text, rest.edited = gaby.Container{doc}.Text(), true
		}
		f.rest = append(f.rest, rest)
	}
	for i := range m.resources {
		r := &m.resources[i]
		if _, ok := m.sameInput(r); ok {
			return handler.ErrWholeUnit
		}
		if after, ok := m.after(r); ok {
			f.moves = append(f.moves, move{after, r.Namespace})
		}
	}
	handler.Leave(m.fc, f)
	return nil
}

// Join completes a move that was made in parts. It returns ErrWholeUnit if a part was moved
// differently from what all parts together require.
func (m *Move) Join(parts []any) error {
	all := &moveFacts{
		namespaces: map[string]bool{}, unknown: m.unknown, defined: map[string]configkit.Scope{},
		own:  map[string]bool{},
		left: leftCount{names: map[string]bool{}},
	}
	for _, part := range parts {
		all.add(part.(*moveFacts))
	}
	m.selected, m.left.namespaces = all.selected, all.namespaces
	moved, same := m.movedNamespaces(all.own)
	if same || (m.mixed(len(all.rest)) || m.selected) && all.same() {
		return handler.ErrWholeUnit
	}
	for _, part := range parts {
		f := part.(*moveFacts)
		renamed := slices.ContainsFunc(f.moving, func(name string) bool {
			return slices.Contains(moved, name)
		})
		if f.renamed != renamed || !m.scopesAgree(f.types, all.defined) {
			return handler.ErrWholeUnit
		}
	}
	m.noteNamespaces(all.moving, all.own)
	m.noteUnknown()
	m.left.addRest(all.rest, m.isFormer)
	all.left.add(m.left.count())
	all.left.note(m.fc)
	return nil
}

// add adds the facts about another part.
func (f *moveFacts) add(part *moveFacts) {
	f.selected = part.selected
	maps.Copy(f.namespaces, part.namespaces)
	for t, n := range part.unknown {
		f.unknown[t] += n
	}
	maps.Copy(f.defined, part.defined)
	f.moves = append(f.moves, part.moves...)
	maps.Copy(f.own, part.own)
	f.moving = append(f.moving, part.moving...)
	f.left.add(part.left)
	f.rest = append(f.rest, part.rest...)
}

// scopesAgree reports whether the types of a part had the scopes that the CustomResourceDefinitions
// of all parts define. Scopes given by an argument are in m.types.
func (m *Move) scopesAgree(
	types map[api.ResourceType]*movedType, defined map[string]configkit.Scope,
) bool {
	for t, known := range types {
		scope := defined[configkit.GroupKind(t)]
		open := m.types[t] == nil && (known.scope == configkit.ScopeUnknown || IsCustom(t))
		if open && scope != configkit.ScopeUnknown && scope != known.scope {
			return false
		}
	}
	return true
}

// same reports whether two resources of different namespaces become the same.
func (f *moveFacts) same() bool {
	former := make(map[[3]string]string, len(f.moves))
	for _, m := range f.moves {
		if old, taken := former[m.after]; taken && old != m.old {
			return true
		}
		former[m.after] = m.old
	}
	return false
}
