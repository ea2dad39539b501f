package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/server/frame"
)

// raw opens a connection to a server and writes a text to it.
func raw(t *testing.T, s *served, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the server may have closed it
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := conn.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// isServed fails the test if a request of another client is not answered soon.
func isServed(t *testing.T, s *served) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	for {
		got, err := s.Invoke(ctx, request(servedWeb, "set-replicas", 5))
		if err == nil && got.Success {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%+v, %v", got, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// post is a request of a length, without its body.
func post(length int) string {
	return fmt.Sprintf("POST /function/kubernetes HTTP/1.1\r\nHost: localhost\r\n"+
		"Content-Length: %d\r\n\r\n", length)
}

// TestServeSlowClientsHoldUpNobody has more clients than requests may wait, which send or read nothing.
func TestServeSlowClientsHoldUpNobody(t *testing.T) {
	s := serve(t, "", "--max-requests", "2")
	for range 4 {
		raw(t, s, post(1000)+"{")
	}
	body := `{"ConfigData": "` + base64.StdEncoding.EncodeToString([]byte("apiVersion: v1\nkind: ConfigMap\n"+
		"metadata: {name: a}\ndata:\n  text: "+strings.Repeat("x", 12_000_000))) +
		`", "FunctionInvocations": [{"FunctionName": "get-resources"}]}`
	for range 4 {
		raw(t, s, post(len(body))+body)
	}
	time.Sleep(100 * time.Millisecond)
	isServed(t, s)
}

// TestServeMemoryOfRequestsIsBounded sends the beginnings of more large requests than there is memory
// for: each of the clients that get none is refused.
func TestServeMemoryOfRequestsIsBounded(t *testing.T) {
	const body = 32 << 20
	s := serve(t, "", "--max-body", fmt.Sprint(body))
	const clients = 8
	refused := 0
	for range clients { // one after the other: together none may get enough
		conn := raw(t, s, post(body))
		_, _ = conn.Write([]byte(strings.Repeat("x", body-1))) // it may be refused before its end
		answer := make([]byte, 12)
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		if n, _ := conn.Read(answer); strings.HasSuffix(string(answer[:n]), " 503") {
			refused++
		}
	}
	if refused == 0 || refused == clients {
		t.Errorf("%d of %d clients are refused", refused, clients)
	}
	isServed(t, s)
	conn := raw(t, s, strings.Replace(post(body+1), "\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n", 1))
	answer := make([]byte, 12)
	if _, err := conn.Read(answer); err != nil || string(answer) != "HTTP/1.1 413" {
		t.Errorf("%q, %v", answer, err)
	}
}

// TestSessionsThatAreIdleHoldUpNobody opens as many sessions as may be open, none of which says
// anything.
func TestSessionsThatAreIdleHoldUpNobody(t *testing.T) {
	s := serve(t, "", "--workers", "1")
	first := session(t, s)
	for range 15 {
		session(t, s)
	}
	if out, stderr, status := at(t, t.TempDir(), s.url, "list", "-q"); status != 0 || out == "" {
		t.Errorf("status %d: %s", status, stderr)
	}
	f, err := frame.Read(first, 10_000)
	if err != nil || !strings.Contains(string(f.Body), "nothing to do") {
		t.Errorf("%s, %v", f.Body, err)
	}
}

// TestServeChecksTheHostOfBrowsers sends requests as a page of another origin has them sent whose
// name is bound to this machine, to a server that listens on all of its addresses.
func TestServeChecksTheHostOfBrowsers(t *testing.T) {
	s := serve(t, "", "--address", ":0", "--host", "shop.example")
	s.url = "http://127.0.0.1" + s.url[strings.LastIndex(s.url, ":"):]
	for host, want := range map[string]int{
		"evil.example": http.StatusMisdirectedRequest, "localhost": http.StatusOK,
		"shop.example": http.StatusOK,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/function/ok", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: status %d, want %d", host, response.StatusCode, want)
		}
	}
	conn := raw(t, s, "GET /healthz HTTP/1.0\r\n\r\n") // no browser
	answer := make([]byte, 12)
	if _, err := conn.Read(answer); err != nil || string(answer) != "HTTP/1.0 200" {
		t.Errorf("%q, %v", answer, err)
	}
}
