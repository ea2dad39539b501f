package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
)

// TestServeFindings asks for findings: of validations, failures and notes, and of data that cannot be
// read.
func TestServeFindings(t *testing.T) {
	s := serve(t, "")
	bad := strings.Replace(servedWeb, "1 # for now", `"1"`, 1)
	for _, c := range []struct {
		data, function string
		arguments      []any
		status         int
		want           []string
	}{
		{bad, "vet-schemas", nil, 200, []string{
			`6:13 error vet-schemas expected integer, got "1"; remove the quotes`,
			"6:3 error vet-schemas selector is required", "6:3 error vet-schemas template is required",
		}},
		{servedWeb, "set-hostname", []any{"x"}, 200, []string{" note set-hostname nothing matched"}},
		{servedWeb, "set-replicas", []any{"x"}, 200, []string{
			` error set-replicas argument replicas: value "x" is not an integer`,
		}},
		{servedWeb, "get-replicas", nil, 200, nil},
		{"a: 1\nb: [\n", "get-replicas", nil, 400, []string{"2:4 error  unclosed ["}},
	} {
		var answer struct {
			Findings []api.Finding // JSON has them as findings in problems
		}
		r := request(c.data, c.function, c.arguments...)
		r.RecordFindings = true
		body, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.Post(s.url+"/function/kubernetes", "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(response.Body).Decode(&answer)
		if err != nil || response.StatusCode != c.status {
			t.Errorf("%s: %v, %s", c.function, err, response.Status)
		}
		_ = response.Body.Close() // it has been read
		var got []string
		for _, f := range answer.Findings {
			got = append(got, fmt.Sprintf("%s %s %s %s", f.Position, f.Level, f.Function, f.Message))
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.function, got, c.want)
		}
		// Nobody gets them without asking.
		r.RecordFindings = false
		if body, err = json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		if response, err = http.Post(s.url+"/function/kubernetes", "application/json", strings.NewReader(string(body))); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil || strings.Contains(strings.ToLower(string(text)), `"findings"`) {
			t.Errorf("%s: %v, %s", c.function, err, text)
		}
		_ = response.Body.Close() // it has been read
	}
}

// TestServePage has what protects the page, which needs no token, and the files of which it consists.
func TestServePage(t *testing.T) {
	token := t.TempDir() + "/token"
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "secret", "--token-file", token)
	get := func(path, tag string) (*http.Response, string) {
		r, err := http.NewRequest(http.MethodGet, s.url+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("If-None-Match", tag)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response, string(text)
	}
	nonces := map[string]bool{}
	for range 2 {
		response, text := get("/", "")
		policy := response.Header.Get("Content-Security-Policy")
		nonce := regexp.MustCompile(`'nonce-(\w{26})'`).FindStringSubmatch(policy)
		if nonce == nil || strings.Contains(policy, "unsafe") || !strings.Contains(text, `content="`+nonce[1]+`"`) {
			t.Fatalf("%s\n%s", policy, text)
		}
		nonces[nonce[1]] = true
		for _, m := range regexp.MustCompile(`(?:href|src)="(page/[^"]+)"`).FindAllStringSubmatch(text, -1) {
			response, _ := get("/"+m[1], "")
			tag := response.Header.Get("ETag")
			if response.StatusCode != http.StatusOK || tag == "" || response.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %s %v", m[1], response.Status, response.Header)
			}
			if response, _ := get("/"+m[1], tag); response.StatusCode != http.StatusNotModified {
				t.Errorf("%s: %s", m[1], response.Status)
			}
		}
	}
	if len(nonces) != 2 {
		t.Error("two pages have the same nonce")
	}
	for path, status := range map[string]int{
		"/page/": 404, "/page/none.js": 404, "/page/page.go": 404, "/page/%2e%2e/page.go": 404,
		"/about": 401, "/workspace/graph": 401,
	} {
		if response, text := get(path, ""); response.StatusCode != status {
			t.Errorf("%s: %s %.99s", path, response.Status, text)
		}
	}
}
