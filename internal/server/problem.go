package server

import (
	"encoding/json"
	"net/http"
)

// The types of what the server returns.
const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
)

// problem returns the answer to a request that cannot be served, as RFC 9457 has it. Older clients
// read the member message.
func problem(status int, detail string) frame {
	body, _ := json.Marshal(struct { // a struct of texts always has JSON
		Type    string `json:"type"`
		Title   string `json:"title"`
		Status  int    `json:"status"`
		Detail  string `json:"detail"`
		Message string `json:"message"`
	}{"about:blank", http.StatusText(status), status, detail, detail})
	return frame{uint32(status), []byte(problemType), body}
}
