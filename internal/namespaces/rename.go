package namespaces

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

// renamedNamespaces returns the Namespaces to rename: those that resources are moved from.
func (m *Move) renamedNamespaces() (gaby.Container, error) {
	if len(m.namespaces) == 0 {
		return nil, nil
	}
	own := m.ownNamespaces()
	moved, same := m.movedNamespaces(own)
	var renamed gaby.Container
	for _, r := range m.namespaces {
		switch {
		case !slices.Contains(moved, r.Name()):
		case same && handler.IsPart(m.fc):
			return nil, handler.ErrWholeUnit
		case same:
			return nil, r.Failure(
				fmt.Sprintf("'set-namespace %s %s' moves only what is in %s", m.To, moved[0],
					moved[0]),
				"the Namespaces %s would all be called %s", ShortList(moved, len(moved)), m.To)
		default:
			renamed = append(renamed, r.Doc)
		}
	}
	if !handler.IsPart(m.fc) {
		m.noteNamespaces(m.namespaceNames(), own)
	}
	return renamed, nil
}

// ownNamespaces returns the names of the Namespaces of the unit.
func (m *Move) ownNamespaces() map[string]bool {
	own := map[string]bool{}
	for i := range m.resources {
		if r := &m.resources[i]; r.isNamespace() {
			own[r.Name()] = true
		}
	}
	return own
}

// isPresent reports whether the unit, whose Namespaces are own, or another input file has a
// Namespace.
func (m *Move) isPresent(own map[string]bool, name string) bool {
	return own[name] || m.inputs().Has("Namespace", "", name)
}

// movedNamespaces returns the names of the Namespaces to rename, sorted. None is renamed if the new
// one exists already. same reports that there are several, which cannot all get the new name.
func (m *Move) movedNamespaces(own map[string]bool) (moved []string, same bool) {
	if m.isPresent(own, m.To) {
		return nil, false
	}
	if m.From != "" {
		if m.isPresent(own, m.From) {
			moved = []string{m.From}
		}
		return moved, false
	}
	names := map[string]bool{}
	for name := range own {
		names[name] = m.isUsed(name)
	}
	for name := range m.left.namespaces {
		names[name] = m.isPresent(own, name)
	}
	if p, ok := m.provider.(schemas.InputProvider); ok && !m.selected {
		type key struct{}
		// A function that moves one Namespace only lists the others in its error.
		used, _ := p.FromInputs(key{}, func() any {
			return slices.DeleteFunc(slices.Clone(p.Inputs().Names("Namespace")),
				func(name string) bool { return !p.Inputs().HasNamespace(name) })
		}).([]string)
		for _, name := range used[:min(len(used), ShownNames+1)] {
			names[name] = true
		}
	}
	maps.DeleteFunc(names, func(_ string, moved bool) bool { return !moved })
	moved = slices.Sorted(maps.Keys(names))
	return moved, len(moved) > 1
}

// namespaceNames returns the current names of the Namespaces that the function sees.
func (m *Move) namespaceNames() []string {
	var names []string
	for _, r := range m.namespaces {
		names = append(names, r.Name())
	}
	return names
}

// noteNamespaces reports which Namespaces keep their names, and why.
func (m *Move) noteNamespaces(names []string, own map[string]bool) {
	for _, name := range names {
		switch {
		case name == m.To:
		case !m.isUsed(name) && m.From == "":
			m.fc.NoteOnce(fmt.Sprintf(
				"Namespace %s keeps its name: no other resource is in it; 'set-namespace %s %s' "+
					"renames it",
				name, m.To, name))
		case m.isUsed(name) && m.isPresent(own, m.To):
			m.fc.NoteOnce(fmt.Sprintf(
				"Namespace %s keeps its name: there is a Namespace %s already", name, m.To))
		}
	}
}
