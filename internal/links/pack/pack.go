// Package pack is a compact binary form of values, for files that only fctl reads. Append and
// Unmarshal follow the exported fields of a type in their order, whatever their tags say. Numbers
// have a variable number of bytes, texts follow their length. The form says nothing about the
// types: whoever changes a type changes the header of the files that hold it, too.
//
// Layer: base.
package pack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"
	"strings"
	"time"
)

// ErrDamaged means that a text is not what Append wrote.
var ErrDamaged = errors.New("damaged")

// Append appends the packed form of the value that v points to.
func Append(out []byte, v any) ([]byte, error) {
	c := &codec{out: out}
	c.value(reflect.ValueOf(v).Elem())
	return c.out, c.err
}

// Unmarshal reads a packed value into the zero value that v points to. Its texts are parts of text.
func Unmarshal(text string, v any) error {
	c := &codec{in: text, reading: true}
	c.value(reflect.ValueOf(v).Elem())
	if c.err == nil && c.in != "" {
		c.fail(ErrDamaged)
	}
	return c.err
}

// codec writes a value or reads it: the same methods do both, so that what is written can be read.
// After an error all that it reads is zero.
type codec struct {
	out     []byte
	in      string // what is left to read
	reading bool
	err     error
}

// fail keeps the first error, and leaves nothing to read.
func (c *codec) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.in = ""
}

// value writes a value or reads it into a zero one.
func (c *codec) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		if n := c.number(v.Int()); c.reading && n != 0 {
			v.SetInt(n)
		}
	case reflect.Uint32, reflect.Uint64:
		if n := c.number(int64(v.Uint())); c.reading && n != 0 {
			v.SetUint(uint64(n))
		}
	case reflect.Bool:
		if is := c.bool(v.Bool()); c.reading && is {
			v.SetBool(is)
		}
	case reflect.String:
		if s := c.text(v.String()); c.reading && s != "" {
			v.SetString(s)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			c.bytes(v)
		} else {
			c.list(v)
		}
	case reflect.Map:
		c.entries(v)
	case reflect.Pointer:
		if has := c.bool(!v.IsNil()); has && c.reading {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			c.value(v.Elem())
		}
	case reflect.Interface:
		c.scalar(v)
	case reflect.Struct:
		c.fields(v)
	default:
		c.fail(fmt.Errorf("a %s cannot be packed", v.Type()))
	}
}

// number writes or reads a whole number. Most are small.
func (c *codec) number(n int64) int64 {
	if !c.reading {
		c.out = binary.AppendVarint(c.out, n)
		return n
	}
	if c.in != "" && c.in[0] < 0x80 {
		b := c.in[0]
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

// bool writes or reads a truth value.
func (c *codec) bool(is bool) bool {
	n := int64(0)
	if is {
		n = 1
	}
	return c.number(n) == 1
}

// text writes or reads a text.
func (c *codec) text(s string) string {
	n := c.number(int64(len(s)))
	if !c.reading {
		c.out = append(c.out, s...)
		return s
	}
	if n < 0 || n > int64(len(c.in)) {
		c.fail(ErrDamaged)
		return ""
	}
	s, c.in = c.in[:n], c.in[n:]
	return s
}

func (c *codec) bytes(v reflect.Value) {
	if c.reading {
		v.SetBytes([]byte(c.text("")))
		return
	}
	c.number(int64(v.Len()))
	c.out = append(c.out, v.Bytes()...)
}

// count writes or reads the number of entries of a list or map, -1 for nil. Each entry has at least
// one byte.
func (c *codec) count(v reflect.Value) int {
	n := int64(-1)
	if !v.IsNil() {
		n = int64(v.Len())
	}
	n = c.number(n)
	if n < -1 || c.reading && n > int64(len(c.in)) {
		c.fail(ErrDamaged)
		return -1
	}
	return int(n)
}

// maxAhead is how many entries get memory before they are read: a damaged text may promise more
// than it has.
const maxAhead = 1 << 12

// list writes or reads a list. A nil list stays nil.
func (c *codec) list(v reflect.Value) {
	n := c.count(v)
	if c.reading && n >= 0 {
		v.Set(reflect.MakeSlice(v.Type(), 0, min(n, maxAhead)))
	}
	for i := 0; i < n && c.err == nil; i++ {
		if c.reading {
			if i == v.Cap() {
				v.Grow(1)
			}
			v.SetLen(i + 1)
		}
		c.value(v.Index(i))
	}
}

// entries writes or reads a map whose keys are texts. A nil map stays nil.
func (c *codec) entries(v reflect.Value) {
	n := c.count(v)
	var keys []reflect.Value
	switch {
	case n < 0:
		return
	case c.reading:
		v.Set(reflect.MakeMapWithSize(v.Type(), min(n, maxAhead)))
	default:
		keys = v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int {
			return strings.Compare(a.String(), b.String())
		})
	}
	key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	for i := 0; i < n && c.err == nil; i++ {
		key.SetZero()
		value.SetZero()
		if !c.reading {
			key.Set(keys[i])
			value.Set(v.MapIndex(key))
		}
		c.value(key)
		c.value(value)
		if c.reading {
			v.SetMapIndex(key, value)
		}
	}
}

// fields writes or reads the exported fields of a struct, and a time without its monotonic clock. Of
// a struct within it that is zero only this is kept.
func (c *codec) fields(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		if t, ok := reflect.TypeAssert[*time.Time](v.Addr()); ok {
			c.time(t)
		}
		return
	}
	for i := range v.NumField() { //nolint:modernize // an iterator would allocate for each field
		field := v.Field(i)
		if !field.CanSet() {
			continue
		}
		if field.Kind() != reflect.Struct || c.bool(!c.reading && !field.IsZero()) {
			c.value(field)
		}
	}
}

func (c *codec) time(t *time.Time) {
	var text []byte
	if !c.reading && !t.IsZero() {
		var err error
		if text, err = t.MarshalBinary(); err != nil {
			c.fail(err)
		}
	}
	read := c.text(string(text))
	if !c.reading || read == "" {
		return
	}
	if err := t.UnmarshalBinary([]byte(read)); err != nil {
		c.fail(ErrDamaged)
	}
}

// scalar writes or reads nil, a string, an int, an int64 or a bool. Anything else is an error.
func (c *codec) scalar(v reflect.Value) {
	types := []any{"", int(0), int64(0), false}
	kind := int64(0)
	if !c.reading && !v.IsNil() {
		kind = 1 + int64(slices.IndexFunc(types, func(t any) bool {
			return reflect.TypeOf(t) == v.Elem().Type()
		}))
		if kind == 0 {
			c.fail(fmt.Errorf("a %s cannot be packed", v.Elem().Type()))
			return
		}
	}
	kind = c.number(kind)
	switch {
	case kind == 0:
		return
	case kind < 0 || kind > int64(len(types)):
		c.fail(ErrDamaged)
		return
	}
	held := reflect.New(reflect.TypeOf(types[kind-1])).Elem()
	if !c.reading {
		held.Set(v.Elem())
	}
	c.value(held)
	v.Set(held)
}

// Seal returns what comes before a packed value in a file: a header and a checksum.
func Seal(header string, packed []byte) []byte {
	sum := crc32.Checksum(packed, crc32.MakeTable(crc32.Castagnoli))
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
