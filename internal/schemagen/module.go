package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/fctl-dev/fctl/internal/process"
)

// module is the files of a version of a Go module.
type module struct {
	fs.FS
	archive *zip.ReadCloser
}

func (m *module) close() { _ = m.archive.Close() }

// download lets the go command fetch and verify a version of a module.
func download(path, version string) (*module, error) {
	var out bytes.Buffer
	tool := process.Tool{
		Words: []string{"go", "mod", "download", "-json", path + "@" + version}, Stdout: &out,
		// Nothing of the module is built, so it may need a newer Go than this one.
		Env: []string{"GOTOOLCHAIN=local"},
	}
	err := tool.Run(context.Background())
	var found struct{ Zip, Error string }
	if jsonErr := json.Unmarshal(out.Bytes(), &found); jsonErr != nil || found.Zip == "" {
		return nil, errors.Join(err, jsonErr, errors.New(found.Error))
	}
	z, err := zip.OpenReader(found.Zip)
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(z, path+"@"+version)
	if err != nil {
		return nil, errors.Join(err, z.Close())
	}
	return &module{files, z}, nil
}
