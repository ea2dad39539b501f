// Package registry asks image registries for what a pod needs to know of a function: the command of
// its image, and the versions that there are.
//
// Layer: commands.
package registry

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Client asks registries, with the credentials of the docker configuration of the user. Answers are
// kept for Fresh. It may be used from several goroutines.
type Client struct {
	// Transport is http.DefaultTransport if nil.
	Transport http.RoundTripper
	Fresh     time.Duration

	mu          sync.Mutex
	entrypoints map[string]entrypoint
}

type entrypoint struct {
	command []string
	read    time.Time
}

// maxKept is the most answers that are kept.
const maxKept = 1000

// Entrypoint returns the command of an image: its Entrypoint with its Cmd as arguments, or Cmd.
func (c *Client) Entrypoint(ctx context.Context, image string) ([]string, error) {
	c.mu.Lock()
	kept, ok := c.entrypoints[image]
	c.mu.Unlock()
	if ok && time.Since(kept.read) < c.Fresh {
		return slices.Clone(kept.command), nil
	}
	ref, err := name.ParseReference(image)
	if err != nil {
		return nil, err
	}
	img, err := remote.Image(ref, c.options(ctx)...)
	if err != nil {
		return nil, problem(ref.Context(), err)
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, problem(ref.Context(), err)
	}
	command := slices.Concat(file.Config.Entrypoint, file.Config.Cmd)
	if len(command) == 0 {
		return nil, fmt.Errorf("the image %s has neither an entrypoint nor a command", image)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entrypoints == nil || len(c.entrypoints) >= maxKept {
		c.entrypoints = map[string]entrypoint{}
	}
	c.entrypoints[image] = entrypoint{command, time.Now()}
	return slices.Clone(command), nil
}

// Tags returns the tags of a repository.
func (c *Client) Tags(ctx context.Context, repository string) ([]string, error) {
	repo, err := name.NewRepository(repository)
	if err != nil {
		return nil, err
	}
	tags, err := remote.List(repo, c.options(ctx)...)
	if err != nil {
		return nil, problem(repo, err)
	}
	return tags, nil
}

func (c *Client) options(ctx context.Context) []remote.Option {
	options := []remote.Option{
		remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain),
	}
	if c.Transport != nil {
		options = append(options, remote.WithTransport(c.Transport))
	}
	return options
}

// problem names the registry in an error, on one line.
func problem(repo name.Repository, err error) error {
	return fmt.Errorf("the registry %s: %s", repo.RegistryStr(),
		strings.ReplaceAll(err.Error(), "\n", " "))
}
