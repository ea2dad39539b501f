// Package pack is a compact binary form of values, for files that only fctl reads. The same calls
// write a value and read it back, so a type has one function for both:
//
//	func packPoint(c *pack.Codec, p *Point) {
//		pack.Number(c, &p.X)
//		pack.Number(c, &p.Y)
//	}
//
// Numbers have a variable number of bytes, texts follow their length. The form says nothing about
// the types: whoever changes a function changes the header of the files, too.
//
// Layer: base.
package pack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"time"
)

// ErrDamaged means that a text is not what a Codec wrote.
var ErrDamaged = errors.New("damaged")

// Codec writes values or reads them. After an error all that it reads is zero.
type Codec struct {
	out     []byte
	in      string // what is left to read
	reading bool
	err     error
}

// Writer returns a Codec that writes. The size is how many bytes to expect; it may be 0.
func Writer(size int) *Codec { return &Codec{out: make([]byte, 0, size)} }

// Reader returns a Codec that reads text. The texts that it returns are parts of text.
func Reader(text string) *Codec { return &Codec{in: text, reading: true} }

// Err returns the first error.
func (c *Codec) Err() error { return c.err }

// End returns the first error, also if something is left to read.
func (c *Codec) End() error {
	if c.err == nil && c.in != "" {
		c.fail(ErrDamaged)
	}
	return c.err
}

// Bytes returns what was written.
func (c *Codec) Bytes() []byte { return c.out }

// fail keeps the first error, and leaves nothing to read.
func (c *Codec) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.in = ""
}

// Number writes or reads a whole number.
func Number[N ~int | ~int64](c *Codec, n *N) {
	if c.reading {
		*n = N(c.varint())
		return
	}
	c.out = binary.AppendVarint(c.out, int64(*n))
}

// varint reads a number. Most are small.
func (c *Codec) varint() int64 {
	if c.in == "" {
		c.fail(ErrDamaged)
		return 0
	}
	if b := c.in[0]; b < 0x80 {
		c.in = c.in[1:]
		return int64(b>>1) ^ -int64(b&1)
	}
	var buf [binary.MaxVarintLen64]byte
	n, size := binary.Varint(buf[:copy(buf[:], c.in)])
	if size <= 0 {
		c.fail(ErrDamaged)
		return 0
	}
	c.in = c.in[size:]
	return n
}

// Bool writes or reads a truth value.
func Bool[B ~bool](c *Codec, b *B) {
	n := 0
	if *b {
		n = 1
	}
	Number(c, &n)
	*b = n == 1
}

// Text writes or reads a text, or bytes.
func Text[S ~string | ~[]byte](c *Codec, s *S) {
	n := len(*s)
	Number(c, &n)
	if !c.reading {
		c.out = append(c.out, *s...)
		return
	}
	if n < 0 || n > len(c.in) {
		c.fail(ErrDamaged)
		n = 0
	}
	*s, c.in = S(c.in[:n]), c.in[n:]
}

// count writes or reads a number of entries, -1 for nil. Each entry has at least one byte.
func (c *Codec) count(n int) int {
	Number(c, &n)
	if n < -1 || c.reading && n > len(c.in) {
		c.fail(ErrDamaged)
		return -1
	}
	return n
}

// maxAhead is how many entries get memory before they are read: a damaged text may promise more
// than it has.
const maxAhead = 1 << 12

// List writes or reads a list. A nil list stays nil.
func List[T any](c *Codec, list *[]T, each func(*T)) {
	n := len(*list)
	if *list == nil {
		n = -1
	}
	n = c.count(n)
	if c.reading {
		if *list = nil; n >= 0 {
			*list = make([]T, 0, min(n, maxAhead))
		}
	}
	for i := 0; i < n && c.err == nil; i++ {
		if c.reading {
			var zero T
			*list = append(*list, zero)
		}
		each(&(*list)[i])
	}
}

// Texts writes or reads a list of texts.
func Texts[S ~string](c *Codec, list *[]S) { List(c, list, func(s *S) { Text(c, s) }) }

// Map writes or reads a map of texts. A nil map stays nil.
func Map[V any](c *Codec, m *map[string]V, each func(*V)) {
	n := len(*m)
	if *m == nil {
		n = -1
	}
	n = c.count(n)
	if !c.reading {
		for _, key := range slices.Sorted(maps.Keys(*m)) {
			v := (*m)[key]
			Text(c, &key)
			each(&v)
		}
		return
	}
	if *m = nil; n >= 0 {
		*m = make(map[string]V, min(n, maxAhead))
	}
	for i := 0; i < n && c.err == nil; i++ {
		var key string
		var v V
		Text(c, &key)
		each(&v)
		(*m)[key] = v
	}
}

// Optional writes or reads what a pointer points to, or that it is nil.
func Optional[T any](c *Codec, p **T, each func(*T)) {
	has := *p != nil
	Bool(c, &has)
	if c.reading {
		if *p = nil; has {
			*p = new(T)
		}
	}
	if has {
		each(*p)
	}
}

// Time writes or reads a time, without its monotonic clock.
func Time(c *Codec, t *time.Time) {
	var text string
	if !c.reading && !t.IsZero() {
		bytes, err := t.MarshalBinary()
		if err != nil {
			c.fail(err)
		}
		text = string(bytes)
	}
	Text(c, &text)
	if !c.reading {
		return
	}
	if *t = (time.Time{}); text == "" {
		return
	}
	if err := t.UnmarshalBinary([]byte(text)); err != nil {
		c.fail(ErrDamaged)
	}
}

// The kinds of scalars.
const (
	kindNil = iota
	kindString
	kindInt
	kindInt64
	kindBool
)

// Scalar writes or reads nil, a string, an int, an int64 or a bool. Anything else is an error.
func Scalar(c *Codec, v *any) {
	var (
		kind int
		text string
		n    int64
	)
	if !c.reading {
		switch v := (*v).(type) {
		case nil:
		case string:
			kind, text = kindString, v
		case int:
			kind, n = kindInt, int64(v)
		case int64:
			kind, n = kindInt64, v
		case bool:
			kind = kindBool
			if v {
				n = 1
			}
		default:
			c.fail(fmt.Errorf("a %T cannot be packed", v))
			return
		}
	}
	Number(c, &kind)
	switch kind {
	case kindString:
		Text(c, &text)
	case kindInt, kindInt64, kindBool:
		Number(c, &n)
	}
	if !c.reading {
		return
	}
	switch kind {
	case kindNil:
		*v = nil
	case kindString:
		*v = text
	case kindInt:
		*v = int(n)
	case kindInt64:
		*v = n
	case kindBool:
		*v = n == 1
	default:
		c.fail(ErrDamaged)
	}
}

// Seal returns what comes before the written bytes in a file: a header and a checksum.
func (c *Codec) Seal(header string) []byte {
	sum := crc32.Checksum(c.out, crc32.MakeTable(crc32.Castagnoli))
	return binary.BigEndian.AppendUint32([]byte(header), sum)
}

// Unseal returns what follows the header and the checksum of a text, after checking both.
func Unseal(header string, text []byte) (string, error) {
	if len(text) < len(header)+4 || string(text[:len(header)]) != header {
		return "", ErrDamaged
	}
	text = text[len(header):]
	sum, rest := binary.BigEndian.Uint32(text), text[4:]
	if crc32.Checksum(rest, crc32.MakeTable(crc32.Castagnoli)) != sum {
		return "", ErrDamaged
	}
	return string(rest), nil
}
