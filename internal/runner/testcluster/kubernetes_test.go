//go:build cluster

package testcluster

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The network of the pods. The host has the first address.
const (
	bridge  = "fctltest0"
	gateway = "10.89.77.1"
	subnet  = "10.89.77.0/24"
)

// Cluster is a Kubernetes with one node.
type Cluster struct {
	Kubeconfig string
	bin, dir   string
	log        func(string, ...any)
	processes  []*process
	dismiss    func() // sends the janitor away
}

type process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
}

// Start starts a cluster. bin has the programs, dir the data. What was started ends with Stop, also
// after an error.
func Start(ctx context.Context, bin, dir, pause string, log func(string, ...any),
) (*Cluster, error) {
	c := &Cluster{bin: bin, dir: dir, log: log, Kubeconfig: filepath.Join(dir, "kubeconfig")}
	for _, sub := range []string{"data", "certs", "cni", "kubelet", "ctr"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return c, err
		}
	}
	var err error
	if c.dismiss, err = startJanitor(dir); err != nil {
		return c, err
	}
	return c, c.start(ctx, pause)
}

func (c *Cluster) start(ctx context.Context, pause string) error {
	ports, err := freePorts(6)
	if err != nil {
		return err
	}
	at := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
	if err := c.files(ports, pause); err != nil {
		return err
	}
	client, peer := "http://"+at(0), "http://"+at(1)
	if err := c.spawn("etcd", "--data-dir", c.path("data"), "--listen-client-urls", client,
		"--advertise-client-urls", client, "--listen-peer-urls", peer,
		"--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer); err != nil {
		return err
	}
	key := c.path("certs/sa.key")
	if err := c.spawn("kube-apiserver", "--etcd-servers="+client, "--bind-address=127.0.0.1",
		"--secure-port="+strconv.Itoa(ports[2]), "--advertise-address=127.0.0.1",
		"--cert-dir="+c.path("certs"), "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+key, "--service-account-signing-key-file="+key,
		"--service-cluster-ip-range=10.96.0.0/24", "--authorization-mode=RBAC",
		"--token-auth-file="+c.path("certs/tokens.csv"), "--allow-privileged=true",
		"--kubelet-preferred-address-types=InternalIP"); err != nil {
		return err
	}
	if err := c.until(ctx, time.Minute, "the API server is ready", func() bool {
		_, err := c.Kubectl(ctx, "", "get", "--raw", "/readyz")
		return err == nil
	}); err != nil {
		return err
	}
	kubeconfig := "--kubeconfig=" + c.Kubeconfig
	if err := c.spawn("kube-controller-manager", kubeconfig, "--leader-elect=false",
		"--service-account-private-key-file="+key, "--use-service-account-credentials=false",
		"--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(ports[3])); err != nil {
		return err
	}
	if err := c.spawn("kube-scheduler", kubeconfig, "--leader-elect=false",
		"--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(ports[4])); err != nil {
		return err
	}
	if err := c.network(); err != nil {
		return err
	}
	if err := c.spawn("containerd", "-c", c.path("containerd.toml")); err != nil {
		return err
	}
	if err := c.until(ctx, 20*time.Second, "containerd listens", func() bool {
		_, err := os.Stat(c.path("ctr/c.sock"))
		return err == nil
	}); err != nil {
		return err
	}
	if err := c.spawn("kubelet", kubeconfig, "--config="+c.path("kubelet.yaml"),
		"--root-dir="+c.path("kubelet/root"), "--cert-dir="+c.path("kubelet/pki"),
		"--hostname-override=n1", "--node-ip="+gateway); err != nil {
		return err
	}
	return c.until(ctx, time.Minute, "the node is ready", func() bool {
		out, err := c.Kubectl(ctx, "", "get", "node", "n1", "--no-headers")
		return err == nil && strings.Contains(out, " Ready ")
	})
}

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }

// files writes the configuration of all programs.
func (c *Cluster) files(ports []int, pause string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	private := pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key),
	})
	for name, text := range map[string]string{
		"certs/sa.key":     string(private),
		"certs/tokens.csv": "admintoken,admin,1,\"system:masters\"\n",
		"kubeconfig": fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: admintoken}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`, ports[2]),
		// The machine may lack CAP_SYS_RESOURCE.
		"containerd.toml": fmt.Sprintf(`version = 3
root = '%[1]s/ctr/root'
state = '%[1]s/ctr/state'
[grpc]
  address = '%[1]s/ctr/c.sock'
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ['/usr/lib/cni', '/opt/cni/bin']
    conf_dir = '%[1]s/cni'
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = 'io.containerd.runc.v2'
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      SystemdCgroup = false
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = '%[2]s'
`, c.dir, pause),
		"cni/10-bridge.conflist": fmt.Sprintf(`{"cniVersion": "1.0.0", "name": "fn", "plugins": [
{"type": "bridge", "bridge": %q, "isGateway": true, "ipMasq": false, "ipam": {
"type": "host-local", "dataDir": %q, "ranges": [[{"subnet": %q}]],
"routes": [{"dst": "0.0.0.0/0"}]}}]}`, bridge, c.path("cni/data"), subnet),
		"kubelet.yaml": fmt.Sprintf(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
address: %s
port: %d
healthzPort: 0
readOnlyPort: 0
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
containerRuntimeEndpoint: unix://%s/ctr/c.sock
resolvConf: ""
localStorageCapacityIsolation: false
enforceNodeAllocatable: []
cgroupsPerQOS: false
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: "10Mi"}
podLogsDir: %s/podlogs
`, gateway, ports[5], c.dir, c.dir),
	} {
		if err := os.WriteFile(c.path(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// network makes the bridge of the pods, because the kubelet listens on its address.
func (c *Cluster) network() error {
	for _, words := range [][]string{
		{"link", "add", bridge, "type", "bridge"},
		{"addr", "add", gateway + "/24", "dev", bridge},
		{"link", "set", bridge, "up"},
	} {
		if out, err := exec.Command("ip", words...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", strings.Join(words, " "), err, out)
		}
	}
	return nil
}

// spawn starts one of the programs.
func (c *Cluster) spawn(name string, args ...string) error {
	log, err := os.Create(c.path(name + ".log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// The shim is beside containerd.
	cmd.Env = append(os.Environ(), "PATH="+c.bin+":/usr/sbin:"+os.Getenv("PATH"))
	if err := cmd.Start(); err != nil {
		return err
	}
	p := &process{name, cmd, make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended does not matter
		close(p.done)
	}()
	c.processes = append(c.processes, p)
	return nil
}

// until waits until something holds. It ends early if a program of the cluster has ended.
func (c *Cluster) until(ctx context.Context, limit time.Duration, what string, holds func() bool,
) error {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); {
		if holds() {
			return nil
		}
		for _, p := range c.processes {
			select {
			case <-p.done:
				return fmt.Errorf("%s has ended, see %s", p.name, c.path(p.name+".log"))
			default:
			}
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("not within %v: %s", limit, what)
}

// Kubectl runs kubectl with a text on its standard input and returns its standard output.
func (c *Cluster) Kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, "kubectl"),
		append([]string{"--kubeconfig", c.Kubeconfig}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err,
			errOut.String())
	}
	return out.String(), nil
}

// Stop ends what Start started: the pods, then the programs, the shims of its containerd, its
// mounts and its bridge.
func (c *Cluster) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	_, err := c.Kubectl(ctx, "", "delete", "jobs,pods", "--all", "-A", "--grace-period=0",
		"--force", "--wait=false")
	problems := []error{err}
	for range 150 { // 30 s
		if len(c.shims()) == 0 {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	for _, p := range slices.Backward(c.processes) {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.done:
		case <-time.After(5 * time.Second):
			_ = p.cmd.Process.Kill()
			<-p.done
		}
	}
	for _, pid := range c.shims() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	problems = append(problems, c.unmount())
	if out, err := exec.Command("ip", "link", "del", bridge).CombinedOutput(); err != nil {
		problems = append(problems, fmt.Errorf("the bridge cannot be deleted: %w: %s", err, out))
	}
	if c.dismiss != nil {
		c.dismiss()
	}
	return errors.Join(problems...)
}

// shims returns the processes that run containers of this cluster: their command line has the
// address of its containerd, which is in its own directory.
func (c *Cluster) shims() []int {
	var found []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		words := strings.Split(string(line), "\x00")
		if err == nil && strings.HasSuffix(words[0], "containerd-shim-runc-v2") &&
			slices.Contains(words, c.path("ctr/c.sock")) {
			found = append(found, pid)
		}
	}
	return found
}

// Left returns what the cluster has left after Stop: processes, mounts and its bridge.
func (c *Cluster) Left() []string {
	var left []string
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return []string{err.Error()}
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline")) // it may have ended
		if strings.Contains(string(line), c.dir+"/") {
			left = append(left, "process "+e.Name()+": "+strings.ReplaceAll(string(line), "\x00",
				" "))
		}
	}
	mounts, _ := os.ReadFile("/proc/self/mounts")
	for line := range strings.Lines(string(mounts)) {
		if strings.Contains(line, c.dir+"/") {
			left = append(left, "mount "+strings.TrimSpace(line))
		}
	}
	if _, err := net.InterfaceByName(bridge); err == nil {
		left = append(left, "the bridge "+bridge)
	}
	return left
}

// unmount removes the mounts below the directory of the cluster, the newest first.
func (c *Cluster) unmount() error {
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return err
	}
	var problems []error
	lines := strings.Split(string(text), "\n")
	for _, line := range slices.Backward(lines) {
		words := strings.Fields(line)
		if len(words) > 1 && strings.HasPrefix(words[1], c.dir+"/") {
			if err := syscall.Unmount(words[1], syscall.MNT_DETACH); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", words[1], err))
			}
		}
	}
	return errors.Join(problems...)
}

// freePorts returns ports that nobody listens on.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
