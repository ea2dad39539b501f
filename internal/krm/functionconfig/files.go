package functionconfig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/files"
)

// The limits of files, which may come from others.
const (
	maxFileSize = 16 << 20
	maxFiles    = 100_000
)

// Read reads the FunctionConfigs of files and directories. name returns the name of a file in
// positions. From a directory it reads the files *.yaml, *.yml and *.json in it and below, in the
// order of their names, without hidden ones; a document there that is not a FunctionConfig is
// skipped. What cannot be read is a problem. read may be nil.
func Read(ctx context.Context, paths []string, name func(string) string,
	read func(string) ([]byte, error),
) ([]*Config, []ConfigProblem) {
	if read == nil {
		read = func(path string) ([]byte, error) { return ReadFile(ctx, path) }
	}
	var configs, broken []*Config
	var problems []ConfigProblem
	for _, p := range readParts(paths, name, read) {
		for _, c := range p.objects {
			if c.broken {
				broken = append(broken, c)
			} else {
				configs = append(configs, c)
			}
		}
		problems = append(problems, p.Problems...)
	}
	return configs, append(problems, twice(configs, broken)...)
}

// ReadFile returns the text of a file, as Read reads it without a function for that.
func ReadFile(ctx context.Context, path string) ([]byte, error) {
	if err := files.Check(ctx, path); err != nil {
		return nil, err
	}
	return readFile(path)
}

// ReadParts is Read with a part for each file, and for each path that cannot be searched.
func ReadParts(paths []string, name func(string) string) []Part {
	return readParts(paths, name, readFile)
}

func readParts(paths []string, name func(string) string, read func(string) ([]byte, error),
) []Part {
	found, problems := find(paths, name)
	var parts []Part
	seen := names{}
	for _, p := range problems {
		parts = append(parts, Part{Name: p.Pos.File, Problems: []ConfigProblem{p}, dir: true})
	}
	for _, f := range found {
		text, err := []byte(nil), f.err
		if err == nil {
			text, err = read(f.path)
		}
		if err != nil {
			file := name(f.path)
			parts = append(parts, Part{Name: file, Problems: []ConfigProblem{fileProblem(file, err)}})
			continue
		}
		parts = append(parts, parseAll(text, name(f.path), f.found, seen))
	}
	return parts
}

// twice returns the problems of broken configs whose image another config has. NewSet finds those
// of the configs without errors.
func twice(configs, broken []*Config) []ConfigProblem {
	if len(broken) == 0 {
		return nil
	}
	var problems []ConfigProblem
	first := make(map[string]*Config, len(configs))
	for _, c := range configs {
		first[c.Image] = c
	}
	for _, c := range broken {
		switch other := first[c.Image]; {
		case c.Image == "":
		case other != nil:
			problems = append(problems, sameImage(c, other))
		default:
			first[c.Image] = c
		}
	}
	return problems
}

// configFile is a file with FunctionConfigs.
type configFile struct {
	path  string
	found bool // in a directory
	info  fs.FileInfo
	err   error // it is a link that leads to no file; info is then nil
}

// find returns the files of paths. In a directory a symbolic link to a file is followed, because
// Kubernetes mounts ConfigMaps as such links; one to a directory is not.
func find(paths []string, name func(string) string) ([]configFile, []ConfigProblem) {
	var files []configFile
	var problems []ConfigProblem
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			problems = append(problems, fileProblem(name(path), err))
			continue
		}
		if !info.IsDir() {
			files = append(files, configFile{path: path, info: info})
			continue
		}
		dir := path + string(filepath.Separator) // WalkDir follows the link that path may be
		err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case file != dir && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return filepath.SkipDir
				}
				return nil
			case d.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"},
				filepath.Ext(file)):
				return nil
			case len(files) == maxFiles:
				return fmt.Errorf("there are more than %d files", maxFiles)
			}
			info, err := os.Stat(file)
			switch {
			case err == nil && info.Mode().IsRegular():
				files = append(files, configFile{path: file, found: true, info: info})
			case d.Type()&fs.ModeSymlink != 0 && (err != nil || !info.IsDir()):
				files = append(files, configFile{path: file, found: true, err: errNoFile})
			}
			return nil
		})
		if err != nil {
			problems = append(problems, fileProblem(name(path), err))
		}
	}
	return files, problems
}

var errNoFile = errors.New("symbolic link leads to no file")

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	if err == nil && len(text) > maxFileSize {
		err = fmt.Errorf("the file is larger than the limit of %d MiB", maxFileSize>>20)
	}
	return text, err
}

func fileProblem(name string, err error) ConfigProblem {
	if refused, ok := errors.AsType[*api.Failure](err); ok {
		return ConfigProblem{Failure: refused}
	}
	return ConfigProblem{Failure: &api.Failure{
		Class: api.FailureInput, Pos: api.Position{File: name},
		Message: files.WithoutPath(err).Error(), Err: err,
	}}
}

// Watch compares the files of paths with seen at each interval, and calls changed with them, as
// ReadParts returns them, when a file came, went or changed. seen is the Fingerprint from before
// the files were first read. It returns when ctx is done.
func Watch(ctx context.Context, paths []string, name func(string) string, seen string,
	every time.Duration, changed func([]Part),
) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		// Taken before the files are read: a change while they are read is seen the next time.
		if now := Fingerprint(paths, name); now != seen {
			seen = now
			changed(ReadParts(paths, name))
		}
	}
}

// Fingerprint returns a text that changes when the names, sizes or times of the files of paths do.
func Fingerprint(paths []string, name func(string) string) string {
	found, problems := find(paths, name)
	var b strings.Builder
	for _, f := range found {
		if f.err != nil {
			fmt.Fprintln(&b, f.path, f.err)
			continue
		}
		fmt.Fprintln(&b, f.path, f.info.Size(), f.info.ModTime().UnixNano())
	}
	for _, p := range problems {
		fmt.Fprintln(&b, p.Pos.File, p.Message)
	}
	return b.String()
}
