package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestServeAnswers sends the requests of testdata/http. A file has a request.json, to which the test
// adds the files data and live as ConfigData and LiveState, and the answer: its status and its JSON
// with what is base64 decoded, and the data after the chain. UPDATE_HTTP=1 writes the answers.
func TestServeAnswers(t *testing.T) {
	s := serve(t, "")
	names, err := filepath.Glob("testdata/http/*.txtar")
	if err != nil || len(names) < 17 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			request, want := map[string]any{}, map[string]string{}
			given := &txtar.Archive{}
			for _, f := range archive.Files {
				switch f.Name {
				case "request.json":
					if err := json.Unmarshal(f.Data, &request); err != nil {
						t.Fatal(err)
					}
				case "data":
					request["ConfigData"] = f.Data
				case "live":
					request["LiveState"] = f.Data
				default:
					want[f.Name] = string(f.Data)
					continue
				}
				given.Files = append(given.Files, f)
			}
			got := answerOf(t, s.url, request)
			if os.Getenv("UPDATE_HTTP") != "" {
				for _, name := range []string{"answer.json", "after"} {
					if text, ok := got[name]; ok {
						given.Files = append(given.Files, txtar.File{Name: name, Data: []byte(text)})
					}
				}
				if err := os.WriteFile(name, txtar.Format(given), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("the answer (-want +got):\n%s", d)
			}
		})
	}
}

// answerOf sends a request, and returns the files that describe the answer.
func answerOf(t *testing.T, url string, request map[string]any) map[string]string {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(url+"/function/kubernetes", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // it has been read
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	if text, ok := answer["ConfigData"].(string); ok {
		files["after"] = string(decoded(t, text))
		if before, _ := request["ConfigData"].([]byte); files["after"] == string(before) {
			files["after"] = "the same\n"
		}
		delete(answer, "ConfigData")
	}
	delete(answer, "DataHash")
	if text, ok := answer["Output"].(string); ok {
		answer["Output"] = json.RawMessage(decoded(t, text))
	}
	if outputs, ok := answer["Outputs"].(map[string]any); ok {
		for name, text := range outputs {
			outputs[name] = json.RawMessage(decoded(t, fmt.Sprint(text)))
		}
	}
	answer["status"] = response.StatusCode
	text, err := json.MarshalIndent(answer, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	files["answer.json"] = string(text) + "\n"
	return files
}

// decoded decodes a text of base64.
func decoded(t *testing.T, text string) []byte {
	t.Helper()
	var value []byte
	if err := json.Unmarshal([]byte(`"`+text+`"`), &value); err != nil {
		t.Fatal(err)
	}
	return value
}
