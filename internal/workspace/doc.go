// Package workspace keeps a workspace: the files of its entities, the history of its units and what
// resolving links recorded.
//
//	fctl-workspace.yaml                        the marker, with options
//	spaces/SPACE/space.yaml                    definitions, which people edit and git keeps
//	spaces/SPACE/units/UNIT/unit.yaml
//	spaces/SPACE/units/UNIT/data.EXT           the working copy, which people edit, too
//	spaces/SPACE/links/LINK.yaml               likewise invocations and filters
//	.fctl/state/SPACE/units/UNIT/...           history and recorded state, which only fctl writes
//	.fctl/state/SPACE/links/LINK.json
//	.fctl/journal                              the write that is going on
//
// One process at a time writes a workspace; a lock sees to that. What a command writes is one
// transaction (tx.go): a journal with all of it is written first, then the files. If the process is
// killed, the next one finishes what the journal says. So a reader never sees a part of a command.
//
// An edit of a working copy becomes a revision before anything is done that depends on the numbers
// of revisions (commit.go).
package workspace
