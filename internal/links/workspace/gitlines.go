package workspace

import (
	"context"
	"strings"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
)

// linkCommit has the files of a link after a commit. The hashes are those of the definition and of
// the data of its unit, "" for a file that the commit left alone.
type linkCommit struct {
	gitfiles.FileCommit
	definition, data string
}

// MergedInGit returns the texts that were merged into the committed data of units, as the definitions of links
// said where that data comes from: whoever merges branches may take the data of one and the definition
// of the other. Links whose definitions are not as the last commit has them are left out.
func (s *Store) MergedInGit(links []*Link) map[*Link]string {
	merged := map[*Link]string{}
	traces := map[*Link][]linkCommit{} // along the first parents, newest first
	type linkFile struct {
		link *Link
		data bool
	}
	files := map[string][]linkFile{} // below the folder of the spaces
	for _, l := range links {
		if s.git() == nil || l.Merged == "" || l.From == nil || !s.isCommitted(l.file) {
			continue
		}
		merged[l] = l.Merged
		for name, is := range map[string]bool{l.file: false, l.From.DataFile(): true} {
			name = strings.TrimPrefix(name, spacesDir+"/")
			files[name] = append(files[name], linkFile{l, is})
		}
	}
	if len(files) == 0 {
		return merged
	}
	branched, ctx := false, context.Background()
	err := s.git().History(ctx, spacesDir, func(c gitfiles.FileCommit) bool {
		for _, f := range files[c.Path] {
			branched = branched || c.Merged
			list := traces[f.link]
			if n := len(list); n == 0 || list[n-1].Commit != c.Commit {
				list = append(list, linkCommit{FileCommit: c})
			}
			if last := &list[len(list)-1]; f.data {
				last.data = c.Hash
			} else {
				last.definition = c.Hash
			}
			traces[f.link] = list
		}
		return true
	})
	if err != nil || !branched {
		return merged // without merges of branches the last definition is that of the data
	}
	var names []string
	for l, list := range traces {
		for i := range list {
			if c := &list[i]; c.definition != "" {
				names = append(names, c.definition)
			}
			if list[i].Merged {
				names = append(names, s.branch(&list[i], l.file), s.branch(&list[i], l.From.DataFile()))
			}
		}
	}
	blobs, err := s.git().Blobs(ctx, names, entity.MaxData)
	if err != nil {
		return merged
	}
	for l, list := range traces {
		if line := s.lineOf(l, list, blobs); line != "" {
			merged[l] = line
		}
	}
	return merged
}

// branch names a file of the workspace as the branch has it that a commit merges.
func (s *Store) branch(c *linkCommit, file string) string {
	name, _ := s.git().Path(file)
	return c.Commit + "^2:" + name
}

// lineOf returns the hash in the definition of a link that belongs to the present data of its unit, ""
// if git does not know.
func (s *Store) lineOf(l *Link, list []linkCommit, blobs map[string]gitfiles.BlobText) string {
	line := func(from int) string {
		for i := from; i < len(list); i++ {
			if list[i].definition != "" {
				return lineIn(blobs[list[i].definition].Data)
			}
		}
		return ""
	}
	data := func(from int) string {
		for i := from; i < len(list); i++ {
			if list[i].data != "" {
				return list[i].data
			}
		}
		return ""
	}
	for i := range list {
		c, here := &list[i], line(i)
		moved := here != line(i+1)
		if !c.Merged {
			if moved {
				return here
			}
			continue
		}
		theirs := blobs[s.branch(c, l.From.DataFile())].Hash
		switch {
		case moved && c.data != "", moved && theirs == data(i):
			return here
		case moved: // the data is that of the first parent
		case c.data != "" && theirs == c.data:
			if branch := lineIn(blobs[s.branch(c, l.file)].Data); branch != "" && branch != here {
				return branch
			}
		}
	}
	return ""
}

// lineIn returns the hash in the definition of a link.
func lineIn(definition []byte) string {
	for line := range strings.Lines(string(definition)) {
		if value, ok := strings.CutPrefix(line, "Merged:"); ok {
			if value = strings.Trim(strings.TrimSpace(value), `"'`); gitfiles.IsHash(value) {
				return value
			}
		}
	}
	return ""
}
