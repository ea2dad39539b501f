// Package source finds units of configuration and reads them: the name, the
// toolchain and the bytes, nothing else. It does not look into the bytes
// further than it must to tell what they are.
//
// What the user names is read, whatever it is; what is found in a directory or by
// a pattern is read if it looks like configuration and nothing says that it is to
// be left alone. The order is that of the command line and then of names, never that of the file
// system.
package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/hugepages"
)

// Unit is one unit of configuration as it was read.
type Unit struct {
	Name      string // as the user calls it
	File      string // as messages call it
	Toolchain api.ToolchainType
	Data      []byte
	Info      fs.FileInfo // of the file when it was read; nil for "-"
}

// Reader reads units.
type Reader struct {
	In io.Reader // what "-" is
	// Toolchain is that of all units; empty means that each file's name tells.
	Toolchain api.ToolchainType
	// RegularOnly refuses what is no regular file: a pipe, a device.
	RegularOnly bool
	// Admit is called with the size of a regular file before it is read, and may wait. nil
	// admits all.
	Admit func(size int64)
	// Hold is called with an open regular file after Admit and before the file is read, and may wait. It reports whether the path
	// still names that file; if not, the file is opened again. It needs RegularOnly. nil holds nothing.
	Hold func(fd uintptr) (same bool, err error)
}

// Unit reads the unit called name from a file, or from "-". The error is an
// *api.Failure, or ctx.Err() when it was cancelled while waiting.
func (r *Reader) Unit(ctx context.Context, path, name string) (*Unit, error) {
	data, info, err := r.read(ctx, path)
	if err != nil {
		return nil, err
	}
	u := &Unit{Name: name, File: diag.FileName(path), Data: data, Toolchain: r.Toolchain, Info: info}
	if isUTF16(data) {
		return nil, diag.Input(u.File, "convert the file to UTF-8", errors.New("this is UTF-16 text"))
	}
	if bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0 {
		return nil, diag.Input(u.File, "", ErrBinary)
	}
	if u.Toolchain == "" {
		u.Toolchain = ToolchainOf(path, data)
	}
	return u, nil
}

// ToolchainOf tells what a file with this name and content holds.
func ToolchainOf(path string, data []byte) api.ToolchainType {
	named, sure := ToolchainByName(path)
	if !sure && !isResource(data) {
		return api.ToolchainAppConfigJSON
	}
	return named
}

// ErrBinary tells that a file holds no text.
var ErrBinary = errors.New("this is a binary file")

// sniffed is how much of a file is looked at to tell binary from text.
const sniffed = 8 << 10

func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0xFE, 0xFF}) || bytes.HasPrefix(data, []byte{0xFF, 0xFE})
}

// Bytes reads a file, or "-", in one piece.
func (r *Reader) Bytes(ctx context.Context, path string) ([]byte, error) {
	data, _, err := r.read(ctx, path)
	return data, err
}

func (r *Reader) read(ctx context.Context, path string) ([]byte, fs.FileInfo, error) {
	name := diag.FileName(path)
	if path == "-" {
		data, err := Interruptible(ctx, func() ([]byte, error) { return readAll(r.In, stdinSize(r.In)) })
		return data, nil, located(name, err)
	}
	if r.RegularOnly {
		data, info, err := r.readRegular(path)
		return data, info, located(name, err)
	}
	// A pipe is opened when somebody opens it to write to it.
	f, err := Interruptible(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, nil, located(name, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, nil, located(name, err)
	}
	switch {
	case info.IsDir():
		return nil, nil, located(name, ErrDirectory)
	case info.Mode().IsRegular():
		r.admit(info.Size())
		data, err := readAll(f, info.Size())
		return data, info, located(name, err)
	}
	// A pipe or a device can make us wait, like the standard input.
	data, err := Interruptible(ctx, func() ([]byte, error) { return readAll(f, 0) })
	return data, info, located(name, err)
}

func (r *Reader) admit(size int64) {
	if r.Admit != nil {
		r.Admit(size)
	}
}

// readRegular reads a regular file, as it is when it is held.
func (r *Reader) readRegular(path string) ([]byte, fs.FileInfo, error) {
	admit := r.admit
	for {
		data, info, err := readRegular(path, admit, r.Hold)
		if !errors.Is(err, errReplaced) {
			return data, info, err
		}
		admit = func(int64) {} // once is enough
	}
}

// errReplaced is the error of reading a file that the path no longer names.
var errReplaced = errors.New("the file was replaced")

// held is the error of not reading a file on which hold was called.
func held(same bool, err error) error {
	if err == nil && !same {
		return errReplaced
	}
	return err
}

// ErrDirectory tells that a path is that of a directory.
var ErrDirectory = errors.New("this is a directory, a file is expected")

var errNotRegular = errors.New("this is no regular file, so it cannot be changed in place")

// readAll reads to the end into one buffer, which for a file of known size is
// never copied.
func readAll(r io.Reader, size int64) ([]byte, error) {
	if size <= 0 || size > 1<<40 {
		return readStream(r)
	}
	data := make([]byte, 0, size+1) // the last byte is for seeing the end without growing
	hugepages.Advise(data)
	if f, ok := r.(*os.File); ok && size >= largeFile {
		data = data[:readParts(f, data[:size])]
	}
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return data, err
		}
		if len(data) == cap(data) { // it grew while we read
			data = append(data, 0)[:len(data)]
		}
	}
}

// readStream reads what nobody knows the size of: into larger and larger pieces, which are put together once.
func readStream(r io.Reader) ([]byte, error) {
	const least, most = 16 << 10, 4 << 20
	var pieces [][]byte
	for size := least; ; size = min(2*size, most) {
		piece := make([]byte, size)
		hugepages.Advise(piece)
		n, err := io.ReadFull(r, piece)
		pieces = append(pieces, piece[:n])
		if err == nil {
			continue
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = nil
		}
		if len(pieces) == 1 {
			return pieces[0], err
		}
		total := 0
		for _, p := range pieces {
			total += len(p)
		}
		data := make([]byte, 0, total)
		hugepages.Advise(data)
		for _, p := range pieces {
			data = append(data, p...)
		}
		return data, err
	}
}

// largeFile is from where on several threads read a file faster than one: most of it is in memory and only copied.
const largeFile = 4 << 20

// readParts fills the buffer from where f stands, with several threads, and returns up to where that succeeded. f stands there then; what
// went wrong behind it shows when reading goes on.
func readParts(f *os.File, buffer []byte) int {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	part := len(buffer)/min(runtime.GOMAXPROCS(0), 4) + 1
	parts := slices.Collect(slices.Chunk(buffer, part))
	read := make([]int, len(parts))
	var all sync.WaitGroup
	for i, p := range parts {
		all.Go(func() { read[i], _ = f.ReadAt(p, at+int64(i*part)) })
	}
	all.Wait()
	n := 0
	for i, p := range parts {
		n += read[i]
		if read[i] < len(p) {
			break
		}
	}
	if _, err := f.Seek(int64(n), io.SeekCurrent); err != nil {
		return 0
	}
	return n
}

// stdinSize is how much there is to read when the standard input is a file.
func stdinSize(r io.Reader) int64 {
	f, ok := r.(*os.File)
	if !ok {
		return 0
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	return info.Size() - at
}

// Interruptible does not wait for an operation any longer when ctx is cancelled.
// What waits in the system, or just takes long, cannot be stopped; it ends with the process.
func Interruptible[T any](ctx context.Context, wait func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := wait()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// located makes a problem of an error of the file system; the place says the
// path, so the message does not.
func located(name string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = notFound{err}
	default:
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err
		}
	}
	return diag.Input(name, "", err)
}

// notFound is "no such file" in the same words on every system.
type notFound struct{ error }

func (notFound) Error() string   { return "no such file" }
func (e notFound) Unwrap() error { return e.error }

// ToolchainByName tells by its name what a file holds; a name that does not
// tell is taken for that of Kubernetes/YAML. It is not sure of JSON, which is
// configuration of an application unless it is a Kubernetes object: reading it
// tells.
func ToolchainByName(path string) (t api.ToolchainType, sure bool) {
	toolchains := toolchainsOf(path)
	if len(toolchains) == 0 {
		return api.ToolchainKubernetesYAML, true
	}
	return toolchains[0], len(toolchains) == 1 || !slices.Contains(toolchains, api.ToolchainAppConfigJSON)
}

// NameTells tells whether the name of a file says what it holds.
func NameTells(path string) bool { return len(toolchainsOf(path)) > 0 }

// toolchainsOf are those that a file with this name may be of, the usual one
// first; none when the name tells nothing.
func toolchainsOf(path string) []api.ToolchainType {
	if strings.HasPrefix(filepath.Base(path), ".env.") { // .env.production
		return []api.ToolchainType{api.ToolchainAppConfigEnv}
	}
	if filepath.Base(path) == "config" && filepath.Base(filepath.Dir(path)) == ".git" {
		return []api.ToolchainType{api.ToolchainAppConfigINI}
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		return []api.ToolchainType{api.ToolchainKubernetesYAML, api.ToolchainAppConfigYAML}
	case ".jsonc", ".json5":
		return []api.ToolchainType{api.ToolchainAppConfigJSON}
	case ".json":
		return []api.ToolchainType{api.ToolchainKubernetesYAML, api.ToolchainAppConfigJSON}
	case ".properties":
		return []api.ToolchainType{api.ToolchainAppConfigProperties}
	case ".env":
		return []api.ToolchainType{api.ToolchainAppConfigEnv}
	case ".ini", ".gitconfig", ".gitmodules":
		return []api.ToolchainType{api.ToolchainAppConfigINI}
	case ".toml":
		return []api.ToolchainType{api.ToolchainAppConfigTOML}
	case ".tf", ".tofu", ".tfvars", ".hcl":
		return []api.ToolchainType{api.ToolchainOpenTofuHCL}
	case ".txt":
		return []api.ToolchainType{api.ToolchainAppConfigText}
	}
	return nil
}

// Example is what a file of a toolchain may be called.
func Example(t api.ToolchainType) string {
	switch t {
	case api.ToolchainKubernetesYAML:
		return "deployment.yaml"
	case api.ToolchainAppConfigProperties:
		return "application.properties"
	case api.ToolchainOpenTofuHCL:
		return "main.tf"
	case api.ToolchainAppConfigText:
		return "motd.txt"
	case api.ToolchainAppConfigJSON:
		return "settings.jsonc" // which can have comments
	}
	return "settings." + strings.ToLower(filepath.Base(string(t)))
}

// isResource tells whether JSON is a Kubernetes object. It reads no further
// than it must. What cannot be read is taken for one if it names the keys of
// one: the converter then says what is wrong with it, and where.
func isResource(data []byte) bool {
	namesKeys := func() bool { return bytes.Contains(data, []byte("apiVersion")) && bytes.Contains(data, []byte("kind")) }
	dec := json.NewDecoder(bytes.NewReader(data))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return err != nil && namesKeys()
	}
	found := 0
	for found < 2 && dec.More() {
		key, err := dec.Token()
		if err != nil {
			return namesKeys()
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return namesKeys()
		}
		if (key == "apiVersion" || key == "kind") && len(value) > 2 {
			found++
		}
	}
	return found == 2
}
