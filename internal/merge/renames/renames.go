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

// maxCompared is the number of pairs of files whose contents are compared. It is git's limit for
// merges, a thousand files on each side.
const maxCompared = 1_000_000

// Find pairs the files that only the old side has with those that only the new side has. Files with
// equal content come first, then those that have the most in common: resources, or at least half of
// the lines. Every file is in one pair at most, and pairs are in the order of the new files.
//
// complete is false if there were so many files that only equal ones were paired.
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
	byContent := map[string][]int{}
	for i, file := range f.before {
		if len(bytes.TrimSpace(file.Data)) > 0 {
			byContent[string(file.Data)] = append(byContent[string(file.Data)], i)
		}
	}
	for _, sameName := range []bool{true, false} {
		for n, file := range f.after {
			for _, o := range byContent[string(file.Data)] {
				if !f.usedNew[n] && !f.usedOld[o] &&
					(!sameName || path.Base(f.before[o].Path) == path.Base(file.Path)) {
					f.take(Pair{o, n})
				}
			}
		}
	}
}

// candidate is a pair with what speaks for it.
type candidate struct {
	Pair
	resources, lines float64 // the share that both have, from 0 to 1
	sameName         bool
}

// similar pairs the remaining files by what they have in common, the best pairs first.
func (f *finder) similar() {
	olds, news := rest(f.usedOld), rest(f.usedNew)
	if len(olds)*len(news) > maxCompared {
		f.complete = false
		return
	}
	if len(olds) == 0 || len(news) == 0 {
		return
	}
	seed := maphash.MakeSeed() // decides no order: only equal hashes matter
	oldLines, newLines := linesOf(seed, f.before, olds), linesOf(seed, f.after, news)
	var candidates []candidate
	for _, o := range olds {
		for _, n := range news {
			c := candidate{
				Pair:     Pair{o, n},
				sameName: path.Base(f.before[o].Path) == path.Base(f.after[n].Path),
			}
			a, b := f.before[o].Resources, f.after[n].Resources
			if len(a) > 0 && len(b) > 0 {
				if c.resources = common(a, b); c.resources == 0 {
					continue
				}
			}
			c.lines = oldLines[o].common(newLines[n])
			if c.resources >= half || c.lines >= half {
				candidates = append(candidates, c)
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.resources, a.resources), cmp.Compare(b.lines, a.lines),
			first(a.sameName, b.sameName), cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New))
	})
	for _, c := range candidates {
		if !f.usedOld[c.Old] && !f.usedNew[c.New] {
			f.take(c.Pair)
		}
	}
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

// common returns the share of the names in the longer of two lists that the other one has, too.
func common(a, b []string) float64 {
	counts := map[string]int{}
	for _, name := range a {
		counts[name]++
	}
	shared := 0
	for _, name := range b {
		if counts[name] > 0 {
			counts[name]--
			shared++
		}
	}
	return float64(shared) / float64(max(len(a), len(b)))
}

// fileLines are the lines of a file that are not blank, as hashes with their total lengths.
type fileLines struct {
	size  int
	bytes map[uint64]int
}

func linesOf(seed maphash.Seed, files []LoneFile, indexes []int) map[int]fileLines {
	all := map[int]fileLines{}
	for _, i := range indexes {
		l := fileLines{bytes: map[uint64]int{}}
		for line := range bytes.Lines(files[i].Data) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				l.size += len(line)
				l.bytes[maphash.Bytes(seed, line)] += len(line)
			}
		}
		all[i] = l
	}
	return all
}

// common returns the share of the larger file, in bytes, that is in lines of both.
func (l fileLines) common(other fileLines) float64 {
	if len(l.bytes) > len(other.bytes) {
		l, other = other, l
	}
	larger, smaller := max(l.size, other.size), min(l.size, other.size)
	if larger == 0 || float64(smaller) < half*float64(larger) {
		return 0
	}
	shared := 0
	for hash, n := range l.bytes {
		shared += min(n, other.bytes[hash])
	}
	return float64(shared) / float64(larger)
}
