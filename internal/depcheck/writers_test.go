package depcheck_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writers returns the files outside of internal/files that may change the file system, with the
// reasons. Each is a path of a file or of a package.
func writers() map[string]string {
	return map[string]string{
		"functions/functest": "a test helper for authors, which cannot import internal packages; " +
			"it writes golden files when asked to",
		"internal/process/enginetest": "a test helper: it makes programs that act as docker",
		"internal/runner/wrapper/empty.go": "it empties directories of a pod, which no other " +
			"program reads",
		"internal/process/sandbox_linux.go": "mount points in the namespace of a child process, " +
			"below a tmpfs that nobody else sees",
		"internal/mcp/tools.go":                   "the chain that one child process reads",
		"internal/schemagen/crds.go":              "a temporary module that controller-gen reads",
		"internal/cli/bundle/surroundings.go":     "directories of a child process",
		"internal/cli/workspace/conflictsedit.go": "temporary file that an editor writes",
	}
}

// changing are the functions and methods that change the file system.
func changing() map[string]bool {
	names := map[string]bool{}
	for pkg, list := range map[string]string{
		"os": "WriteFile Create CreateTemp MkdirTemp OpenFile Rename Remove RemoveAll Mkdir " +
			"MkdirAll Chmod Chown Lchown Chtimes Symlink Link Truncate CopyFS",
		"io/ioutil": "WriteFile TempFile TempDir",
		"syscall": "Open Openat Creat Rename Renameat Unlink Unlinkat Rmdir Mkdir Mkdirat Chmod " +
			"Fchmod Chown Fchown Lchown Link Symlink Truncate Ftruncate Mknod Mkfifo",
		"golang.org/x/sys/unix": "Open Openat Openat2 Creat Rename Renameat Renameat2 Unlink " +
			"Unlinkat Rmdir Mkdir Mkdirat Chmod Fchmod Chown Fchown Lchown Link Linkat Symlink " +
			"Symlinkat Truncate Ftruncate Mknod Mkfifo",
	} {
		for name := range strings.FieldsSeq(list) {
			names[pkg+"."+name] = true
		}
	}
	return names
}

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// list returns packages with their export data.
func list(t *testing.T, args ...string) map[string]*listed {
	t.Helper()
	out, err := exec.Command("go", append([]string{
		"list", "-json=ImportPath,Dir,Export,GoFiles",
	}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string]*listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &listed{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
}

// TestOnlyFilesWrites finds code that changes the file system without internal/files, so that
// locks, modes, links and a full disk are dealt with in one place.
func TestOnlyFilesWrites(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	names := changing()
	short := map[string]bool{}
	for name := range names {
		short[name[strings.LastIndex(name, ".")+1:]] = true
	}
	fset := token.NewFileSet()
	parsed := map[string][]*ast.File{}
	for path, p := range list(t, module+"/...") {
		if path == module+"/internal/files" {
			continue
		}
		var all []*ast.File
		suspect := false
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil,
				parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, f)
			ast.Inspect(f, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				suspect = suspect || ok && short[id.Name]
				return !suspect
			})
		}
		if suspect {
			parsed[path] = all
		}
	}
	exports := list(t, append([]string{"-export", "-deps"},
		slices.Sorted(maps.Keys(parsed))...)...)
	if len(parsed) < 10 {
		t.Fatalf("only %d packages have names such as Remove", len(parsed))
	}
	reasons, used := writers(), map[string]bool{}
	for path, all := range parsed {
		for _, at := range writes(t, fset, path, all, exports, names) {
			rel, err := filepath.Rel(root, at.Filename)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.ToSlash(rel)
			reason := ""
			for listed := range reasons {
				if file == listed || strings.HasPrefix(file, listed+"/") {
					reason, used[listed] = reasons[listed], true
				}
			}
			if reason == "" {
				t.Errorf("%s:%d changes the file system: use internal/files, or give a reason",
					file, at.Line)
			}
		}
	}
	for file := range reasons {
		if !used[file] {
			t.Errorf("%s does not change the file system any more", file)
		}
	}
}

// writes returns where a package changes the file system.
func writes(t *testing.T, fset *token.FileSet, path string, parsed []*ast.File,
	exports map[string]*listed, names map[string]bool,
) (found []token.Position) {
	t.Helper()
	lookup := func(path string) (io.ReadCloser, error) {
		if p := exports[path]; p != nil && p.Export != "" {
			return os.Open(p.Export)
		}
		return nil, errors.New("no export data of " + path)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}
	if _, err := config.Check(path, fset, parsed, info); err != nil {
		t.Fatal(err)
	}
	reads := map[*ast.Ident]bool{} // functions that open a file for reading
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			if fun, ok := call.Fun.(*ast.SelectorExpr); ok {
				flags := info.Types[call.Args[1]].Value
				if flags != nil && flags.Kind() == constant.Int {
					bits, _ := constant.Int64Val(flags)
					const writing = os.O_WRONLY | os.O_RDWR | os.O_CREATE | os.O_TRUNC |
						os.O_APPEND
					reads[fun.Sel] = int(bits)&writing == 0 &&
						strings.HasPrefix(fun.Sel.Name, "Open")
				}
			}
			return true
		})
	}
	for id, object := range info.Uses {
		fun, ok := object.(*types.Func)
		if ok && fun.Pkg() != nil && names[fun.Pkg().Path()+"."+fun.Name()] && !reads[id] {
			found = append(found, fset.Position(id.Pos()))
		}
	}
	return found
}
