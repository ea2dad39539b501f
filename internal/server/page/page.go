// Package page is the page that a server of functions has for people: a manifest, a chain of
// functions with typed arguments, and what the chain does.
//
// Invariants: the page asks nothing of other hosts, and its content security policy lets the browser
// load nothing but the files here. It knows functions only by the signatures of the server.
//
// Layer: systems.
package page

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"time"
)

// The directory codemirror has the editor component, which 'make editor' bundles.
//
//go:embed index.html page.css *.js codemirror/codemirror.js codemirror/LICENSE
var files embed.FS

// Path is where the files of the page are served. The page itself is served at /.
const Path = "/page/"

// policy is the content security policy. The editor makes style elements, which have the nonce.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-NONCE'; " +
	"img-src blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Serve answers a request for the page or for one of its files. It reports false for
// other paths.
func Serve(w http.ResponseWriter, r *http.Request) bool {
	name := strings.TrimPrefix(r.URL.Path, Path)
	if name == "/" {
		name = "index.html"
	}
	text, err := files.ReadFile(name)
	if err != nil {
		return false
	}
	header := w.Header()
	header.Set("Content-Type", typeOf(name))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	if name == "index.html" {
		nonce := rand.Text()
		header.Set("Content-Security-Policy", strings.ReplaceAll(policy, "NONCE", nonce))
		header.Set("Cache-Control", "no-store")
		text = bytes.ReplaceAll(text, []byte("NONCE"), []byte(nonce))
	} else {
		sum := sha256.Sum256(text)
		header.Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
		header.Set("Cache-Control", "no-cache") // browsers ask whether it is still the same
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
	return true
}

// typeOf returns the media type of a file. That of the system may differ.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}
