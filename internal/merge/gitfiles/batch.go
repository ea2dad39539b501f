package gitfiles

import (
	"bufio"
	"crypto/sha1" //nolint:gosec // the hash that git names contents with
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// readBatch reads the output of cat-file --batch: for each file a line with its size, its content
// and a newline.
func readBatch(out io.Reader, files []RevisionFile, limit int64,
	take func(i int, data []byte, tooLarge bool),
) error {
	r := bufio.NewReader(out)
	for i := range files {
		line, err := r.ReadString('\n')
		if err != nil {
			return fmt.Errorf("%s: %w", files[i].Path, err)
		}
		size, err := parseHeader(line)
		if err != nil {
			return fmt.Errorf("%s: %w", files[i].Path, err)
		}
		if size > limit {
			if _, err := io.CopyN(io.Discard, r, size+1); err != nil {
				return err
			}
			take(i, nil, true)
			continue
		}
		data := make([]byte, size+1) // with the newline
		if _, err := io.ReadFull(r, data); err != nil {
			return err
		}
		take(i, data[:size:size], false)
	}
	return nil
}

// HasContent reports whether a file of a revision has this content. It compares hashes, so it reads
// nothing.
func (f RevisionFile) HasContent(data []byte) bool { return HasHash(f.Hash, data) }

// HasHash reports whether git gives a content this hash, of either kind.
func HasHash(name string, data []byte) bool { return name != "" && hashOf(data, len(name)) == name }

// Hash returns the hash that git gives to a content in the repository.
func (r *Repository) Hash(data []byte) string { return hashOf(data, r.size) }

// hashOf returns the hash of a content with a number of digits, "" for other numbers.
func hashOf(data []byte, size int) string {
	var h hash.Hash
	switch size {
	case 2 * sha1.Size:
		h = sha1.New() //nolint:gosec // as above
	case 2 * sha256.Size:
		h = sha256.New()
	default:
		return ""
	}
	fmt.Fprintf(h, "blob %d\x00", len(data)) //nolint:errcheck // a hash takes everything
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
