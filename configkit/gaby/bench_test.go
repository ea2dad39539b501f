package gaby_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// These are the benchmarks of `make bench`: the speed of gaby on a stream of resources in MB/s,
// compared with yaml.v3 and with a plain copy.

// workloads returns the texts to measure: our own, and that of ../shared/bench if it is present.
func workloads(tb testing.TB, resources int) map[string][]byte {
	all := map[string][]byte{"own": workload(resources)}
	dir, err := filepath.Abs("../../../shared/bench/gen")
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		return all
	}
	bin, file := filepath.Join(tb.TempDir(), "gen"), filepath.Join(tb.TempDir(), "res.yaml")
	if out, err := exec.Command("go", "build", "-C", dir, "-o", bin,
		".").CombinedOutput(); err != nil {
		tb.Fatalf("build %s: %v\n%s", dir, err, out)
	}
	if out, err := exec.Command(bin, "-n", strconv.Itoa(resources), "-file",
		file).CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v\n%s", bin, err, out)
	}
	if all["shared"], err = os.ReadFile(file); err != nil {
		tb.Fatal(err)
	}
	return all
}

func plainCopy(tb testing.TB, text []byte) { sink = bytes.Clone(text) }

var sink []byte // keeps the compiler from removing the work

func split(tb testing.TB, text []byte) gaby.Container {
	c, err := gaby.ParseAll(text)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func peek(tb testing.TB, text []byte) {
	for _, d := range split(tb, text) {
		if h, err := d.Header(); err != nil || h.Kind == "" {
			tb.Fatalf("header %+v, %v", h, err)
		}
	}
}

func scan(tb testing.TB, text []byte) {
	for _, d := range split(tb, text) {
		if err := d.Check(); err != nil {
			tb.Fatal(err)
		}
	}
}

func scanEditPrint(tb testing.TB, text []byte) {
	c := split(tb, text)
	for _, d := range c {
		if err := d.Check(); err != nil {
			tb.Fatal(err)
		}
		if _, err := d.Set("edited", "metadata", "name"); err != nil {
			tb.Fatal(err)
		}
	}
	sink = c.Bytes()
}

func yamlDecode(tb testing.TB, text []byte) {
	eachNode(tb, text, func(*yaml.Node) {})
}

func yamlDecodeEncode(tb testing.TB, text []byte) {
	var out bytes.Buffer
	out.Grow(len(text))
	eachNode(tb, text, func(doc *yaml.Node) {
		nodeAt(doc.Content[0], []string{"metadata", "name"}).Value = "edited"
		out.WriteString("---\n")
		enc := yaml.NewEncoder(&out) // one per document: a reused one is quadratic
		enc.SetIndent(2)
		if err := enc.Encode(doc); err != nil {
			tb.Fatal(err)
		}
		if err := enc.Close(); err != nil {
			tb.Fatal(err)
		}
	})
	sink = out.Bytes()
}

func eachNode(tb testing.TB, text []byte, f func(*yaml.Node)) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			tb.Fatal(err)
		}
		f(&doc)
	}
}

// benchWork is the work to measure, cheapest first.
var benchWork = []struct {
	Name string
	Run  func(testing.TB, []byte)
}{
	{"copy", plainCopy},
	{"split", func(tb testing.TB, text []byte) { split(tb, text) }},
	{"peek", peek},
	{"scan", scan},
	{"scan+edit+print", scanEditPrint},
	{"yaml.v3-decode", yamlDecode},
	{"yaml.v3-decode+encode", yamlDecodeEncode},
}

func BenchmarkDocument(b *testing.B) {
	texts := workloads(b, 1000)
	for _, name := range sortedKeys(texts) {
		for _, w := range benchWork {
			b.Run(name+"/"+w.Name, func(b *testing.B) {
				b.SetBytes(int64(len(texts[name])))
				b.ReportAllocs()
				for b.Loop() {
					w.Run(b, texts[name])
				}
			})
		}
	}
}

// BenchmarkRatios measures each work in turn on one core and reports how much faster gaby is. The
// targets (design.md, section 7) are peek-x at least 20 (against decoding) and edit-x at least 8
// (against decode+encode).
func BenchmarkRatios(b *testing.B) {
	texts := workloads(b, 1000)
	for _, name := range sortedKeys(texts) {
		b.Run(name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			text := texts[name]
			best := map[string]time.Duration{}
			for b.Loop() {
				for _, w := range benchWork {
					runtime.GC() // no measurement pays for the garbage of another
					start := time.Now()
					w.Run(b, text)
					if took := time.Since(start); best[w.Name] == 0 || took < best[w.Name] {
						best[w.Name] = took
					}
				}
			}
			ratio := func(slow,
				fast string,
			) float64 {
				return float64(best[slow]) / float64(best[fast])
			}
			b.ReportMetric(ratio("yaml.v3-decode", "peek"), "peek-x")
			b.ReportMetric(ratio("yaml.v3-decode", "scan"), "scan-x")
			b.ReportMetric(ratio("yaml.v3-decode+encode", "scan+edit+print"), "edit-x")
			b.ReportMetric(ratio("scan+edit+print", "copy"), "edit/copy")
			b.ReportMetric(0, "ns/op")
		})
	}
}
