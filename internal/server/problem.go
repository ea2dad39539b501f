package server

import (
	"encoding/json"
	"net/http"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/server/frame"
)

// The types of what the server returns.
const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
)

// Problem is the answer to a request that cannot be served (RFC 9457).
type Problem struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Status  int    `json:"status"`
	Detail  string `json:"detail"`
	Message string `json:"message"` // the detail, for older clients
	// Findings say where the data cannot be read.
	Findings []api.Finding `json:"findings,omitempty"`
}

// problem returns a problem as an answer.
func problem(status int, detail string, findings ...api.Finding) frame.Frame {
	body, _ := json.Marshal(Problem{ // texts and numbers always have JSON
		"about:blank", http.StatusText(status), status, detail, detail, findings,
	})
	return frame.Frame{Number: uint32(status), Name: []byte(problemType), Body: body}
}
