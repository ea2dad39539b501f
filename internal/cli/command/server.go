package command

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/client"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/server/remote"
	"github.com/fctl-dev/fctl/internal/settings"
)

// AddServer adds the flags by which a command uses a server; purpose says what for.
func AddServer(flags *pflag.FlagSet, purpose string) {
	flags.String("server", "", purpose+" the server at `URL`")
	flags.String("token-file", "", "send the server the token in `FILE`")
	flags.String("ca-file", "",
		"trust the certificates of servers that those in `FILE` sign, no others")
}

// Client returns a client for the server that the flags name, or nil.
func Client(flags *pflag.FlagSet) (*client.Client, error) {
	value := func(name string) string {
		if f := flags.Lookup(name); f != nil {
			return f.Value.String()
		}
		return ""
	}
	address, tokenFile, authorities := value("server"), value("token-file"), value("ca-file")
	switch {
	case address == "" && tokenFile+authorities != "":
		return nil, diag.Usage("--token-file and --ca-file need --server")
	case address == "":
		return nil, nil //nolint:nilnil // no server
	}
	token := ""
	if tokenFile != "" {
		text, err := os.ReadFile(tokenFile)
		if err != nil {
			return nil, diag.Input(tokenFile, "", err)
		}
		if token, err = ParseToken(tokenFile, text); err != nil {
			return nil, err
		}
	}
	c, err := client.New(address, token)
	if err != nil {
		return nil, diag.Usage("--server: %w", err)
	}
	// A session is what only a connection of HTTP/1 can be upgraded to.
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(true)
	c.HTTP.Transport = transport
	if authorities == "" {
		return c, nil
	}
	text, err := os.ReadFile(authorities)
	if err != nil {
		return nil, diag.Input(authorities, "", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, diag.Usage("--ca-file: %s has no certificates", authorities)
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return c, nil
}

// ParseToken returns the token of a server in the text of a file.
func ParseToken(file string, text []byte) (string, error) {
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", diag.Usage("--token-file: %s is empty", file)
	}
	return token, nil
}

// ExecutorAt is ExecutorFor with the functions of the server that the flags name, if they do.
func (a *App) ExecutorAt(
	ctx context.Context, s *settings.Settings, flags *pflag.FlagSet,
) (*functions.Executor, error) {
	executor, err := a.ExecutorFor(ctx, s)
	if err != nil {
		return nil, err
	}
	c, err := Client(flags)
	if c == nil || err != nil {
		return executor, err
	}
	conn, err := c.Session(ctx, remote.Protocol)
	if err != nil {
		return nil, &api.Failure{Class: api.FailureFunction, Message: err.Error(), Err: err}
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() }) // what waits for an answer ends
	return executor, remote.Open(conn, executor, s.MemoryBytes, s.TimeLimit)
}
