package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/client"
)

// certify writes a certificate for 127.0.0.1 and its key.
func certify(t *testing.T, certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: signed}, key: {Type: "PRIVATE KEY", Bytes: encoded},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// eventually calls try until it returns "", for some seconds.
func eventually(t *testing.T, try func() string) {
	t.Helper()
	problem := ""
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if problem = try(); problem == "" {
			return
		}
	}
	t.Fatal(problem)
}

// TestServeReadsFilesAgain changes the certificate and the token of a running server.
func TestServeReadsFilesAgain(t *testing.T) {
	dir := t.TempDir()
	certificate, key, token := dir+"/tls.crt", dir+"/tls.key", dir+"/token"
	certify(t, certificate, key)
	if err := os.WriteFile(token, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "one", "--tls-cert", certificate, "--tls-key", key, "--token-file", token)
	ok := func() string {
		out, err := process(t, "ok", "--server", s.url, "--token-file", token, "--ca-file",
			certificate).CombinedOutput()
		if err != nil {
			return string(out)
		}
		return ""
	}
	if problem := ok(); problem != "" {
		t.Error(problem)
	}
	if err := s.OK(t.Context()); err == nil {
		t.Error("a client that does not know the certificate is served")
	}
	// A file that is half written does not end the server.
	if err := os.WriteFile(certificate, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	certify(t, certificate, key)
	if err := os.WriteFile(token, []byte("two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, ok)
}

// TestServeIsWatched checks the metrics, the access log and the traces of requests.
func TestServeIsWatched(t *testing.T) {
	spans := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Api-Key") != "a b" {
			t.Errorf("%s %v %v", r.URL, r.Header, err)
		}
		spans <- string(text)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b")
	s := serve(t, "", "--access-log", "json")
	if _, err := s.Invoke(t.Context(), request(servedWeb, "set-replicas", 5)); err != nil {
		t.Fatal(err)
	}
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/function/none", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Traceparent", "00-"+trace+"-"+parent+"-01")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	eventually(t, func() string { // what is counted after the answer
		response, err := http.Get(s.url + "/metrics")
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close() //nolint:errcheck // it has been read
		text, err := io.ReadAll(response.Body)
		for _, want := range []string{
			`fctl_serve_request_seconds_count{route="POST /function/{toolchain}",status="200"} 1`,
			`fctl_serve_request_seconds_count{route="GET /function/{toolchain}",status="404"} 1`,
			"fctl_serve_workers 1", "fctl_serve_requests 0",
		} {
			if !strings.Contains(string(text), want+"\n") {
				return want + " is missing\n" + string(text)
			}
		}
		if err != nil {
			return err.Error()
		}
		return ""
	})
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // it ends by the signal
	var all struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct {
					TraceID, ParentSpanID, Name string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(<-spans), &all); err != nil {
		t.Fatal(err)
	}
	got := all.ResourceSpans[0].ScopeSpans[0].Spans
	if len(got) < 3 || got[0].Name != "POST /function/{toolchain}" || got[0].ParentSpanID != "" ||
		len(got[0].TraceID) != 32 || got[1].TraceID != trace || got[1].ParentSpanID != parent {
		t.Errorf("spans %+v", got)
	}
}

// TestServeLogs reads the lines of an access log.
func TestServeLogs(t *testing.T) {
	cmd := process(t, "serve", "--address", "127.0.0.1:0", "--access-log", "json")
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url := ""
	eventually(t, func() string {
		text, err := os.ReadFile(log.Name())
		if err != nil {
			t.Fatal(err)
		}
		line, _, ended := strings.Cut(string(text), "\n")
		_, url, _ = strings.Cut(line, "listening on ")
		if !ended {
			return "it does not listen"
		}
		return ""
	})
	c, err := client.New(url, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.OK(t.Context()), c.Shutdown(context.WithoutCancel(t.Context()))); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(log.Name())
	if err != nil {
		t.Fatal(err)
	}
	var line struct {
		Msg, Method, Path string
		Status            int
		Seconds           float64
	}
	lines := strings.Split(string(text), "\n")
	if err := json.Unmarshal([]byte(lines[1]), &line); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if line.Msg != "request" || line.Method != "GET" || line.Path != "/function/ok" || line.Status != 200 ||
		line.Seconds <= 0 || line.Seconds > 60 {
		t.Errorf("%+v", line)
	}
}

// TestServeIsDescribed checks the answers of a server with the document of OpenAPI that it serves.
func TestServeIsDescribed(t *testing.T) {
	dir := t.TempDir()
	if out, err := process(t, "-C", dir, "workspace", "init").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := serve(t, "", "-C", dir)
	get := func(method, path string, body []byte) (int, []byte) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close() //nolint:errcheck // it has been read
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, text
	}
	var document struct {
		Paths      map[string]map[string]any
		Components struct{ Schemas map[string]*jsonschema.Schema }
	}
	_, text := get(http.MethodGet, "/openapi.json", nil)
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	check := func(name string, text []byte) {
		t.Helper()
		schema, err := document.Components.Schemas[name].Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v\n%.500s", name, err, text)
		}
	}
	paths := slices.Sorted(maps.Keys(document.Paths))
	for _, path := range paths {
		if document.Paths[path]["get"] == nil {
			continue
		}
		want := http.StatusOK
		if path == "/session" { // this client does not upgrade its connection
			want = http.StatusUpgradeRequired
		}
		address := strings.NewReplacer("{toolchain}", "kubernetes", "{what}", "plan").Replace(path)
		if status, text := get(http.MethodGet, address, nil); status != want {
			t.Errorf("GET %s: %d %s", address, status, text)
		}
	}
	_, text = get(http.MethodGet, "/function/kubernetes", nil)
	check("Signatures", text)
	_, text = get(http.MethodGet, "/function/kubernetes/paths", nil)
	check("Paths", text)
	_, text = get(http.MethodGet, "/about", nil)
	check("About", text)
	_, text = get(http.MethodGet, "/function/none", nil)
	check("Problem", text)
	status, text := get(http.MethodGet, "/workspace/plans", nil)
	if check("Problem", text); status != http.StatusNotFound {
		t.Errorf("an unknown part of the workspace: %d", status)
	}
	if status, text := get(http.MethodGet, "/workspace/graph", nil); status != http.StatusOK || !bytes.HasPrefix(text, []byte("<svg ")) {
		t.Errorf("the picture of the links: %d %s", status, text)
	}
	for _, r := range []*api.FunctionInvocationRequest{
		request(servedDocs, "set-replicas", 5), request(servedDocs, "get-replicas"),
		request(servedDocs, "vet-placeholders"), request(servedDocs, "set-replicas", "x"),
		request(servedDocs, "delete-resource", "v1/Service", "web"),
	} {
		body, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		check("FunctionInvocationRequest", body)
		status, text := get(http.MethodPost, "/function/kubernetes", body)
		if status != http.StatusOK {
			t.Errorf("%s: %s", r.FunctionInvocations[0].FunctionName, text)
		}
		check("FunctionInvocationResponse", text)
	}
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	guarded := serve(t, "secret", "--token-file", token)
	for _, path := range paths {
		operation, ok := document.Paths[path]["get"].(map[string]any)
		if !ok {
			continue
		}
		response, err := http.Get(guarded.url + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if answers := operation["responses"].(map[string]any); answers["default"] == nil &&
			answers[strconv.Itoa(response.StatusCode)] == nil {
			t.Errorf("GET %s without a token: %s is not described", path, response.Status)
		}
	}
	if len(paths) != 13 {
		t.Errorf("the document has the paths %q", paths)
	}
}
