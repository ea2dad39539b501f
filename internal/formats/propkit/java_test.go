package propkit_test

import (
	"encoding/base64"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/propkit"
)

// loadWithJava reads one text per line and prints its keys and values on one line, all in base64.
const loadWithJava = `
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

public class Load {
	static String encoded(String s) {
		return Base64.getEncoder().encodeToString(s.getBytes(StandardCharsets.UTF_8));
	}
	public static void main(String[] args) throws Exception {
		for (Scanner in = new Scanner(System.in); in.hasNextLine(); ) {
			Properties p = new Properties();
			byte[] text = Base64.getDecoder().decode(in.nextLine());
			p.load(new StringReader(new String(text, StandardCharsets.UTF_8)));
			StringBuilder line = new StringBuilder();
			for (String key : p.stringPropertyNames()) {
				line.append(encoded(key)).append(':').append(encoded(p.getProperty(key))).append(' ');
			}
			System.out.println(line);
		}
	}
}
`

// TestJava compares random texts, as they are and with one value changed, with what Java's
// Properties.load reads.
func TestJava(t *testing.T) {
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("there is no java to compare with")
	}
	program := filepath.Join(t.TempDir(), "Load.java")
	if err := os.WriteFile(program, []byte(loadWithJava), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(java, program).CombinedOutput(); err != nil {
		t.Skipf("this java runs no source: %s", out)
	}

	r := rand.New(rand.NewPCG(1, 2))
	var texts []string
	var want []map[string]string
	var in strings.Builder
	add := func(text string, data any) {
		texts, want = append(texts, text), append(want, formattest.Leaves(data))
		in.WriteString(base64.StdEncoding.EncodeToString([]byte(text)) + "\n")
	}
	for range 1000 {
		text := generate(r.IntN)
		docs, err := propkit.Converter{}.NativeToDocuments([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		add(text, docs[0].Data())
		key := formattest.Pick(r.IntN, "a", "list", "k.l.m", "new", "x y", "key=", "#k")
		value := formattest.Pick(r.IntN, "", "x", " lead", "trail ", "a # b", "# a", "! a", "=a",
			"a\nb\r\tc\f", `C:\dir\`, "é😀", "a: b = c", "\\u0041", "\x00\x7f\u2028")
		if _, err := docs[0].Set(value, strings.Split(key, ".")...); err != nil {
			continue
		}
		after, err := propkit.Converter{}.DocumentsToNative(docs)
		if err != nil {
			t.Fatalf("%s = %q in\n%s\n%v", key, value, text, err)
		}
		add(string(after), docs[0].Data())
	}
	cmd := exec.Command(java, program)
	cmd.Stdin, cmd.Stderr = strings.NewReader(in.String()), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	decoded := func(s string) string {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	lines := strings.SplitAfter(string(out), "\n")
	for i, text := range texts {
		have := map[string]string{}
		for entry := range strings.FieldsSeq(lines[i]) {
			key, value, _ := strings.Cut(entry, ":")
			have[decoded(key)] = decoded(value)
		}
		if diff := cmp.Diff(have, want[i]); diff != "" {
			t.Fatalf("(-java +fctl)\n%s\n%s", diff, text)
		}
	}
}
