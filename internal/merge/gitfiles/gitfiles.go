// Package gitfiles reads the files of git revisions with git's plumbing commands.
//
// Its invariants:
//   - It changes nothing: no checkout, no index refresh, no lock file.
//   - git starts no other program and uses no network, whatever the configuration of the
//     repository says: file system monitors are off, filters are not applied, and objects that a
//     partial clone lacks are errors.
//
// Layer: base.
package gitfiles

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // the hash that git names contents with
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/process"
)

// Repository is a git repository with a working tree.
type Repository struct {
	root   string // the absolute path of the working tree
	prefix string // the path from root to the directory it was opened in, with slashes; or empty
	dir    string
	size   int // of hashes, in digits
}

// Open returns the repository that a directory is in. The error is an *api.Failure of class
// FailureInput: git is not installed, or the directory is in no working tree.
func Open(ctx context.Context, dir string) (*Repository, error) {
	r := &Repository{dir: dir}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, diag.Input("", "install git, or compare two files or directories",
			errors.New("git is not installed"))
	}
	out, err := r.git(ctx, "rev-parse", "--show-toplevel", "--show-prefix", "--show-object-format")
	if err != nil {
		return nil, err
	}
	root, prefix, _ := strings.Cut(string(out), "\n")
	prefix, format, _ := strings.Cut(prefix, "\n")
	if r.size = 2 * sha1.Size; strings.TrimSpace(format) == "sha256" {
		r.size = 2 * sha256.Size
	}
	if root == "" {
		return nil, diag.Input("", "", errors.New("the repository has no working tree"))
	}
	r.root = filepath.FromSlash(root)
	r.prefix = strings.TrimSuffix(prefix, "/")
	return r, nil
}

// Root returns the directory of the working tree.
func (r *Repository) Root() string { return r.root }

// RevisionFile is a file of a revision or of the working tree.
type RevisionFile struct {
	Path string // relative to the root, with slashes
	Hash string // of its content in the revision
	Type Type
}

// Type is what an entry of a tree is.
type Type int

// The types of entries. Git tracks no others.
const (
	Regular Type = iota
	Link
	Submodule
)

// Tree returns the name of the tree of a revision such as HEAD~1, a branch or a hash. ok is false
// if the revision does not exist.
func (r *Repository) Tree(ctx context.Context, revision string) (tree string, ok bool) {
	if revision == "" || strings.ContainsAny(revision, "\x00\n") {
		return "", false
	}
	out, err := r.git(ctx, "rev-parse", "--quiet", "--verify", "--end-of-options",
		revision+"^{tree}")
	return strings.TrimSpace(string(out)), err == nil
}

// MergeBase returns the hash of the commit at which two revisions diverged.
func (r *Repository) MergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := r.git(ctx, "merge-base", "--end-of-options", a, b)
	base := strings.TrimSpace(string(out))
	if err != nil || base == "" {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", diag.Input("", r.Missing(ctx), fmt.Errorf("%s and %s have no commit in common", a, b))
	}
	return base, nil
}

// Missing says how to get commits that a shallow clone does not have. It returns "" for others.
func (r *Repository) Missing(ctx context.Context) string {
	out, err := r.git(ctx, "rev-parse", "--is-shallow-repository")
	if err != nil || strings.TrimSpace(string(out)) != "true" {
		return ""
	}
	return "the clone is shallow: 'git fetch --unshallow origin' gets the other commits (fetch-depth: 0 " +
		"of actions/checkout, GIT_DEPTH: 0 in GitLab), and " +
		"'git fetch origin main:refs/remotes/origin/main' a branch"
}

// Files returns the files of a tree, in the order of their paths.
func (r *Repository) Files(ctx context.Context, tree string) ([]RevisionFile, error) {
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "--full-tree", tree)
	if err != nil {
		return nil, err
	}
	var files []RevisionFile
	for entry := range strings.SplitSeq(string(out), "\x00") {
		info, path, ok := strings.Cut(entry, "\t") // MODE TYPE HASH
		fields := strings.Fields(info)
		if !ok || len(fields) != 3 {
			continue
		}
		files = append(files, RevisionFile{Path: path, Hash: fields[2], Type: typeOf(fields[0])})
	}
	return files, nil
}

// Programs returns the files of a revision that can be executed, by path.
func (r *Repository) Programs(ctx context.Context, tree string) (map[string]bool, error) {
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "--full-tree", tree)
	programs := map[string]bool{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if info, path, ok := strings.Cut(entry, "\t"); ok && strings.HasPrefix(info, "100755 ") {
			programs[path] = true
		}
	}
	return programs, err
}

// typeOf returns the type that the mode of an entry says.
func typeOf(mode string) Type {
	switch mode {
	case "120000":
		return Link
	case "160000":
		return Submodule
	}
	return Regular
}

// Tracked returns the files of the working tree that the index has and that exist, without hashes.
// untracked are the paths of others that no ignore file excludes.
func (r *Repository) Tracked(
	ctx context.Context,
) (files []RevisionFile, untracked []string, err error) {
	out, err := r.git(ctx, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{} // a file with a conflict has an entry for each side
	for entry := range strings.SplitSeq(string(out), "\x00") {
		info, path, ok := strings.Cut(entry, "\t") // MODE HASH STAGE
		if !ok || seen[path] {
			continue
		}
		seen[path] = true
		found, err := os.Lstat(r.OnDisk(path))
		if err != nil {
			continue // deleted in the working tree
		}
		file := RevisionFile{Path: path, Type: typeOf(strings.Fields(info)[0])}
		if file.Type == Regular && !found.Mode().IsRegular() {
			file.Type = Link
		}
		files = append(files, file)
	}
	out, err = r.git(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	for path := range strings.SplitSeq(string(out), "\x00") {
		if path != "" {
			untracked = append(untracked, path)
		}
	}
	return files, untracked, err
}

// OnDisk returns the path at which a file of the working tree can be opened.
func (r *Repository) OnDisk(path string) string {
	return filepath.Join(r.root, filepath.FromSlash(path))
}

// Path returns a path, which is relative to the directory the repository was opened in, as a path
// from the root. The root itself is ".". The error says that it leads out of the repository.
func (r *Repository) Path(path string) (string, error) {
	slashed := filepath.ToSlash(filepath.Join(filepath.FromSlash(r.prefix), path))
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(resolved(r.root), resolved(path))
		if err != nil {
			return "", diag.Usage("%s is not in the repository %s", path, r.root)
		}
		slashed = filepath.ToSlash(rel)
	}
	if slashed == ".." || strings.HasPrefix(slashed, "../") {
		return "", diag.Usage("%s is not in the repository %s", path, r.root)
	}
	return slashed, nil
}

// resolved returns a path without symbolic links, as git names its root. Only the part that exists
// can have some.
func resolved(path string) string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolved(parent), filepath.Base(path))
	}
	return path
}

// Shown returns the name of a file for people: relative to the directory that the repository was
// opened in, with the path of that directory before it.
func (r *Repository) Shown(path string) string {
	rel, err := filepath.Rel(filepath.FromSlash(r.prefix), filepath.FromSlash(path))
	if r.prefix == "" || err != nil {
		rel = filepath.FromSlash(path)
	}
	return filepath.Join(r.dir, rel)
}

// Within reports whether a path is one of paths, or below one. No paths mean all of them. A path
// may be a pattern such as apps/**/*.yaml.
func Within(path string, paths []string) bool {
	for _, p := range paths {
		if p == "." || path == p || strings.HasPrefix(path, p+"/") ||
			doublestar.MatchUnvalidated(p, path) {
			return true
		}
	}
	return len(paths) == 0
}

// Contents calls take with the content of each file, in their order. A content larger than limit
// bytes is not read: data is nil then, and tooLarge is true.
func (r *Repository) Contents(ctx context.Context, files []RevisionFile, limit int64,
	take func(i int, data []byte, tooLarge bool),
) error {
	if len(files) == 0 {
		return nil
	}
	var asked bytes.Buffer
	for _, f := range files {
		asked.WriteString(f.Hash + "\n")
	}
	git := r.command("cat-file", "--batch")
	git.Stdin = &asked
	said, err := git.Read(ctx, func(out io.Reader) error {
		return readBatch(out, files, limit, take)
	})
	if err != nil {
		return failure(err, said)
	}
	return nil
}

// git runs git and returns its standard output.
func (r *Repository) git(ctx context.Context, args ...string) ([]byte, error) {
	var out []byte
	said, err := r.command(args...).Read(ctx, func(stdout io.Reader) (err error) {
		out, err = io.ReadAll(stdout)
		return err
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, failure(err, said)
	}
	return out, nil
}

// command returns a command of git that starts no program and uses no network.
func (r *Repository) command(args ...string) *process.Tool {
	return &process.Tool{
		Words: append([]string{
			"git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false",
		}, args...),
		Dir: cmp.Or(r.root, r.dir),
		Env: []string{
			"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		},
	}
}

// failure returns what git says is wrong.
func failure(err error, said string) error {
	said, _, _ = strings.Cut(strings.TrimSpace(said), "\n")
	said = strings.TrimPrefix(strings.TrimPrefix(said, "fatal: "), "error: ")
	said = strings.TrimSuffix(said, ".")
	switch {
	case strings.HasPrefix(said, "not a git repository"):
		return diag.Input("", "compare two files or two directories, or use -C DIR",
			errors.New("the directory is not in a git repository"))
	case strings.Contains(said, "must be run in a work tree"):
		err = errors.New("the repository has no working tree")
	case said != "":
		err = fmt.Errorf("git: %s", said)
	default:
		err = fmt.Errorf("git: %w", err)
	}
	return diag.Input("", "", err)
}

// parseHeader parses a line of cat-file --batch: HASH TYPE SIZE, or HASH missing.
func parseHeader(line string) (size int64, err error) {
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return 0, fmt.Errorf("git has no content for %s", strings.TrimSpace(line))
	}
	return strconv.ParseInt(fields[2], 10, 64)
}
