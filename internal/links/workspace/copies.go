package workspace

import (
	"slices"
)

// A secret value that a link or a function copied to where values are not known to be secret is
// recorded with the unit that got it. It stays recorded when the upstream gets another value, and
// when the link or the upstream is deleted: revisions of the unit still have the old one. With
// History: bases git gets neither this record nor old revisions.

func (u *Unit) copiesFile() string { return u.stateDir() + "/" + copiesName }

const copiesName = "copied-secrets.json"

// CopiedSecrets returns the secret values that were copied into a unit, sorted.
func (s *Store) CopiedSecrets(u *Unit) (values []string, err error) {
	return values, s.readState(u.copiesFile(), &values)
}

// AddCopiedSecrets records secret values that the head of a unit has as copies. If its working copy
// is a new file, it becomes private.
func (t *Tx) AddCopiedSecrets(u *Unit, values []string) error {
	was, err := t.store.CopiedSecrets(u)
	if err != nil {
		return err
	}
	if i, written := t.at[u.DataFile()]; written && t.ops[i].Guarded && t.ops[i].Before == "" {
		t.ops[i].Mode = 0o600
	}
	all := append(was, values...)
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > len(was) {
		t.writeJSON(u.copiesFile(), all)
	}
	return t.err
}
