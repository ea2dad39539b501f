package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// The number of resources of a file that are compared, and of the changes made to each.
const (
	resourcesOfFile = 200
	changesOfEach   = 8
)

// changedTexts returns the resources of a file, unchanged and with a line changed as people might:
// deleted, duplicated, indented, or with another key or value.
func changedTexts(file string, text []byte) ([]manifest, error) {
	docs, err := gaby.ParseAll(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	step := max(1, len(docs)/resourcesOfFile)
	var all []manifest
	for i := 0; i < len(docs); i += step {
		if docs[i].Check() != nil || !docs[i].ExistsP("metadata.name") || !docs[i].ExistsP("kind") {
			continue
		}
		original := docs[i].Bytes()
		all = append(all, manifest{
			text:   string(original),
			change: fmt.Sprintf("%s: document %d", file, i+1),
		})
		for range changesOfEach {
			m := changedLine(original, random)
			m.change = fmt.Sprintf("%s: document %d: %s", file, i+1, m.change)
			all = append(all, m)
		}
	}
	return all, nil
}

var entry = regexp.MustCompile(`^(\s*(?:- )?)([\w.]+)(:\s*)(.*)$`)

func changedLine(text []byte, random *rand.Rand) manifest {
	lines := bytes.SplitAfter(text, []byte("\n"))
	for range 100 {
		i := random.IntN(len(lines))
		line := bytes.TrimRight(lines[i], "\r\n")
		parts := entry.FindSubmatch(line)
		if parts == nil {
			continue
		}
		change, changed := changedEntry(parts, random)
		if change == "" {
			continue
		}
		result := bytes.Join(append(append([][]byte{}, lines[:i]...),
			append([][]byte{[]byte(changed)}, lines[i+1:]...)...), nil)
		doc, err := gaby.ParseYAML(result)
		if err != nil || !doc.ExistsP("metadata.name") || !doc.ExistsP("kind") ||
			!doc.ExistsP("apiVersion") {
			continue // not a resource any more
		}
		return manifest{text: string(result), change: fmt.Sprintf("line %d: %s", i+1, change)}
	}
	return manifest{text: string(text), change: "none"}
}

func changedEntry(parts [][]byte, random *rand.Rand) (change, line string) {
	indent, key, colon, value := string(parts[1]), string(parts[2]), string(parts[3]),
		string(parts[4])
	whole := indent + key + colon + value + "\n"
	switch random.IntN(8) {
	case 0:
		return "left out", ""
	case 1:
		return "twice", whole + whole
	case 2:
		return "moved", "  " + whole
	case 3:
		return "another key", indent + key + "x" + colon + value + "\n"
	case 4:
		return "a key in another case",
			indent + string(bytes.ToUpper([]byte(key[:1]))) + key[1:] + colon + value + "\n"
	}
	if value == "" {
		return "", ""
	}
	values := []string{"5", `"5"`, "yes", "null", "1.5", "true", "{}", "[]", "text", `""`, "0755"}
	value = values[random.IntN(len(values))]
	return "value " + value, indent + key + colon + value + "\n"
}
