package gitfiles

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// IsHash reports whether a text has the form of a hash of git, of either kind.
func IsHash(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// BlobText is a content and the hash that git gives to it.
type BlobText struct {
	Hash string
	Data []byte
}

// Blobs returns contents by their names: hashes, or REVISION:PATH. Those that the repository does not
// have, and those that are larger than limit bytes, are left out.
func (r *Repository) Blobs(ctx context.Context, names []string, limit int64) (map[string]BlobText, error) {
	all := map[string]BlobText{}
	if len(names) == 0 {
		return all, nil
	}
	git := r.command("cat-file", "--batch")
	git.Stdin = strings.NewReader(strings.Join(names, "\n") + "\n")
	said, err := git.Read(ctx, func(out io.Reader) error {
		in := bufio.NewReader(out)
		for _, name := range names {
			line, err := in.ReadString('\n')
			if errors.Is(err, io.EOF) {
				return nil // git says why
			} else if err != nil {
				return err
			}
			fields := strings.Fields(strings.TrimPrefix(line, name)) // HASH TYPE SIZE, or NAME missing
			if len(fields) == 2 {
				fields = append([]string{name}, fields...)
			}
			if len(fields) != 3 {
				continue
			}
			size, err := strconv.ParseInt(fields[2], 10, 64)
			if err != nil {
				continue // git does not have it
			}
			var data []byte
			if size <= limit {
				data = make([]byte, size)
				_, err = io.ReadFull(in, data)
			} else {
				_, err = io.CopyN(io.Discard, in, size)
			}
			if err == nil {
				_, err = in.ReadByte() // the newline
			}
			if err != nil {
				return err
			}
			if size <= limit && fields[1] == "blob" {
				all[name] = BlobText{fields[0], data}
			}
		}
		return nil
	})
	if err != nil {
		return all, failure(err, said)
	}
	return all, nil
}

// Lacks returns the command that brings objects which a shallow or partial clone lacks, "" if the
// repository is neither.
func (r *Repository) Lacks(ctx context.Context) string {
	if out, err := r.git(ctx, "rev-parse", "--is-shallow-repository"); err == nil &&
		strings.TrimSpace(string(out)) == "true" {
		return "git fetch --unshallow"
	}
	if out, err := r.git(ctx, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`); err == nil && len(out) > 0 {
		return "git fetch --refetch --no-filter"
	}
	return ""
}

// FileCommit is a file as a commit has left it.
type FileCommit struct {
	Path    string // below the directory of History, with slashes
	Hash    string // of its content, "" if the commit deleted the file
	Commit  string
	Merged  bool // the commit has more than one parent
	Time    time.Time
	Subject string
}

// History calls take with the changes of the files in a directory, newest first, along the first
// parents of HEAD: the content of a file is that of its newest change. The directory is relative to the
// one that the repository was opened in. take returns false to end.
func (r *Repository) History(ctx context.Context, dir string, take func(FileCommit) bool) error {
	return r.history(ctx, dir, take, "--first-parent", "HEAD")
}

// AllHistory is History of all branches.
func (r *Repository) AllHistory(ctx context.Context, dir string, take func(FileCommit) bool) error {
	return r.history(ctx, dir, take, "--all")
}

func (r *Repository) history(
	ctx context.Context, dir string, take func(FileCommit) bool, commits ...string,
) error {
	below, err := r.Path(dir)
	if err != nil {
		return err
	}
	args := append([]string{
		"log", "--diff-merges=first-parent", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff",
		"--no-textconv", "--no-show-signature", "--relative=" + below + "/",
		"--format=format:commit %H %ct %P%x09%s",
	}, commits...)
	git := r.command(append(args, "--", ":(top,literal)"+below)...)
	said, err := git.Read(ctx, func(out io.Reader) error {
		in := bufio.NewReader(out)
		var at FileCommit
		for {
			line, err := in.ReadString('\n')
			line = strings.TrimSuffix(line, "\n")
			if rest, ok := strings.CutPrefix(line, "commit "); ok {
				at = FileCommit{}
				at.Commit, rest, _ = strings.Cut(rest, " ")
				rest, at.Subject, _ = strings.Cut(rest, "\t")
				seconds, parents, _ := strings.Cut(rest, " ")
				n, _ := strconv.ParseInt(seconds, 10, 64)
				at.Time, at.Merged = time.Unix(n, 0).UTC(), strings.Contains(parents, " ")
			} else if info, path, ok := strings.Cut(line, "\t"); ok && strings.HasPrefix(info, ":") {
				fields := strings.Fields(info) // :MODE MODE HASH HASH STATUS
				if at.Path = path; len(fields) != 5 {
					continue
				}
				if at.Hash = fields[3]; strings.Trim(at.Hash, "0") == "" {
					at.Hash = ""
				}
				if !take(at) {
					return errEnough
				}
			}
			if errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	if err != nil {
		return failure(err, said)
	}
	return nil
}

var errEnough = errors.New("enough")
