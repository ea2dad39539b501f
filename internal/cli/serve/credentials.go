package serve

import (
	"bytes"
	"crypto/tls"
	"os"
	"sync"
	"time"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
)

// latest is a value that is made of files, and made again after they have changed. A change that
// cannot be used is reported, and the value stays.
type latest[T any] struct {
	files  []string
	parse  func(texts [][]byte) (T, error)
	report func(error)

	mu     sync.Mutex
	value  T
	texts  [][]byte
	looked time.Time
}

// lookEvery is how long a value is used before its files are looked at again.
const lookEvery = time.Second

// newLatest reads a value.
func newLatest[T any](report func(error), parse func([][]byte) (T, error), files ...string,
) (*latest[T], error) {
	l := &latest[T]{files: files, parse: parse, report: report, looked: time.Now()}
	err := l.read()
	return l, err
}

// get returns the value.
func (l *latest[T]) get() T {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.looked) > lookEvery {
		l.looked = time.Now()
		if err := l.read(); err != nil {
			l.report(err)
		}
	}
	return l.value
}

// read reads the files, and makes the value if they have changed.
func (l *latest[T]) read() error {
	texts, same := make([][]byte, len(l.files)), l.texts != nil
	for i, name := range l.files {
		var err error
		if texts[i], err = os.ReadFile(name); err != nil {
			return diag.Input(name, "", err)
		}
		same = same && bytes.Equal(texts[i], l.texts[i])
	}
	if same {
		return nil
	}
	l.texts = texts // what cannot be used is reported once
	value, err := l.parse(texts)
	if err == nil {
		l.value = value
	}
	return err
}

// newToken reads the token of a server in a file; without a file it is "".
func newToken(file string, report func(error)) (func() string, error) {
	if file == "" {
		return func() string { return "" }, nil
	}
	l, err := newLatest(report, func(texts [][]byte) (string, error) {
		return command.ParseToken(file, texts[0])
	}, file)
	return l.get, err
}

// newTLS returns how a server with a certificate serves TLS, or nil without one.
func newTLS(certificate, key string, report func(error)) (*tls.Config, error) {
	switch {
	case certificate == "" && key == "":
		return nil, nil //nolint:nilnil // no TLS
	case certificate == "" || key == "":
		return nil, diag.Usage("--tls-cert and --tls-key belong together")
	}
	l, err := newLatest(report, func(texts [][]byte) (*tls.Certificate, error) {
		pair, err := tls.X509KeyPair(texts[0], texts[1])
		if err != nil {
			return nil, diag.Usage("--tls-cert, --tls-key: %w", err)
		}
		return &pair, nil
	}, certificate, key)
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return l.get(), nil
		},
	}, err
}
