// Package frame holds the messages that a server, its workers and the clients of its sessions exchange.
//
// Invariants: a reader says how many bytes it takes, and reads no more.
//
// Layer: base.
package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"time"
)

// A Frame is a number and two texts, whose lengths come before them. In a request for a worker the
// number is 0 and the texts are the toolchain and the body; in its answer the number is the status of
// HTTP, and the texts are the type of the content and the body.
type Frame struct {
	Number     uint32
	Name, Body []byte
}

// headLength is the number of bytes before the texts.
const headLength = 12

// Err reports bytes that are not a frame, or one that is too long.
var Err = errors.New("no frame was sent, or one that is too long")

// Append appends the frame to b.
func (f Frame) Append(b []byte) []byte {
	b = slices.Grow(b, f.Size())
	b = binary.BigEndian.AppendUint32(b, f.Number)
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.Name)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.Body)))
	return append(append(b, f.Name...), f.Body...)
}

// Size returns the number of bytes of the frame.
func (f Frame) Size() int { return headLength + len(f.Name) + len(f.Body) }

// Read reads a frame whose texts have at most a number of bytes. The error is io.EOF if there is
// no further one.
func Read(r io.Reader, most int) (f Frame, err error) {
	var head [headLength]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return f, err
	}
	name, body := binary.BigEndian.Uint32(head[4:]), binary.BigEndian.Uint32(head[8:])
	if uint64(name)+uint64(body) > uint64(most) {
		return f, Err
	}
	texts, err := readTexts(r, int64(name)+int64(body))
	if err != nil {
		return f, errors.Join(Err, err)
	}
	return Frame{binary.BigEndian.Uint32(head[:]), texts[:name:name], texts[name:]}, nil
}

// known is how many bytes of an announced length are believed.
const known = 64 << 10

// readTexts reads a number of bytes. Memory for many grows as they arrive.
func readTexts(r io.Reader, length int64) ([]byte, error) {
	if length <= known {
		texts := make([]byte, length)
		_, err := io.ReadFull(r, texts)
		return texts, err
	}
	var texts bytes.Buffer
	_, err := io.CopyN(&texts, r, length)
	return texts.Bytes(), err
}

// Work lets work read the frames of in, of which a number may wait, until in ends. Then nobody wants
// what it has not written, so it gets little time to end.
func Work(in io.Reader, waiting int, work func(<-chan Frame) error) error {
	frames, done, ended := make(chan Frame, waiting), make(chan error, 1), make(chan error, 1)
	go func() { done <- work(frames) }()
	go func() {
		for {
			f, err := Read(in, math.MaxInt)
			if err != nil {
				close(frames)
				ended <- err
				return
			}
			frames <- f
		}
	}()
	select {
	case err := <-done:
		return err
	case err := <-ended:
		if !errors.Is(err, io.EOF) || errors.Is(err, Err) {
			return err
		}
	}
	select {
	case err := <-done:
		return err
	case <-time.After(unwanted):
		return errors.New("the server has ended")
	}
}

// unwanted is how long the end of the frames waits for answers: a server that works has them.
const unwanted = 100 * time.Millisecond
