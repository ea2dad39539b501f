package workspace

import "github.com/fctl-dev/fctl/internal/files"

// idleFile has the title of the last command, if it changed nothing.
const idleFile = undoDir + "/idle"

// Idle notes that a command changed nothing, so that undo does not take back the command before it
// unasked.
func (s *Store) Idle(title string) error {
	numbers, err := s.undoNumbers()
	if err != nil || len(numbers) == 0 {
		return err
	}
	return s.failed(idleFile, s.replace(idleFile, false, []byte(title)))
}

// LastIdle returns the title of the last command if it changed nothing, else "". With forget, the
// next undo takes back the command before.
func (s *Store) LastIdle(forget bool) (string, error) {
	title, err := s.readIf(idleFile)
	if title != nil && forget {
		err = s.failed(idleFile, files.Remove(s.root, idleFile))
	}
	return string(title), err
}
