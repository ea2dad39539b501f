package source

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Shard is one of several equal parts of a list of files, which different machines work on. The
// zero Shard is the whole list.
type Shard struct{ index, count int }

// maxShards is more machines than anybody has.
const maxShards = 100_000

// ParseShard reads I/N: part I of N. The parts are counted from 1. Part 0 is the same as part N, so
// that a count from 0, such as the index of a pod of a Job, works as well.
func ParseShard(text string) (Shard, error) {
	first, second, _ := strings.Cut(text, "/")
	i, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil || n < 1 || n > maxShards || i < 0 || i > n {
		return Shard{}, errors.New("I/N with I from 1 to N is expected")
	}
	return Shard{index: i % n, count: n}, nil
}

// IsWhole reports whether the shard is the whole list.
func (s Shard) IsWhole() bool { return s.count <= 1 }

// perFile is what a file costs in addition to its bytes.
const perFile = 512

// Select reports for each name whether it belongs to the shard. Every name belongs to exactly one
// of the shards, which depends only on the names and sizes: the largest goes first, and each goes
// to the shard that has the least so far.
func (s Shard) Select(names []string, sizes []int64) []bool {
	selected := make([]bool, len(names))
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(names[a], names[b]))
	})
	if s.IsWhole() {
		for i := range selected {
			selected[i] = true
		}
		return selected
	}
	loads := newLoads(s.count)
	for _, i := range order {
		selected[i] = loads.add(sizes[i]+perFile) == s.index
	}
	return selected
}

// loads is a heap of shards, the one with the least load first.
type loads struct {
	load  []int64
	shard []int
}

func newLoads(n int) *loads {
	l := &loads{load: make([]int64, n), shard: make([]int, n)}
	for i := range n {
		l.shard[i] = i
	}
	return l
}

// less orders by load, and equal loads by number.
func (l *loads) less(i, j int) bool {
	return l.load[i] < l.load[j] || l.load[i] == l.load[j] && l.shard[i] < l.shard[j]
}

// add gives a load to the first shard, and returns its number.
func (l *loads) add(load int64) int {
	shard := l.shard[0]
	l.load[0] += load
	for i := 0; ; {
		least := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(l.load) && l.less(child, least) {
				least = child
			}
		}
		if least == i {
			return shard
		}
		l.load[i], l.load[least] = l.load[least], l.load[i]
		l.shard[i], l.shard[least] = l.shard[least], l.shard[i]
		i = least
	}
}

// Keep leaves only the files that belong to a shard in Files. Files whose size is not known count
// as empty.
func (f *Found) Keep(s Shard) {
	if s.IsWhole() {
		return
	}
	names, sizes := make([]string, len(f.Files)), make([]int64, len(f.Files))
	for i, file := range f.Files {
		names[i] = file.Path
		if info, err := os.Stat(file.Path); err == nil {
			sizes[i] = info.Size()
		}
	}
	selected := s.Select(names, sizes)
	f.all, f.Files = f.Files, nil
	for i, file := range f.all {
		if selected[i] {
			f.Files = append(f.Files, file)
		}
	}
}
