package limit

import (
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

const (
	// mostMemory is the most that expressions may take by default.
	mostMemory = 8 << 30
	// otherwise is the memory of a machine that does not say how much it has.
	otherwise = 8 << 30
)

// defaultMemory returns half of the memory of the machine or of the container, whichever is less.
func defaultMemory() int64 {
	have := min(machineMemory("/proc/meminfo"), containerMemory("/proc/self/cgroup",
		"/sys/fs/cgroup"), addressSpace())
	if have == math.MaxInt64 {
		have = otherwise
	}
	return min(have/2, mostMemory)
}

// machineMemory returns the memory of a Linux machine in bytes, or [math.MaxInt64].
func machineMemory(file string) int64 {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "MemTotal:" {
			if kib, err := strconv.ParseInt(words[1], 10, 64); err == nil && kib > 0 {
				return kib << 10
			}
		}
	}
	return math.MaxInt64
}

// containerMemory returns the least limit of the cgroup that membership names and of those above
// it, or [math.MaxInt64]. Both versions of cgroups are below root. A container may see its own
// group at the root.
func containerMemory(membership, root string) int64 {
	text, _ := os.ReadFile(membership)
	least := int64(math.MaxInt64)
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		dir, file := root, "memory.max"
		if parts[0] != "0" {
			dir, file = path.Join(root, "memory"), "memory.limit_in_bytes"
		}
		if parts[0] != "0" && !strings.Contains(","+parts[1]+",", ",memory,") {
			continue
		}
		for group := path.Join("/", parts[2]); ; group = path.Dir(group) {
			limit, _ := os.ReadFile(path.Join(dir, group, file))
			// "max" and an unlimited group of version 1 mean that there is none
			n, err := strconv.ParseInt(strings.TrimSpace(string(limit)), 10, 64)
			if err == nil && n > 0 {
				least = min(least, n)
			}
			if group == "/" {
				break
			}
		}
	}
	return least
}
