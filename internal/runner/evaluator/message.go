// Package evaluator is the gRPC service FunctionEvaluator as Porch defines it: its two messages,
// server, client and errors. A Porch server can use this server, and this client a Porch runner.
//
// The messages are read and written by hand: they have five fields, which have to stay as they are,
// and generated code would bring package state and reflection.
//
// Layer: commands.
package evaluator

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Request asks for one run of a function.
type Request struct {
	ResourceList []byte // YAML or JSON
	Image        string
	// Tag is a version or a range of versions that replaces the tag of Image, "" for none.
	Tag string
}

// Response is what a function returned.
type Response struct {
	ResourceList []byte
	Log          []byte // its standard error
}

// The numbers of the fields, see evaluator.proto.
const (
	listField  protowire.Number = 1
	imageField protowire.Number = 2
	logField   protowire.Number = 2
	tagField   protowire.Number = 3
)

// message is what the codec writes and reads.
type message interface {
	size() int
	appendTo(b []byte) []byte
	// set sets a field of the wire type bytes; unknown fields are ignored.
	set(field protowire.Number, value []byte) error
}

func (r *Request) size() int {
	return fieldSize(listField, len(r.ResourceList)) + fieldSize(imageField, len(r.Image)) +
		fieldSize(tagField, len(r.Tag))
}

func (r *Request) appendTo(b []byte) []byte {
	b = appendField(b, listField, r.ResourceList)
	b = appendField(b, imageField, []byte(r.Image))
	return appendField(b, tagField, []byte(r.Tag))
}

func (r *Request) set(field protowire.Number, value []byte) (err error) {
	switch field {
	case listField:
		r.ResourceList = value
	case imageField:
		r.Image, err = text("image", value)
	case tagField:
		r.Tag, err = text("Tag", value)
	}
	return err
}

func (r *Response) size() int {
	return fieldSize(listField, len(r.ResourceList)) + fieldSize(logField, len(r.Log))
}

func (r *Response) appendTo(b []byte) []byte {
	b = appendField(b, listField, r.ResourceList)
	return appendField(b, logField, r.Log)
}

func (r *Response) set(field protowire.Number, value []byte) error {
	switch field {
	case listField:
		r.ResourceList = value
	case logField:
		r.Log = value
	}
	return nil
}

func fieldSize(field protowire.Number, length int) int {
	if length == 0 {
		return 0
	}
	return protowire.SizeTag(field) + protowire.SizeBytes(length)
}

// appendField appends a field. Empty ones are left out, as in proto3.
func appendField(b []byte, field protowire.Number, value []byte) []byte {
	if len(value) == 0 {
		return b
	}
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return protowire.AppendBytes(b, value)
}

func text(name string, value []byte) (string, error) {
	if !utf8.Valid(value) {
		return "", fmt.Errorf("the field %s is not UTF-8", name)
	}
	return string(value), nil
}

// decode sets the fields of m from b, which m keeps parts of.
func decode(b []byte, m message) error {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return malformed(n)
		}
		b = b[n:]
		if kind != protowire.BytesType {
			n = protowire.ConsumeFieldValue(field, kind, b)
			if n < 0 {
				return malformed(n)
			}
			b = b[n:]
			continue
		}
		value, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return malformed(n)
		}
		if err := m.set(field, value); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func malformed(n int) error {
	return errors.Join(errors.New("the message is malformed"), protowire.ParseError(n))
}
