package namespaces

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

// renamedNamespaces returns the Namespaces to rename: those that resources are moved from.
func (m *Move) renamedNamespaces() (gaby.Container, error) {
	if len(m.namespaces) == 0 {
		return nil, nil
	}
	present, used := m.presentNamespaces(), m.used()
	moved, same := m.movedNamespaces(present, used)
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
				"the Namespaces %s would all be called %s", strings.Join(moved, ", "), m.To)
		default:
			renamed = append(renamed, r.Doc)
		}
	}
	if !handler.IsPart(m.fc) {
		m.noteNamespaces(m.namespaceNames(), present, used)
	}
	return renamed, nil
}

// presentNamespaces returns the names of the Namespaces of the unit and of all input files.
func (m *Move) presentNamespaces() map[string]bool {
	present := map[string]bool{}
	for _, info := range m.inputs() {
		if info.ResourceType == typeNamespace {
			present[string(info.ResourceNameWithoutScope)] = true
		}
	}
	for i := range m.resources {
		if r := &m.resources[i]; r.isNamespace() {
			present[r.Name()] = true
		}
	}
	return present
}

// movedNamespaces returns the names of the Namespaces to rename, sorted. None is renamed if the new
// one exists already. same reports that there are several, which cannot all get the new name.
func (m *Move) movedNamespaces(present, used map[string]bool) (moved []string, same bool) {
	if present[m.To] {
		return nil, false
	}
	for name := range present {
		if used[name] {
			moved = append(moved, name)
		}
	}
	slices.Sort(moved)
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
func (m *Move) noteNamespaces(names []string, present, used map[string]bool) {
	for _, name := range names {
		switch {
		case name == m.To:
		case !used[name] && m.From == "":
			m.fc.NoteOnce(fmt.Sprintf(
				"Namespace %s keeps its name: no other resource is in it; 'set-namespace %s %s' "+
					"renames it",
				name, m.To, name))
		case used[name] && present[m.To]:
			m.fc.NoteOnce(fmt.Sprintf(
				"Namespace %s keeps its name: there is a Namespace %s already", name, m.To))
		}
	}
}
