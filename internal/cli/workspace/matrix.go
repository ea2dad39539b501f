package workspace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/out"
)

// matrix has a row for each service, which is a unit and its clones, and a column for each space.
type matrix struct {
	Spaces   []string
	Services []*service
}

// service is a row of the matrix.
type service struct {
	Service string
	Cells   []*matrixCell // by column; nil where the space has no such unit
	root    string
}

// matrixCell is a unit in the matrix.
type matrixCell struct {
	Unit string
	// Version is the revision of the first unit of the chain of clones that the unit has, 0 if that is
	// not known. Hash is the beginning of the hash of its data.
	Version int64 `json:",omitempty"`
	Hash    string
	// Pending counts the revisions of the upstream unit that were not merged, an edit of its file
	// included.
	Pending int64
	// Own counts the values and resources that were changed here, and Conflicts the outstanding
	// conflicts.
	Own, Conflicts int
	// Edited is set if the file was edited since the last revision.
	Edited bool `json:",omitempty"`
}

// matrixOf makes the matrix of the spaces of the command.
func matrixOf(s *session.Session) *matrix {
	s.FromGit(s.Units...)
	edited, problems := s.Edited(s.Units)
	s.Problems = append(s.Problems, problems...)
	c := &chains{Session: s, edited: edited, mutations: map[*workspace.Unit][]entity.Mutation{}}
	all, depth := &matrix{Services: []*service{}}, map[string]int{}
	rows := map[string]*service{}
	type at struct{ row, space string }
	cells := map[at]*matrixCell{}
	for _, u := range s.Units {
		if !s.In(u.SpaceSlug) {
			continue
		}
		root, n := c.root(u)
		key := root.Name()
		if root == u && !c.isCloned(u) {
			key = "/" + u.Slug // units of one name that no link connects are one row
		}
		cell, err := c.cell(u)
		if err != nil {
			s.Unread(err)
			continue
		}
		if rows[key] == nil {
			rows[key] = &service{Service: root.Slug, root: root.Name()}
			all.Services = append(all.Services, rows[key])
		}
		if cells[at{key, u.SpaceSlug}] != nil { // several clones in one space
			key += "\x00" + u.Slug
			rows[key] = &service{Service: u.Slug, root: u.Name()}
			all.Services = append(all.Services, rows[key])
		}
		cells[at{key, u.SpaceSlug}] = cell
		depth[u.SpaceSlug] = max(depth[u.SpaceSlug], n)
	}
	for space := range depth {
		all.Spaces = append(all.Spaces, space)
	}
	slices.SortFunc(all.Spaces, func(a, b string) int {
		return cmp.Or(cmp.Compare(depth[a], depth[b]), strings.Compare(a, b))
	})
	for key, row := range rows {
		for _, space := range all.Spaces {
			row.Cells = append(row.Cells, cells[at{key, space}])
		}
	}
	slices.SortFunc(all.Services, func(a, b *service) int {
		return cmp.Or(strings.Compare(a.Service, b.Service), strings.Compare(a.root, b.root))
	})
	return all
}

// chains follows clones to their origins.
type chains struct {
	*session.Session
	edited    map[*workspace.Unit]bool
	mutations map[*workspace.Unit][]entity.Mutation
}

// origin returns the link of a clone to its origin, or nil.
func (c *chains) origin(u *workspace.Unit) *workspace.Link {
	for _, l := range c.LinksFrom(u) {
		if l.UpdateType == entity.UpdateUpgradeUnit && l.To != nil {
			return l
		}
	}
	return nil
}

// root returns the first unit of the chain of clones, and how many links lead there.
func (c *chains) root(u *workspace.Unit) (*workspace.Unit, int) {
	for n := 0; ; n++ {
		l := c.origin(u)
		if l == nil || n == len(c.Units) { // a file may have made a cycle
			return u, n
		}
		u = l.To
	}
}

func (c *chains) isCloned(u *workspace.Unit) bool {
	return slices.ContainsFunc(c.LinksTo(u), func(l *workspace.Link) bool {
		return l.UpdateType == entity.UpdateUpgradeUnit
	})
}

// cell returns the cell of the matrix for a unit.
func (c *chains) cell(u *workspace.Unit) (*matrixCell, error) {
	cell := &matrixCell{
		Unit: u.Name(), Hash: strings.TrimPrefix(u.DataHash, "sha256:"), Edited: c.edited[u],
	}
	cell.Hash = cell.Hash[:min(7, len(cell.Hash))]
	l := c.origin(u)
	if l != nil {
		cell.Pending = l.To.HeadRevisionNum - l.UpstreamLastMergedRevisionNum
		if c.edited[l.To] {
			cell.Pending++
		}
	}
	var err error
	if cell.Version, err = c.version(u, u.HeadRevisionNum, 0); err != nil {
		return nil, err
	}
	if l != nil {
		if cell.Own, err = c.own(u); err != nil {
			return nil, err
		}
	}
	cell.Conflicts, err = conflictCount(c.Session, u)
	return cell, err
}

// version returns the revision of the first unit of the chain that a revision of a unit has, or 0.
func (c *chains) version(u *workspace.Unit, revision int64, depth int) (int64, error) {
	l := c.origin(u)
	switch {
	case l == nil || depth > len(c.Units):
		return revision, nil
	case revision == u.HeadRevisionNum:
		return c.version(l.To, l.UpstreamLastMergedRevisionNum, depth+1)
	}
	all, err := c.mutationsOf(u)
	if err != nil {
		return 0, err
	}
	for _, m := range slices.Backward(all) {
		if m.RevisionNum <= revision && m.MergeSourceID == l.ToUnitID && m.MergeEndRevisionNum != nil {
			return c.version(l.To, *m.MergeEndRevisionNum, depth+1)
		}
	}
	return 0, nil
}

func (c *chains) mutationsOf(u *workspace.Unit) ([]entity.Mutation, error) {
	if all, ok := c.mutations[u]; ok {
		return all, nil
	}
	all, err := c.Store.Mutations(u)
	c.mutations[u] = all
	return all, err
}

// own counts the values and the resources of a clone that neither its origin nor another link set.
func (c *chains) own(u *workspace.Unit) (n int, err error) {
	sources, err := c.Store.Sources(u, u.HeadRevisionNum)
	if err != nil {
		return 0, err
	}
	all, err := c.mutationsOf(u)
	if err != nil {
		return 0, err
	}
	own := map[int]bool{}
	for _, m := range all {
		own[int(m.MutationNum)] = m.MergeSourceID == "" && m.LinkID == ""
	}
	for i := range sources {
		if own[sources[i].ResourceMutationInfo.Index] {
			n++
			continue
		}
		for _, info := range sources[i].PathMutationMap {
			if own[info.Index] {
				n++
			}
		}
	}
	return n, nil
}

// text returns a cell in words, "-" for none.
func (c *matrixCell) text() string {
	if c == nil {
		return "-"
	}
	words := []string{c.Hash}
	if c.Version > 0 {
		words[0] = "r" + strconv.FormatInt(c.Version, 10) + " " + c.Hash
	}
	if c.Edited {
		words = append(words, "edited")
	}
	if c.Pending > 0 {
		words = append(words, fmt.Sprintf("%d pending", c.Pending))
	}
	if c.Own > 0 {
		words = append(words, fmt.Sprintf("%d own", c.Own))
	}
	if c.Conflicts > 0 {
		words = append(words, diag.Count(c.Conflicts, "conflict"))
	}
	return strings.Join(words, ", ")
}

// rows returns the cells of the matrix as texts.
func (m *matrix) rows() [][]string {
	rows := make([][]string, len(m.Services))
	for i, v := range m.Services {
		rows[i] = []string{v.Service}
		for _, c := range v.Cells {
			rows[i] = append(rows[i], c.text())
		}
	}
	return rows
}

// write prints the matrix in a form.
func (m *matrix) write(s *session.Session, form string) error {
	if form == "json" {
		return s.App.WriteJSON(m)
	}
	if len(m.Services) == 0 {
		s.Note("there are no units")
		return nil
	}
	if form == "text" {
		t := out.Table{Head: []string{"SERVICE"}, Rows: m.rows(), Mask: s.App.Masked}
		for _, space := range m.Spaces {
			t.Head = append(t.Head, strings.ToUpper(space))
		}
		if s.App.Streams.OutIsTerminal() {
			t.Width = s.App.Streams.Width()
		}
		return s.App.WriteText(t.String())
	}
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	line(append([]string{"service"}, m.Spaces...))
	line(slices.Repeat([]string{"---"}, len(m.Spaces)+1))
	for _, row := range m.rows() {
		line(row)
	}
	return s.App.WriteText(b.String())
}
