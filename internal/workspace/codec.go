package workspace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// encoder writes journals: numbers with a variable number of bytes, and texts after
// their length. The first error is kept.
type encoder struct {
	w   *bufio.Writer
	err error
}

func newEncoder(w io.Writer) *encoder { return &encoder{w: bufio.NewWriterSize(w, 1<<16)} }

func (e *encoder) number(n int64) {
	var buf [binary.MaxVarintLen64]byte
	e.raw(buf[:binary.PutVarint(buf[:], n)])
}

func (e *encoder) bool(b bool) {
	n := int64(0)
	if b {
		n = 1
	}
	e.number(n)
}

func (e *encoder) raw(data []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(data)
	}
}

func (e *encoder) bytes(data []byte) {
	e.number(int64(len(data)))
	e.raw(data)
}

func (e *encoder) text(s string) {
	e.number(int64(len(s)))
	if e.err == nil {
		_, e.err = e.w.WriteString(s)
	}
}

// finish writes what is buffered and returns the first error.
func (e *encoder) finish() error {
	if e.err == nil {
		e.err = e.w.Flush()
	}
	return e.err
}

// errCoded means that a text is not what encoder writes.
var errCoded = errors.New("damaged")

// decoder reads what encoder wrote. Bytes that it returns are parts of the text. After an error
// everything is zero.
type decoder struct {
	data []byte
	err  error
}

func (d *decoder) number() int64 {
	n, size := binary.Varint(d.data)
	if size <= 0 {
		d.data, d.err = nil, errCoded
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *decoder) bool() bool { return d.number() != 0 }

func (d *decoder) bytes() []byte {
	n := d.number()
	if n < 0 || n > int64(len(d.data)) {
		d.data, d.err = nil, errCoded
		return nil
	}
	part := d.data[:n:n]
	d.data = d.data[n:]
	return part
}

func (d *decoder) text() string { return string(d.bytes()) }

// count reads the number of entries that follow. Each has at least one byte.
func (d *decoder) count() int {
	n := d.number()
	if n < 0 || n > int64(len(d.data)) {
		d.data, d.err = nil, errCoded
		return 0
	}
	return int(n)
}

// header reads and checks the first line.
func (d *decoder) header(want string) {
	if string(d.bytes()) != want && d.err == nil {
		d.data, d.err = nil, errCoded
	}
}

// end returns the error, also if something follows.
func (d *decoder) end() error {
	if d.err == nil && len(d.data) > 0 {
		return errCoded
	}
	return d.err
}

// journalHeader is the first text of a journal. Another version has another number.
const journalHeader = "fctl journal 1"

func (j *journal) encode(w io.Writer) error {
	e := newEncoder(w)
	e.text(journalHeader)
	e.text(j.Title)
	e.number(int64(len(j.Ops)))
	for i := range j.Ops {
		o := &j.Ops[i]
		e.number(int64(o.Phase))
		e.text(o.Path)
		e.bytes(o.Data)
		e.bool(o.Delete)
		e.bool(o.Append)
		e.number(o.Offset)
		e.bool(o.Guarded)
		e.text(o.Before)
	}
	return e.finish()
}

func (j *journal) decode(text []byte) error {
	d := &decoder{data: text}
	d.header(journalHeader)
	j.Title = d.text()
	j.Ops = make([]operation, d.count())
	for i := range j.Ops {
		j.Ops[i] = operation{
			Phase: phase(d.number()), Path: d.text(), Data: d.bytes(), Delete: d.bool(),
			Append: d.bool(), Offset: d.number(), Guarded: d.bool(), Before: d.text(),
		}
	}
	return d.end()
}
