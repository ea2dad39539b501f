// Package renames finds files that have another path on the other side of a comparison or merge.
//
// Like git, it keeps no record of renames: a file that only the old side has and one that only the
// new side has are the same file if their contents have enough in common. Unlike git, it asks files
// with resources for a resource that both of them have. The manifests of two services may consist
// of nearly the same lines, and are still two files.
//
// Layer: base.
package renames

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"path"
	"slices"
)

// LoneFile is a file that only one side has.
type LoneFile struct {
	Path string // with slashes
	Data []byte
	// Resources are the types and names of its resources, nil for a file without any.
	Resources []string
}

// Pair is a file whose path has changed.
type Pair struct{ Old, New int } // indexes into the files of each side

// maxShared is how many lines and resources of pairs of files may coincide, and maxCandidates is how
// many pairs may have enough in common. Git's limit for merges, a thousand files on each side, is
// about as many.
const (
	maxShared     = 50_000_000
	maxCandidates = 1_000_000
)

// Find pairs the files that only the old side has with those that only the new side has. Files with
// equal content come first, then those that have the most in common: resources, or at least half of
// the lines. Every file is in one pair at most, and pairs are in the order of the new files.
//
// complete is false if so many files have so much in common that only equal ones were paired.
func Find(before, after []LoneFile) (pairs []Pair, complete bool) {
	f := &finder{
		before: before, after: after, complete: true,
		usedOld: make([]bool, len(before)), usedNew: make([]bool, len(after)),
	}
	f.equal()
	f.similar()
	slices.SortFunc(f.pairs, func(a, b Pair) int { return cmp.Compare(a.New, b.New) })
	return f.pairs, f.complete
}

type finder struct {
	before, after    []LoneFile
	usedOld, usedNew []bool
	pairs            []Pair
	complete         bool
}

func (f *finder) take(p Pair) {
	f.usedOld[p.Old], f.usedNew[p.New] = true, true
	f.pairs = append(f.pairs, p)
}

// equal pairs files with the same bytes, those with the same base name first. An empty file is not
// evidence of anything.
func (f *finder) equal() {
	for _, key := range []func(LoneFile) string{
		func(file LoneFile) string { return path.Base(file.Path) + "/" + string(file.Data) },
		func(file LoneFile) string { return string(file.Data) },
	} {
		olds := map[string][]int{}
		for _, o := range rest(f.usedOld) {
			if file := f.before[o]; len(bytes.TrimSpace(file.Data)) > 0 {
				olds[key(file)] = append(olds[key(file)], o)
			}
		}
		for _, n := range rest(f.usedNew) {
			k := key(f.after[n])
			if same := olds[k]; len(same) > 0 {
				f.take(Pair{same[0], n})
				olds[k] = same[1:]
			}
		}
	}
}

// candidate is a pair with what speaks for it.
type candidate struct {
	Pair
	resources, lines float64 // the shares that both have, see fileParts.common
	sameName         bool
}

// similar pairs the remaining files by what they have in common, the best pairs first.
func (f *finder) similar() {
	candidates, complete := f.candidates(rest(f.usedOld), rest(f.usedNew))
	f.complete = complete
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.resources, a.resources), cmp.Compare(b.lines, a.lines),
			first(a.sameName, b.sameName), cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New))
	})
	for _, c := range candidates {
		if !f.usedOld[c.Old] && !f.usedNew[c.New] {
			f.take(c.Pair)
		}
	}
}

// candidates returns the pairs that have enough in common. Two files with resources must have one in
// common.
func (f *finder) candidates(olds, news []int) (all []candidate, complete bool) {
	seed := maphash.MakeSeed() // decides no order: only equal hashes matter
	resources, lines, linesOfOthers := newPartIndex[string](), newPartIndex[uint64](), newPartIndex[uint64]()
	for _, o := range olds {
		file := f.before[o]
		resources.add(o, resourcesOf(file))
		lines.add(o, linesOf(seed, file))
		if len(file.Resources) == 0 {
			linesOfOthers.add(o, lines.files[o])
		}
	}
	named, text := map[int]fileParts[string]{}, map[int]fileParts[uint64]{} // of the new files
	others := func(n int) partIndex[uint64] {
		if len(f.after[n].Resources) > 0 {
			return linesOfOthers
		}
		return lines
	}
	left := maxShared
	for _, n := range news {
		named[n], text[n] = resourcesOf(f.after[n]), linesOf(seed, f.after[n])
		left -= resources.places(named[n]) + others(n).places(text[n])
	}
	add := func(c candidate) {
		if c.resources >= half || c.lines >= half {
			c.sameName = path.Base(f.before[c.Old].Path) == path.Base(f.after[c.New].Path)
			all = append(all, c)
		}
	}
	for _, n := range news {
		if left < 0 || len(all) > maxCandidates {
			return nil, false
		}
		for o, share := range resources.shares(named[n]) {
			c := candidate{Pair: Pair{o, n}, resources: share}
			// As for git, a file twice as large is another text.
			if a, b := lines.files[o].size, text[n].size; float64(min(a, b)) >= half*float64(max(a, b)) {
				c.lines = lines.files[o].common(text[n])
			}
			add(c)
		}
		for o, share := range others(n).shares(text[n]) {
			add(candidate{Pair: Pair{o, n}, lines: share})
		}
	}
	return all, true
}

// half is what two files must have in common, as in git.
const half = 0.5

func first(a, b bool) int {
	switch {
	case a && !b:
		return -1
	case b && !a:
		return 1
	}
	return 0
}

func rest(used []bool) []int {
	var left []int
	for i, u := range used {
		if !u {
			left = append(left, i)
		}
	}
	return left
}

// fileParts are the parts of a file, such as its lines, with the weight of each.
type fileParts[K comparable] struct {
	size    int // of all
	weights map[K]int
}

func (p *fileParts[K]) add(part K, weight int) {
	p.size += weight
	p.weights[part] += weight
}

// resourcesOf returns the names of a file's resources, each of which weighs 1.
func resourcesOf(file LoneFile) fileParts[string] {
	p := fileParts[string]{weights: map[string]int{}}
	for _, name := range file.Resources {
		p.add(name, 1)
	}
	return p
}

// linesOf returns the hashes of a file's lines that are not blank. A line weighs its length.
func linesOf(seed maphash.Seed, file LoneFile) fileParts[uint64] {
	p := fileParts[uint64]{weights: map[uint64]int{}}
	for line := range bytes.Lines(file.Data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			p.add(maphash.Bytes(seed, line), len(line))
		}
	}
	return p
}

// common returns the share of the larger file that is in both, from 0 to 1.
func (p fileParts[K]) common(other fileParts[K]) float64 {
	shared, smaller := 0, p
	if len(other.weights) < len(p.weights) {
		smaller, other = other, p
	}
	for part, weight := range smaller.weights {
		shared += min(weight, other.weights[part])
	}
	return float64(shared) / float64(max(smaller.size, other.size, 1))
}

// partIndex finds the files that have a part.
type partIndex[K comparable] struct {
	files map[int]fileParts[K]
	with  map[K][]int
}

func newPartIndex[K comparable]() partIndex[K] {
	return partIndex[K]{files: map[int]fileParts[K]{}, with: map[K][]int{}}
}

func (x partIndex[K]) add(file int, p fileParts[K]) {
	x.files[file] = p
	for part := range p.weights {
		x.with[part] = append(x.with[part], file)
	}
}

// places returns how many places shares looks at.
func (x partIndex[K]) places(p fileParts[K]) int {
	n := 0
	for part := range p.weights {
		n += len(x.with[part])
	}
	return n
}

// shares returns the result of common for each file that has a part in common with p.
func (x partIndex[K]) shares(p fileParts[K]) map[int]float64 {
	all := map[int]float64{}
	for part, weight := range p.weights {
		for _, file := range x.with[part] {
			all[file] += float64(min(weight, x.files[file].weights[part]))
		}
	}
	for file, shared := range all {
		all[file] = shared / float64(max(p.size, x.files[file].size))
	}
	return all
}
