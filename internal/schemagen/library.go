package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// library is the content of the file. Each version has what was added in it or in an earlier one.
type library struct {
	versions    []string
	kinds       map[string]history // resource types -> names of definitions
	definitions map[string]history // names -> schemas
}

// history maps a release to the value from that release on; null means removed.
type history []state

type state struct {
	from string // a minor version
	text string // JSON
}

func (h history) last() string {
	if len(h) == 0 {
		return "null"
	}
	return h[len(h)-1].text
}

// object returns the history as a JSON object from versions to values.
func (h history) object() json.RawMessage {
	b := []byte("{")
	for i, s := range h {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "%q:%s", s.from, s.text)
	}
	return append(b, '}')
}

func (l *library) add(version string, definitions map[string]*schema) {
	if l.definitions == nil {
		l.kinds, l.definitions = map[string]history{}, map[string]history{}
	}
	l.versions = append(l.versions, version)
	from := minor(version)
	kinds := map[string]string{}
	texts := map[string]string{}
	for name, s := range definitions {
		text, err := json.Marshal(s)
		if err != nil {
			panic(err) // every field can be marshalled
		}
		texts[name] = string(text)
		for _, k := range s.Kinds {
			t := k.Version + "/" + k.Kind
			if k.Group != "" {
				t = k.Group + "/" + t
			}
			kinds[t] = fmt.Sprintf("%q", name)
		}
	}
	record(l.definitions, from, texts)
	record(l.kinds, from, kinds)
}

// record adds the values that differ from those of the last version.
func record(histories map[string]history, from string, now map[string]string) {
	for name, text := range now {
		if histories[name].last() != text {
			histories[name] = append(histories[name], state{from, text})
		}
	}
	for name, h := range histories {
		if _, ok := now[name]; !ok && h.last() != "null" {
			histories[name] = append(h, state{from, "null"})
		}
	}
}

// zip makes the file: versions.json, kinds.json, and a file for each package of definitions.
func (l *library) zip() ([]byte, error) {
	packages := map[string]map[string]json.RawMessage{}
	for name, h := range l.definitions {
		dot := strings.LastIndexByte(name, '.')
		of := packages[name[:dot]]
		if of == nil {
			of = map[string]json.RawMessage{}
			packages[name[:dot]] = of
		}
		of[name[dot+1:]] = h.object()
	}
	kinds := map[string]json.RawMessage{}
	for t, h := range l.kinds {
		kinds[t] = h.object()
	}
	all := []packedFile{{"versions", l.versions}, {"kinds", kinds}}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		all = append(all, packedFile{name, packages[name]})
	}
	return pack(all)
}

// packedFile is a file of an archive, without .json.
type packedFile struct {
	name  string
	value any
}

// pack makes an archive of files in JSON.
func pack(all []packedFile) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, e := range all {
		w, err := z.Create(e.name + ".json")
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(e.value) // sorts the keys of maps
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(text); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
