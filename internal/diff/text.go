package diff

import (
	"bytes"

	"github.com/fctl-dev/fctl/internal/diag"
)

// text is one of the texts compared, by lines. A line keeps its line end.
type text struct {
	data   []byte
	starts []int32 // of the lines, and the end of the text
	// forPeople tells that control characters are escaped.
	forPeople bool
}

func lines(data []byte) text {
	t := text{data: data, starts: make([]int32, 1, bytes.Count(data, []byte{'\n'})+2)}
	for at := 0; at < len(data); {
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			at += i + 1
		} else {
			at = len(data)
		}
		t.starts = append(t.starts, int32(at))
	}
	return t
}

func (t text) len() int { return len(t.starts) - 1 }

func (t text) line(i int) []byte { return t.data[t.starts[i]:t.starts[i+1]] }

// shown is a line as it is printed.
func (t text) shown(i int) []byte {
	if t.forPeople {
		return diag.PrintableLine(t.line(i))
	}
	return t.line(i)
}

// numbers gives the lines [from, to) of both texts numbers: the same number, the same line.
func numbers(before text, from, beforeTo int, after text, afterTo int) (old, changed []int32, count int) {
	known := map[string]int32{}
	number := func(t text, to int) []int32 {
		all := make([]int32, 0, to-from)
		for i := from; i < to; i++ {
			n, ok := known[string(t.line(i))]
			if !ok {
				n = int32(len(known))
				known[string(t.line(i))] = n
			}
			all = append(all, n)
		}
		return all
	}
	old, changed = number(before, beforeTo), number(after, afterTo)
	return old, changed, len(known)
}
