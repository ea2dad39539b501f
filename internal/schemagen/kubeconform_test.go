package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// kubeconform is the program to compare with. It is built for a comparison and is not part of the
// project.
const kubeconform = "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0"

// large is the size in bytes from which on the programs are timed with a file.
const large = 1 << 20

// TestKubeconform lets fctl and kubeconform check the same manifests: those generated from the
// schemas and those in files, both unchanged and changed. Every difference must be a known one. It
// also logs how long each program takes for a large file. `make compare-schemas` runs it: FCTL is
// the program, FILES the files.
func TestKubeconform(t *testing.T) {
	fctl, files := os.Getenv("FCTL"), strings.Fields(os.Getenv("FILES"))
	if fctl == "" {
		t.Skip("FCTL is not set: make compare-schemas compares fctl with kubeconform")
	}
	dir := t.TempDir()
	install := exec.Command("go", "install", kubeconform)
	install.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-trimpath")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", kubeconform, err, out)
	}
	newest := versions()[len(versions())-1]
	definitions, err := read(newest)
	if err != nil {
		t.Fatal(err)
	}
	schemas := filepath.Join(dir, "schemas")
	if err := writeStandalone(definitions, schemas); err != nil {
		t.Fatal(err)
	}
	c := comparison{
		t: t,
		fctl: func(args ...string) *exec.Cmd {
			return exec.Command(fctl, append([]string{"do", "--show-secrets"}, args...)...)
		},
		strict: func(args ...string) *exec.Cmd {
			location := filepath.Join(schemas, "{{.ResourceKind}}{{.KindSuffix}}.json")
			return exec.Command(filepath.Join(dir, "kubeconform"),
				append([]string{"-strict", "-ignore-missing-schemas", "-schema-location", location},
					args...)...)
		},
	}
	all := manifests(definitions)
	var timed []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found, err := changedTexts(file, text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
		if len(text) >= large {
			timed = append(timed, file)
		}
	}
	if err := c.verdicts(filepath.Join(dir, "manifests"), all); err != nil {
		t.Fatal(err)
	}
	for _, file := range timed {
		if err := c.times(file); err != nil {
			t.Fatal(err)
		}
	}
}

// comparison runs the two programs.
type comparison struct {
	t            *testing.T
	fctl, strict func(args ...string) *exec.Cmd
}

// verdicts compares the results of the programs for each manifest.
func (c comparison) verdicts(dir string, all []manifest) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for i, m := range all {
		if err := os.WriteFile(fileOf(dir, i), []byte(m.text), 0o644); err != nil {
			return err
		}
	}
	ours, err := c.findings(dir)
	if err != nil {
		return err
	}
	theirs, skipped, err := c.invalid(dir)
	if err != nil {
		return err
	}
	known, unknown, invalid := map[string]int{}, 0, 0
	for i, m := range all {
		file := fileOf(dir, i)
		us, them := ours[file], theirs[file]
		if them != "" {
			invalid++
		}
		if (us == "") == (them == "") {
			continue
		}
		if skipped[file] {
			known["a type that kubeconform has no schema of"]++
			continue
		}
		if why := knownDifference(us, them, m.text); why != "" {
			known[why]++
			continue
		}
		unknown++
		c.t.Logf("--- %s\nfctl: %s\nkubeconform: %s\n%s\n", m.change, cmp.Or(us, "valid"),
			cmp.Or(them, "valid"), m.text)
	}
	c.t.Logf("%d manifests, %d of them invalid to kubeconform -strict\n", len(all), invalid)
	reasons := make([]string, 0, len(known))
	for why, n := range known {
		reasons = append(reasons, fmt.Sprintf("%4d %s", n, why))
	}
	slices.Sort(reasons)
	for _, r := range reasons {
		c.t.Log(r)
	}
	if unknown > 0 {
		return fmt.Errorf("%d verdicts differ for no known reason", unknown)
	}
	return nil
}

// knownDifference returns why fctl and kubeconform disagree about a manifest, "" if the difference
// is not a known one. One of the two messages is empty.
func knownDifference(us, them, manifest string) string {
	for _, known := range []struct {
		us, them string
		manifest string // a regular expression
		why      string
	}{
		{us: "is not one of", why: "a value that is not among those the server knows, which " +
			"OpenAPI does not list"},
		{us: "does not fit int32", why: "an integer that does not fit int32, which the server " +
			"refuses"},
		{
			us:  "is not a valid quantity",
			why: "text that is not a quantity, which is any string to OpenAPI",
		},
		{
			manifest: `(?m)^\s*(- )?\$patch: `,
			why:      "a strategic merge patch, which is not a whole resource to fctl",
		},
		{us: "is not a valid byte", why: "text that is not base64, a format JSON Schema does " +
			"not know"},
		{
			us:  "Kubernetes " + minor(versions()[len(versions())-1]) + " has no",
			why: "a kind in the wrong case, which kubeconform does not notice",
		},
		{us: "openAPIV3Schema", why: "a wrong schema in a CustomResourceDefinition, which is any " +
			"object to OpenAPI"},
		{them: "missing 'kind' key", why: "a document without kind, which is not a resource " +
			"to fctl"},
		{
			them: "missing 'apiVersion' key",
			why:  "a document without apiVersion, which is not a resource to fctl",
		},
		{
			them: "into Go struct field .Kind",
			why:  "a document without kind, which is not a resource to fctl",
		},
		{
			them: "into Go struct field .APIVersion",
			why:  "a document without apiVersion, which is not a resource to fctl",
		},
		{
			them: "into Go struct field .Metadata",
			why: "metadata that is not a map, of a type without schema or of a document that is " +
				"not a resource to fctl",
		},
		{
			them: "unsupported value", manifest: `(?m)^(apiVersion|kind): ("?\d|true|yes|""|\{|\[)`,
			why: "a number that JSON does not have, in a document that is not a resource to fctl",
		},
		{
			them: "already set in map", manifest: "<<:",
			why: "a key that goes before one of the map that << brings, which YAML allows and " +
				"kubectl takes",
		},
		{
			them: "invalid map key", manifest: `(?m)^(apiVersion|kind): ["\d]`,
			why: "a key that is not a name, of a document that is not a resource to fctl",
		},
	} {
		if (us == "") == (known.us == "") && strings.Contains(us, known.us) &&
			strings.Contains(them, known.them) &&
			regexp.MustCompile(known.manifest).MatchString(manifest) {
			return known.why
		}
	}
	return ""
}

func fileOf(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("%05d.yaml", i)) }

// findings returns the first finding of fctl for each file.
func (c comparison) findings(dir string) (map[string]string, error) {
	out, err := c.fctl("-f", dir, "vet-schemas", "--report", "json").Output()
	var report struct {
		Findings []struct {
			File, Path, Message string
			Unchecked           int
		}
	}
	if jsonErr := json.Unmarshal(out, &report); jsonErr != nil {
		return nil, errors.Join(err, jsonErr)
	}
	first := map[string]string{}
	for _, f := range report.Findings {
		if f.Unchecked == 0 {
			first[f.File] = cmp.Or(first[f.File], f.Path+": "+f.Message)
		}
	}
	return first, nil
}

// invalid returns the message of kubeconform for each invalid file, and the files it skips.
func (c comparison) invalid(dir string) (first map[string]string, skipped map[string]bool,
	err error,
) {
	out, err := c.strict("-verbose", "-output", "json", dir).Output()
	var report struct {
		Resources []struct{ Filename, Status, Msg string }
	}
	if jsonErr := json.Unmarshal(out, &report); jsonErr != nil {
		return nil, nil, errors.Join(err, jsonErr)
	}
	first, skipped = map[string]string{}, map[string]bool{}
	for _, r := range report.Resources {
		skipped[r.Filename] = skipped[r.Filename] || r.Status == "statusSkipped"
		// Results come in any order, and an empty document has no status.
		if r.Status == "statusInvalid" || r.Status == "statusError" {
			if msg := cmp.Or(r.Msg, r.Status); first[r.Filename] == "" || msg < first[r.Filename] {
				first[r.Filename] = msg
			}
		}
	}
	return first, skipped, nil
}

// times prints how long each program takes for a file: the best of a few runs, alternating between
// the programs.
func (c comparison) times(file string) error {
	best := [2]time.Duration{1 << 62, 1 << 62}
	for range 5 {
		for i, cmd := range []*exec.Cmd{c.fctl(file, "unit", "vet-schemas"), c.strict(file)} {
			start := time.Now()
			var out bytes.Buffer
			cmd.Stderr = &out
			err := cmd.Run()
			if _, exited := err.(*exec.ExitError); err != nil && !exited {
				return err
			}
			best[i] = min(best[i], time.Since(start))
		}
	}
	c.t.Logf("%s: fctl %v, kubeconform %v, %.1f times as long", file, best[0], best[1],
		float64(best[1])/float64(best[0]))
	return nil
}
