package gaby_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Keys of more than 1,000 bytes are unsupported, on the fast path as well.
func TestLongKeys(t *testing.T) {
	for _, value := range []string{" v\n", "\n  a: 1\n"} {
		t.Run(value, func(t *testing.T) {
			for n, unsupported := range map[int]bool{1000: false, 1001: true} {
				doc, err := gaby.ParseYAML([]byte(
					"a: 1\n" + strings.Repeat("k", n) + ":" + value +
						"z: 1\n"))
				if err == nil && (gaby.Unsupported(doc) != nil) != unsupported ||
					err != nil && !unsupported {
					t.Errorf("%d bytes, %q: %v", n, value, err)
				}
			}
		})
	}
}

// yaml.v3 reads a document after "..." that begins with a byte order mark.
func TestByteOrderMarkAfterEndOfDocument(t *testing.T) {
	docs, err := gaby.ParseAll([]byte("a: 1\n...\n\xef\xbb\xbfb: 2\n"))
	if err != nil || len(docs) != 2 {
		t.Fatal(len(docs), err)
	}
	if err := docs[0].Check(); err != nil {
		t.Error(err)
	}
	if err := docs[1].Check(); err != nil || docs[1].Path("b").Value().Text() != "2" {
		t.Error(err, docs[1].Data())
	}
}
