// Package registrytest has a registry of images for tests, on the loopback address and in memory.
//
// Layer: commands.
package registrytest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Registry is a registry of images on the loopback address, in memory.
type Registry struct {
	Host   string // localhost:PORT
	server *http.Server
}

// New starts a registry.
func New() (*Registry, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	silent := registry.Logger(log.New(io.Discard, "", 0))
	r := &Registry{
		Host: fmt.Sprintf("localhost:%d", listener.Addr().(*net.TCPAddr).Port),
		server: &http.Server{
			Handler: registry.New(silent), ReadHeaderTimeout: 10 * time.Second,
		},
	}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// Close stops the registry.
func (r *Registry) Close() error { return r.server.Close() }

// Push makes an image of files, which are programs, and pushes it.
func (r *Registry) Push(image string, files map[string]string, entrypoint ...string) error {
	img, err := imageOf(files, entrypoint)
	if err != nil {
		return err
	}
	ref, err := name.ParseReference(r.Host + "/" + image)
	if err != nil {
		return err
	}
	return remote.Write(ref, img)
}

// imageOf returns an image with programs; files maps the path in the image to that of a file here.
func imageOf(files map[string]string, entrypoint []string) (v1.Image, error) {
	var layer bytes.Buffer
	zip, err := gzip.NewWriterLevel(&layer, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(zip)
	for path, from := range files {
		data, err := os.ReadFile(from)
		if err != nil {
			return nil, err
		}
		header := &tar.Header{Name: path, Mode: 0o755, Size: int64(len(data))}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	made, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(layer.Bytes())), nil
	})
	if err != nil {
		return nil, err
	}
	img, err := mutate.AppendLayers(empty.Image, made)
	if err != nil {
		return nil, err
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.Architecture, file.OS = "amd64", "linux"
	file.Config.Entrypoint = entrypoint
	return mutate.ConfigFile(img, file)
}
