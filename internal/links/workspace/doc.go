// Package workspace keeps a workspace: the files of its entities, the history of its units and what
// resolving links recorded.
//
//	fctl-workspace.yaml                        the marker, with options
//	spaces/SPACE/units/UNIT.EXT                the data of a unit, the working copy: people edit it, too
//	spaces/SPACE/links.yaml                    one link in each line (lines.go)
//	spaces/SPACE/units/UNIT.unit.yaml          definitions of what cannot be derived (layout.go)
//	spaces/SPACE/links/LINK.yaml               likewise invocations, filters and space.yaml
//	spaces/SPACE/units/UNIT/unit.yaml          the older layout, beside data.EXT, which is read, too
//	.fctl/state/SPACE/units/UNIT/...           history and recorded state, which only fctl writes
//	.fctl/state/SPACE/links/LINK.json
//	.fctl/journal                              what takes the command back that is writing
//
// One process at a time writes a workspace; a lock sees to that. What a command writes is one
// transaction (tx.go). Files that people edit, too, are locked and compared with what the command
// read. Then what takes the command back is written to the journal, and then the files. At the end
// the journal becomes what undo reads. If something fails, or if the process is killed, the command
// is taken back, by the next one that writes if need be (recover.go). So a command is done or it has
// no effect, and a reader never sees a part of it.
//
// An edit of a working copy becomes a revision before anything is done that depends on the numbers
// of revisions (commit.go).
//
// Layer: systems.
package workspace
