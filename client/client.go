// Package client calls an fctl server, which "fctl serve" starts, over HTTP.
//
// Invariants: a client sends requests only to the address that it was made with, and follows no
// redirects, so that a token reaches nobody else. It may be used from several goroutines.
//
// Layer: configkit.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/fctl-dev/fctl/api"
)

// Client sends requests to one server.
type Client struct {
	// HTTP sends the requests, for example with certificates; it must not be changed while the
	// client is used.
	HTTP  *http.Client
	base  *url.URL
	token string
}

// maxAnswer is the number of bytes of an answer that a client reads.
const maxAnswer = 1 << 30

// New returns a client for the server at an address such as http://127.0.0.1:9080. token may be
// empty.
func New(address, token string) (*Client, error) {
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("address %q is not that of a server, as http://127.0.0.1:9080 is", address)
	}
	return &Client{base: base, token: token, HTTP: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Error is the answer of a server that did not run a request.
type Error struct {
	Status int // of HTTP
	Detail string
}

func (e *Error) Error() string { return e.Detail }

// OK returns nil if the server is ready.
func (c *Client) OK(ctx context.Context) error {
	return c.send(ctx, http.MethodGet, "function/ok", nil, nil)
}

// Shutdown asks the server to end. Only a client on the server's machine may do that.
func (c *Client) Shutdown(ctx context.Context) error {
	return c.send(ctx, http.MethodPost, "function/shutdown", nil, nil)
}

// Signatures returns the signatures of the functions of a toolchain, by name.
func (c *Client) Signatures(
	ctx context.Context, t api.ToolchainType,
) (map[string]api.FunctionSignature, error) {
	var all map[string]api.FunctionSignature
	return all, c.send(ctx, http.MethodGet, path(t), nil, &all)
}

// Paths returns the registered paths of a toolchain.
func (c *Client) Paths(
	ctx context.Context, t api.ToolchainType,
) (api.AttributeNameToResourceTypeToPathToVisitorInfoType, error) {
	var all api.AttributeNameToResourceTypeToPathToVisitorInfoType
	return all, c.send(ctx, http.MethodGet, path(t)+"/paths", nil, &all)
}

// Invoke runs the chain of a request. The error is an *[Error] if the server did not run it, for
// example because the data cannot be parsed. What functions report is in the response, whose data is
// that of the request if it did not change.
func (c *Client) Invoke(
	ctx context.Context, request *api.FunctionInvocationRequest,
) (*api.FunctionInvocationResponse, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	var response api.FunctionInvocationResponse
	if err := c.send(ctx, http.MethodPost, path(request.ToolchainType), body, &response); err != nil {
		return nil, err
	}
	if response.Changed = response.DataHash != api.DataHash(request.ConfigData); !response.Changed {
		response.ConfigData = request.ConfigData
	}
	return &response, nil
}

// Session opens a connection over which fctl runs the functions of a server as if they were its own.
// Its messages are those of fctl and may change with its version.
func (c *Client) Session(ctx context.Context, protocol string) (io.ReadWriteCloser, error) {
	request, err := c.request(ctx, http.MethodGet, "session", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Connection", "Upgrade")
	request.Header.Set("Upgrade", protocol)
	response, err := c.HTTP.Do(request)
	if err != nil {
		return nil, c.failed(err)
	}
	if conn, ok := response.Body.(io.ReadWriteCloser); ok &&
		response.StatusCode == http.StatusSwitchingProtocols {
		return conn, nil
	}
	defer response.Body.Close() //nolint:errcheck // it is read below
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, c.failed(err)
	}
	return nil, problem(response, text)
}

// path returns where a toolchain is.
func path(t api.ToolchainType) string { return "function/" + t.Segment() }

// request returns a request for a path of the server.
func (c *Client) request(
	ctx context.Context, method, path string, body []byte,
) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base.JoinPath(path).String(),
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	return request, nil
}

// failed returns the error of a request that got no answer.
func (c *Client) failed(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // the address is in the message
	}
	return fmt.Errorf("the server at %s: %w", c.base.Redacted(), err)
}

// problem returns the error of an answer that is not what was asked for.
func problem(response *http.Response, text []byte) *Error {
	var problem struct{ Detail string }
	_ = json.Unmarshal(text, &problem) // another server may answer with other text
	return &Error{response.StatusCode, cmp.Or(problem.Detail, response.Status)}
}

// send sends a request and decodes the answer, unless it is for nobody.
func (c *Client) send(ctx context.Context, method, path string, body []byte, answer any) error {
	request, err := c.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return c.failed(err)
	}
	defer response.Body.Close() //nolint:errcheck // it has been read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	switch {
	case err != nil:
		return c.failed(err)
	case response.StatusCode != http.StatusOK:
		return problem(response, text)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(text, answer)
}
