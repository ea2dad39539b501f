//go:build cluster

package testcluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// The versions that are built.
const (
	kubernetesVersion = "1.36.3"
	etcdVersion       = "v3.6.16"
	containerdVersion = "v2.3.7"
)

// CacheDir returns the directory of the programs, below the user's cache directory.
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "fctl-kube"), nil
}

// Build builds the programs that are not in dir yet. The first time takes ten minutes and more.
func Build(ctx context.Context, dir string, log func(string, ...any)) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	b := &builder{ctx: ctx, dir: dir, log: log}
	minor := strings.Split(kubernetesVersion, ".")[1]
	stamp := "-X k8s.io/component-base/version.gitVersion=v" + kubernetesVersion +
		" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=" +
		minor
	for _, name := range []string{
		"kube-apiserver", "kubectl", "kube-controller-manager", "kube-scheduler", "kubelet",
	} {
		b.program(name, "k8s.io/kubernetes/cmd/"+name, b.kubernetes, "-ldflags", "-s -w "+stamp)
	}
	b.program("etcd", "go.etcd.io/etcd/server/v3", func() (string, error) {
		return module("go.etcd.io/etcd/server/v3", etcdVersion), nil
	})
	for _, name := range []string{"containerd", "containerd-shim-runc-v2", "ctr"} {
		b.program(name, "github.com/containerd/containerd/v2/cmd/"+name, func() (string, error) {
			return module("github.com/containerd/containerd/v2", containerdVersion), nil
		}, "-tags", "no_btrfs no_devmapper no_zfs")
	}
	return b.err
}

// builder builds programs of other modules. After an error it does nothing.
type builder struct {
	ctx context.Context
	dir string
	log func(string, ...any)
	err error
}

func (b *builder) program(name, path string, mod func() (string, error), flags ...string) {
	target := filepath.Join(b.dir, name)
	if _, err := os.Stat(target); err == nil || b.err != nil {
		return
	}
	b.log("building %s", name)
	text, err := mod()
	work := filepath.Join(b.dir, "build-"+name)
	if err == nil {
		err = os.MkdirAll(work, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(work, "go.mod"), []byte(text), 0o644)
	}
	if err == nil {
		cmd := exec.CommandContext(b.ctx, "go", append(append([]string{"build"}, flags...),
			"-o", target, path)...)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "CGO_ENABLED=0", "GOWORK=off")
		var out []byte
		if out, err = cmd.CombinedOutput(); err != nil {
			err = fmt.Errorf("%s cannot be built: %w\n%s", name, err, out)
		}
	}
	b.err = err
}

func module(path, version string) string {
	return "module build\n\ngo 1.26.0\n\nrequire " + path + " " + version + "\n"
}

// kubernetes returns a go.mod for k8s.io/kubernetes. That module replaces its parts by directories
// which are not in its archive, so each of them is replaced by the published module.
func (b *builder) kubernetes() (string, error) {
	cmd := exec.CommandContext(b.ctx, "go", "mod", "download", "-json",
		"k8s.io/kubernetes@v"+kubernetesVersion)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("k8s.io/kubernetes cannot be fetched: %w", err)
	}
	var info struct{ GoMod string }
	if err := json.Unmarshal(out, &info); err != nil {
		return "", err
	}
	text, err := os.ReadFile(info.GoMod)
	if err != nil {
		return "", err
	}
	var replace strings.Builder
	staged := regexp.MustCompile(`(?m)^\s*(\S+) => \./staging/`)
	for _, found := range staged.FindAllStringSubmatch(string(text), -1) {
		fmt.Fprintf(&replace, "\t%s => %s v0.%s\n", found[1], found[1],
			strings.TrimPrefix(kubernetesVersion, "1."))
	}
	return module("k8s.io/kubernetes", "v"+kubernetesVersion) + "\nreplace (\n" + replace.String() +
		")\n", nil
}
