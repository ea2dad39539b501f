package server

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// A frame is what the server and a worker send to each other: a number, the length of two texts, and
// the texts. In a request the number is 0 and the texts are the toolchain and the body; in an answer
// the number is the status of HTTP, and the texts are the type of the content and the body.
type frame struct {
	number     uint32
	name, body []byte
}

// headLength is the number of bytes before the texts.
const headLength = 12

// errFrame reports bytes that are not a frame: a worker has printed something else.
var errFrame = errors.New("the worker did not answer with a frame")

// append appends the frame to b.
func (f frame) append(b []byte) []byte {
	b = slices.Grow(b, f.size())
	b = binary.BigEndian.AppendUint32(b, f.number)
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.name)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.body)))
	return append(append(b, f.name...), f.body...)
}

// size returns the number of bytes of the frame.
func (f frame) size() int { return headLength + len(f.name) + len(f.body) }

// readFrame reads a frame whose texts have at most a number of bytes. The error is io.EOF if there is
// no further one.
func readFrame(r io.Reader, most int) (f frame, err error) {
	var head [headLength]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return f, err
	}
	name, body := binary.BigEndian.Uint32(head[4:]), binary.BigEndian.Uint32(head[8:])
	if uint64(name)+uint64(body) > uint64(most) {
		return f, errFrame
	}
	texts := make([]byte, name+body)
	if _, err := io.ReadFull(r, texts); err != nil {
		return f, errors.Join(errFrame, err)
	}
	return frame{binary.BigEndian.Uint32(head[:]), texts[:name:name], texts[name:]}, nil
}
