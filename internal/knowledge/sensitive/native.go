package sensitive

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// addNode is addYAML for the other formats.
func (s *search) addNode(
	n *formatkit.Node, path string, covered []formatkit.Span,
) []formatkit.Span {
	cover := func(at formatkit.Span) {
		// a format may have added the last line end
		if at.To = min(at.To, len(s.data)); at.From < at.To {
			covered = append(covered, at)
		}
	}
	cover(n.KeySpan)
	if n.Kind != gaby.Scalar {
		for i, kid := range n.Kids {
			segment := yamlpath.Escape(kid.Key)
			if n.Kind == gaby.List {
				segment = strconv.Itoa(i)
			}
			covered = s.addNode(kid, path+"."+segment, covered)
		}
		cover(formatkit.Span{From: n.Span.To - min(1, n.Span.Len()), To: n.Span.To})
		return covered
	}
	at := n.Span
	value := ""
	if n.Value != nil {
		value = fmt.Sprint(n.Value)
	}
	if at.Len() == 0 && value != "" {
		at = n.Entry // its position is unknown
	}
	if at.To = min(at.To, len(s.data)); at.From < at.To {
		if !isVariable(value) {
			s.spans = append(s.spans, span{from: at.From, to: at.To, path: path, value: value})
			s.addRead(n.Value)
		}
		covered = append(covered, at)
	}
	return covered
}

// punctuation lists what can be before a comment, besides blanks, between keys and values.
const punctuation = " \t\r\n\f,.=:\"'()[]{}"

var (
	commentLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[\s` + regexp.QuoteMeta(punctuation) + `]*(?:[#;!]|//|/\*)+`)
	})
	commentRest = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[\s,()\[\]{}])(?:[#;]|//|/\*)+`)
	})
)

// addBetween adds the comments in a text between two keys or values. If the text has other entries,
// only comments on the first line and below the other entries are added.
func (s *search) addBetween(from, to int) {
	kept, inBlock, pattern := 0, false, commentRest()
	for start := from; start < to; start = s.data[:to].NextLine(start) {
		end := s.data[:to].LineEnd(start)
		line := s.data[start:end]
		mark := pattern.FindIndex(line)
		switch {
		case inBlock:
			s.spans = append(s.spans, span{from: start, to: end})
		case mark != nil:
			s.spans = append(s.spans, span{from: start + mark[1], to: end})
			inBlock = bytes.Contains(line, []byte("/*"))
		case start > from && end < to && len(bytes.Trim(line, punctuation)) > 0:
			s.spans = s.spans[:kept]
		}
		inBlock = inBlock && !bytes.Contains(line, []byte("*/"))
		if start == from {
			kept, pattern = len(s.spans), commentLine()
		}
	}
}

// addBelow adds the comment on the rest of the line at offset end. With lines it adds the comment
// lines below as well, if a blank line or the end of the text follows them: these may be
// commented-out entries, while other comments are about what follows them.
func (s *search) addBelow(end int, lines bool) {
	at := s.data.LineEnd(end)
	if commentLine().Match(s.data[end:at]) {
		s.addBetween(end, at)
	}
	first := s.data.NextLine(at)
	for at = first; lines && at < len(s.data); at = s.data.NextLine(at) {
		line := s.data[at:s.data.LineEnd(at)]
		if formatkit.Blank(line) {
			break
		}
		if !commentLine().Match(line) {
			return
		}
	}
	if lines {
		s.addBetween(first, at)
	}
}
