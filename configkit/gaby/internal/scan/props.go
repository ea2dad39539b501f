package scan

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// props scans the anchor or tag at pos and records it for entry e. The caller scans a second one.
func (s *scanner) props(e int32) {
	if s.tree.Props == nil {
		s.tree.Props = map[int32]Props{}
	}
	have, again := s.tree.Props[e]
	if !again {
		have.Start = uint32(s.pos)
	}
	if s.src[s.pos] == '&' {
		if have.Anchor != "" {
			s.fail(s.pos, "two anchors before one value")
		}
		end := s.nameEnd(s.pos + 1)
		have.Anchor = string(s.src[s.pos+1 : end])
		// A name that is used again means the later node from here on, as YAML allows; aliases that
		// were scanned before have their target already.
		if s.anchors == nil {
			s.anchors = map[string]int32{}
		}
		s.anchors[have.Anchor] = e
		s.pos = end
	} else {
		if have.Tag != "" {
			s.fail(s.pos, "two tags before one value")
		}
		end := s.tagEnd(s.pos)
		have.Tag = string(s.src[s.pos:end])
		s.pos = end
	}
	s.tree.Props[e] = have
	s.n[e].Flags |= HasProps
}

// nameEnd returns the end of the anchor name at p.
func (s *scanner) nameEnd(p int) int {
	q := p
	for q < s.end && !s.blankAt(q) && bytes.IndexByte([]byte(",[]{}?:%@`"), s.src[q]) < 0 {
		q++
	}
	// YAML 1.2 and yaml.v3 disagree about where a name with one of these characters ends.
	if q == p || !s.blankAt(q) && s.src[q] != ',' && s.src[q] != ']' && s.src[q] != '}' {
		s.unsupported(p-1, "this anchor name")
	}
	return q
}

// tagEnd returns the end of the tag at p.
func (s *scanner) tagEnd(p int) int {
	q := p + 1
	if q < s.end && s.src[q] == '!' {
		q++
	}
	for q < s.end && (scalar.IsNameByte(s.src[q]) ||
		bytes.IndexByte([]byte("./:+=@~"), s.src[q]) >= 0) {
		q++
	}
	if !s.blankAt(q) || bytes.HasSuffix(s.src[p:q], []byte("!!")) {
		s.unsupported(p, "a tag with a handle or with unusual characters")
	}
	return q
}

// alias scans the alias at pos, records it as the value of e and returns the offset after it.
func (s *scanner) alias(e int32) int {
	p := s.pos
	end := s.nameEnd(p + 1)
	name := string(s.src[p+1 : end])
	target, ok := s.anchors[name]
	if !ok {
		s.fail(p, "an alias to an anchor that does not exist: "+name)
	}
	// next is set when a node is complete, so a target without it contains this alias.
	if s.n[target].Next == 0 {
		s.fail(p, "an alias inside the value it refers to: "+name)
	}
	if s.n[e].Flags&HasProps != 0 {
		s.fail(p, "an anchor or tag before an alias")
	}
	n := &s.n[e]
	n.Kind = AliasNode
	n.Val, n.ValEnd = uint32(p), uint32(end)
	n.Next = uint32(len(s.n))
	if s.tree.Aliases == nil {
		s.tree.Aliases = map[int32]int32{}
	}
	s.tree.Aliases[e] = target
	return end
}

// checkMerge refuses a "<<" whose value is not a map, an alias of a map, or a list of these.
func (s *scanner) checkMerge(m int32) {
	for e := m + 1; e < int32(s.n[m].Next); e = int32(s.n[e].Next) {
		n := s.n[e]
		if n.KeyStyle != scalar.PlainStyle || string(s.src[n.Key:n.KeyEnd]) != "<<" {
			continue
		}
		if s.target(e).Kind == ListNode && n.Kind == ListNode {
			for x := e + 1; x < int32(n.Next); x = int32(s.n[x].Next) {
				if s.target(x).Kind != MapNode {
					s.fail(int(s.n[x].Val), "<< needs a map, an alias of a map, or a list of these")
				}
			}
		} else if s.target(e).Kind != MapNode {
			s.fail(int(n.Val), "<< needs a map, an alias of a map, or a list of these")
		}
	}
}

// target returns the node that e refers to, e itself unless it is an alias.
func (s *scanner) target(e int32) Node {
	for s.n[e].Kind == AliasNode {
		e = s.tree.Aliases[e]
	}
	return s.n[e]
}

// keySet detects, without allocation, that no key of a map occurs twice. It hashes keys to 64 bits
// like a Bloom filter: it may doubt a map without duplicates, but never misses one.
type keySet struct {
	seen  uint64 // hashes of the keys, as bits
	doubt bool   // two of the keys may be equal
}

// add adds the key of n. Quoted keys always raise doubt, because they may be escaped.
func (k *keySet) add(src []byte, n *Node) {
	if n.KeyStyle != scalar.PlainStyle {
		k.doubt = true
		return
	}
	bit := uint64(1) << ((uint32(src[n.Key]) + 3*uint32(src[n.KeyEnd-1]) + 5*(n.KeyEnd-n.Key)) % 64)
	k.doubt = k.doubt || k.seen&bit != 0
	k.seen |= bit
}

// checkDuplicates marks a map in which a key occurs twice.
func (s *scanner) checkDuplicates(m int32) {
	end := int32(s.n[m].Next)
	count := 0
	for e := m + 1; e < end; e = int32(s.n[e].Next) {
		count++
	}
	if count < 2 {
		return
	}
	if count > 24 { // comparing every pair is cheap for a few keys, which mostly differ in length
		s.checkManyDuplicates(m, count)
		return
	}
	for a := m + 1; a < end; a = int32(s.n[a].Next) {
		for b := int32(s.n[a].Next); b < end; b = int32(s.n[b].Next) {
			if s.sameKey(&s.n[a], &s.n[b]) {
				s.n[m].Flags |= HasDuplicates
				s.tree.Duplicates = true
				return
			}
		}
	}
}

// checkManyDuplicates is checkDuplicates for maps with many keys.
func (s *scanner) checkManyDuplicates(m int32, count int) {
	// The keys are compared decoded, so that "a" and a are the same.
	seen := make(map[string]struct{}, count)
	for e := m + 1; e < int32(s.n[m].Next); e = int32(s.n[e].Next) {
		k := KeyBytes(s.src, &s.n[e])
		if _, again := seen[string(k)]; again {
			s.n[m].Flags |= HasDuplicates
			s.tree.Duplicates = true
			return
		}
		seen[string(k)] = struct{}{}
	}
}

// sameKey reports whether two source entries have the same decoded key.
func (s *scanner) sameKey(a, b *Node) bool {
	if a.KeyStyle == scalar.PlainStyle && b.KeyStyle == scalar.PlainStyle {
		return a.KeyEnd-a.Key == b.KeyEnd-b.Key &&
			string(s.src[a.Key:a.KeyEnd]) == string(s.src[b.Key:b.KeyEnd])
	}
	return bytes.Equal(KeyBytes(s.src, a), KeyBytes(s.src, b))
}

// checkExpansion refuses a document whose aliases expand to more values than the limit. Aliases
// only refer backwards, so one pass in document order suffices: total[i] is the number of values
// before node i with all aliases expanded, and the size of a subtree is a difference of two totals.
func (s *scanner) checkExpansion() {
	total := make([]int, len(s.n)+1)
	for i := range s.n {
		size := 1
		if s.n[i].Kind == AliasNode {
			t := s.tree.Aliases[int32(i)]
			size = total[s.n[t].Next] - total[t]
		}
		total[i+1] = total[i] + size
		if total[i+1] > s.limits.AliasNodes && total[i+1] > len(s.n) {
			s.failHint(int(s.n[i].Val), "the aliases of the document expand to too many values",
				"replace some of them with their values")
		}
	}
}
