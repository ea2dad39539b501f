// Package source finds units of configuration and reads them. A unit has a name, a toolchain and
// bytes; the bytes are inspected only as far as it takes to find the toolchain.
//
// A file that the user names is always read. A file found in a directory or by a pattern is read if
// it looks like configuration and is not ignored. Units are in the order of the command line and
// then of names, never in that of the file system.
//
// Layer: systems.
package source

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/hugepages"
)

// InputUnit is one unit of configuration as it was read.
type InputUnit struct {
	Name      string // given by the user or derived from the path
	File      string // its name in messages
	Toolchain api.ToolchainType
	Data      []byte
	Info      fs.FileInfo // of the file when it was read; nil for "-"
}

// Reader reads units.
type Reader struct {
	In io.Reader // the input that "-" names
	// Out is the regular file that the output goes to. Reading it is an error. nil if the output
	// goes elsewhere.
	Out fs.FileInfo
	// Memory has the contents of files that are not in the file system, by path.
	Memory map[string][]byte
	// Toolchain is that of all units. If empty, each file's name decides.
	Toolchain api.ToolchainType
	// Formats says which toolchains names imply.
	Formats Formats
	// AnyFormat reads the values of charts, which are YAML without resources, as AppConfig/YAML.
	AnyFormat bool
	// RegularOnly rejects files that are not regular, such as pipes and devices.
	RegularOnly bool
	// MaxSize is the maximum size of a file in bytes; 0 means 2 GiB.
	MaxSize int64
	// Admit is called with the size in bytes of a regular file before it is read, and may block.
	// nil admits all files.
	Admit func(size int64)
	// Hold is called with an open regular file after Admit and before the file is read, and may
	// block. It reports whether the path still names that file; if not, the file is opened again.
	// It needs RegularOnly. nil locks nothing.
	Hold func(fd uintptr) (same bool, err error)
}

// Unit reads the unit called name from a file, or from "-". The error is an *api.Failure, or
// ctx.Err() if ctx was cancelled while waiting.
func (r *Reader) Unit(ctx context.Context, path, name string) (*InputUnit, error) {
	data, info, err := r.read(ctx, path, true)
	if err != nil {
		return nil, err
	}
	u, err := r.UnitOf(path, diag.FileName(path), data)
	if err != nil {
		return nil, err
	}
	u.Name, u.Info = name, info
	return u, nil
}

// UnitOf returns the unit of a file whose content was read elsewhere. file is its name in messages.
// The error is an *api.Failure.
func (r *Reader) UnitOf(path, file string, data []byte) (*InputUnit, error) {
	u := &InputUnit{File: file, Data: data, Toolchain: r.Toolchain}
	if err := checkText(data); err != nil {
		return nil, located(file, err)
	}
	if u.Toolchain == "" {
		u.Toolchain = r.toolchain(path, data)
	}
	return u, nil
}

// Limit returns the maximum size of a file in bytes.
func (r *Reader) Limit() int64 { return int64(r.limit()) }

// TooLarge returns the error for a file that is larger than Limit. file is its name in messages.
func (r *Reader) TooLarge(file string) error { return located(file, tooLarge(r.limit())) }

// ErrBinary is the error for a file that is not text.
var ErrBinary = errors.New("this is a binary file")

var errUTF16 = errors.New("this is UTF-16 text")

// sniffed is the number of bytes inspected to distinguish binary from text.
const sniffed = 8 << 10

// checkText returns an error if the beginning of data is not text in UTF-8.
func checkText(data []byte) error {
	switch {
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}), bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return errUTF16
	case bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0:
		return ErrBinary
	}
	return nil
}

// Bytes reads a whole file, or "-".
func (r *Reader) Bytes(ctx context.Context, path string) ([]byte, error) {
	data, _, err := r.read(ctx, path, false)
	return data, err
}

// read reads a file. text says that it has to be text. Streams, which may be endless, are checked
// for that after their beginning.
func (r *Reader) read(ctx context.Context, path string, text bool) ([]byte, fs.FileInfo, error) {
	if path != "-" {
		data, info, err := r.readFile(ctx, path, text)
		return data, info, located(diag.FileName(path), err)
	}
	data, err := r.readStdin(ctx, text)
	return data, nil, located(diag.FileName(path), err)
}

// readFile is read for a file of the file system. Its errors have no position.
func (r *Reader) readFile(ctx context.Context, path string,
	text bool,
) ([]byte, fs.FileInfo, error) {
	if data, known := r.Memory[path]; known {
		return data, nil, r.limit().check(int64(len(data)))
	}
	if err := files.Check(ctx, path); err != nil {
		return nil, nil, err
	}
	if r.RegularOnly { // opening a pipe would block until somebody writes to it
		if info, err := os.Stat(path); err != nil {
			return nil, nil, err
		} else if !info.IsDir() && !info.Mode().IsRegular() {
			return nil, nil, errNotRegular
		}
	}
	f, err := Interruptible(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case info.IsDir():
		return nil, nil, ErrDirectory
	case r.RegularOnly && !info.Mode().IsRegular():
		return nil, nil, errNotRegular
	}
	if err := r.checkOutput(path, info); err != nil {
		return nil, nil, err
	}
	switch {
	case !r.RegularOnly && (!info.Mode().IsRegular() || info.Size() == 0):
		// Reading a pipe or a device can block, as with the standard input. So can reading a file
		// of /proc, whose size is 0.
		text = text || isDevice(info)
		data, err := Interruptible(ctx, func() ([]byte, error) {
			return r.limit().readAll(f, 0, text)
		})
		return data, info, err
	}
	if r.Admit != nil {
		r.Admit(min(info.Size(), int64(r.limit())))
	}
	if r.Hold != nil {
		same, err := r.Hold(f.Fd())
		if err == nil && !same { // another program replaced the file
			again := *r
			again.Admit = nil
			return again.readFile(ctx, path, text)
		}
		if err == nil {
			info, err = f.Stat() // it may have changed while waiting for the lock
		}
		if err != nil {
			return nil, nil, err
		}
	}
	data, err := r.limit().readAll(f, info.Size(), text)
	return data, info, err
}

func (r *Reader) limit() limit { return limit(cmp.Or(r.MaxSize, defaultMaxSize)) }

func isDevice(info fs.FileInfo) bool { return info.Mode()&fs.ModeDevice != 0 }

// ErrDirectory is the error for a path that is a directory.
var ErrDirectory = errors.New("a file is expected, not a directory")

var errNotRegular = errors.New("not a regular file, so it cannot be changed in place")

// limit is the maximum size of a file in bytes.
type limit int64

const defaultMaxSize = 2 << 30

// check returns an error if size exceeds the limit.
func (l limit) check(size int64) error {
	if size <= int64(l) {
		return nil
	}
	return tooLarge(l)
}

type tooLarge limit

func (e tooLarge) Error() string { return "the input is larger than " + sizeText(int64(e)) }

// sizeText formats a size in the largest unit of which it is a whole number.
func sizeText(n int64) string {
	units := []string{" bytes", " KiB", " MiB", " GiB", " TiB"}
	i := 0
	for ; i < len(units)-1 && n%1024 == 0 && n > 0; i++ {
		n /= 1024
	}
	return fmt.Sprint(n, units[i])
}

// readAll reads to the end into one buffer, which is never copied for a file of known size. text
// says that the content has to be text.
func (l limit) readAll(r io.Reader, size int64, text bool) ([]byte, error) {
	if err := l.check(size); err != nil {
		return nil, err
	}
	if size <= 0 {
		return l.readStream(r, text)
	}
	data := make([]byte, 0, size+1) // one more byte, to see the end without growing
	hugepages.Advise(data)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch large := l.check(int64(len(data))); {
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		case large != nil:
			return nil, large
		}
		if len(data) == cap(data) { // the file grew while it was read
			data = append(data, 0)[:len(data)]
		}
	}
}

// readStream reads an input of unknown size. It stops as soon as the limit is exceeded, or if text
// is set and the beginning is not text.
func (l limit) readStream(r io.Reader, text bool) ([]byte, error) {
	begin := make([]byte, streamBegin)
	n, err := io.ReadFull(r, begin)
	if text {
		if err := checkText(begin[:n]); err != nil {
			return nil, err
		}
	}
	data := bytes.NewBuffer(begin[:n])
	switch {
	case err == nil:
		_, err = data.ReadFrom(io.LimitReader(r, max(0, int64(l)-streamBegin)+1))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = nil
	}
	if large := l.check(int64(data.Len())); large != nil {
		return nil, large
	}
	return data.Bytes(), err
}

// streamBegin is the number of bytes of a stream that are read before the rest.
const streamBegin = 16 << 10

// stdinSize returns the number of bytes left to read if the standard input is a file, and whether
// it is a device.
func stdinSize(r io.Reader) (size int64, device bool) {
	f, ok := r.(*os.File)
	if !ok {
		return 0, false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, err == nil && isDevice(info)
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, false
	}
	return info.Size() - at, false
}

// Interruptible calls wait and returns its results, or ctx.Err() as soon as ctx is cancelled. The
// call itself cannot be stopped then; its goroutine ends with the process.
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

// located converts an error of the file system to a failure. The failure's position has the path,
// so the message omits it.
func located(name string, err error) error {
	_, isLocated := errors.AsType[*api.Failure](err)
	if err == nil || isLocated || errors.Is(err, context.Canceled) {
		return err
	}
	hint := ""
	_, isLarge := errors.AsType[tooLarge](err)
	switch {
	case isLarge:
		hint = "--max-size sets a larger limit"
	case errors.Is(err, errUTF16):
		hint = "convert the file to UTF-8"
	case errors.Is(err, fs.ErrNotExist) && urlOf(name) != "":
		name, err = urlOf(name), urlError{err}
		hint = "curl -fsSLO " + name + " downloads it"
	case errors.Is(err, fs.ErrNotExist):
		err = notFound{err}
	default:
		err = files.WithoutPath(err)
	}
	return diag.Input(name, hint, err)
}

// notFound is "no such file" in the same words on every system.
type notFound struct{ error }

func (notFound) Error() string   { return "no such file" }
func (e notFound) Unwrap() error { return e.error }

// isResource reports whether JSON is one Kubernetes object. If another object or list follows, as
// in the logs of programs, it is not; other text does not count. Invalid JSON is an object if it
// contains the keys of one: the converter then reports the syntax error with its position.
func isResource(data []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(data))
	var object map[string]json.RawMessage
	err := dec.Decode(&object)
	if _, notObject := errors.AsType[*json.UnmarshalTypeError](err); notObject {
		return false
	}
	if err != nil {
		return bytes.Contains(data, []byte("apiVersion")) && bytes.Contains(data, []byte("kind"))
	}
	next, _ := dec.Token()
	isStream := next == json.Delim('{') || next == json.Delim('[')
	return len(object["apiVersion"]) > 2 && len(object["kind"]) > 2 && !isStream
}
