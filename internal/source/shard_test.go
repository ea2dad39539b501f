package source

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{
		"1/1": {0, 1}, "0/1": {0, 1}, "1/4": {1, 4}, "4/4": {0, 4}, "0/4": {0, 4}, "3/4": {3, 4},
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := ParseShard(text); err != nil || got != want {
				t.Errorf("%s: %v, %v", text, got, err)
			}
		})
	}
	for _, text := range []string{
		"", "1", "1/", "/2", "5/4", "-1/4", "1/0", "a/b", "1/2/3",
		"1/999999999",
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := ParseShard(text); err == nil {
				t.Errorf("%q is %v", text, got)
			}
		})
	}
}

// TestShards checks that the union of the shards is the whole, that nothing is in two, that the
// order of the list does not matter, and that the shards are of about equal size.
func TestShards(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		names := make([]string, 1+random.IntN(400))
		sizes := make([]int64, len(names))
		size := map[string]int64{}
		var total, largest int64
		for i := range names {
			names[i] = fmt.Sprintf("dir%d/file%d.yaml", random.IntN(9), i)
			sizes[i] = random.Int64N(20_000)
			size[names[i]] = sizes[i] + perFile
			total += size[names[i]]
			largest = max(largest, size[names[i]])
		}
		n := 1 + random.IntN(9)
		seen := map[string]int{}
		for i := range n {
			shard, err := ParseShard(fmt.Sprintf("%d/%d", i+1, n))
			if err != nil {
				t.Fatal(err)
			}
			var load int64
			for at, selected := range shard.Select(names, sizes) {
				if selected {
					seen[names[at]]++
					load += size[names[at]]
				}
			}
			if limit := total/int64(n) + largest; load > limit {
				t.Errorf("shard %d of %d has %d of %d bytes", i, n, load, total)
			}
			other, otherSizes := slices.Clone(names), slices.Clone(sizes)
			random.Shuffle(len(other), func(a, b int) {
				other[a], other[b] = other[b], other[a]
				otherSizes[a], otherSizes[b] = otherSizes[b], otherSizes[a]
			})
			var first, second []string
			for at, selected := range shard.Select(names, sizes) {
				if selected {
					first = append(first, names[at])
				}
			}
			for at, selected := range shard.Select(other, otherSizes) {
				if selected {
					second = append(second, other[at])
				}
			}
			slices.Sort(first)
			slices.Sort(second)
			if !slices.Equal(first, second) {
				t.Error("the order of the list matters")
			}
		}
		for _, name := range names {
			if seen[name] != 1 {
				t.Fatalf("%s is in %d shards", name, seen[name])
			}
		}
	}
}
