package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// wrap makes the process start Self in new namespaces, which then executes the function.
func (s *Sandbox) wrap(p *process) error {
	dirs := []string{filepath.Dir(p.path), p.dir}
	if p.call.Local != "" {
		dirs = append(dirs, p.call.Local)
	}
	words := append([]string{SandboxCommand}, dirs...)
	p.args = append(append(words, "--", p.path), p.args...)
	p.path = s.Self
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUTS)
	if !p.call.NetworkWanted || !p.call.NetworkAllowed {
		flags |= unix.CLONE_NEWNET
	}
	p.change = func(cmd *exec.Cmd) {
		cmd.SysProcAttr.Cloneflags = flags
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{
			{ContainerID: nobody, HostID: os.Geteuid(), Size: 1},
		}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{
			{ContainerID: nobody, HostID: os.Getegid(), Size: 1},
		}
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	}
	return nil
}

// EnterSandbox finishes the sandbox that it was started in and executes the function. args are the
// arguments after SandboxCommand: directories that the function needs, "--", the function and its
// arguments. It returns only on failure.
func EnterSandbox(args []string) error {
	var dirs []string
	for len(args) > 0 && args[0] != "--" {
		dirs, args = append(dirs, args[0]), args[1:]
	}
	if len(args) < 2 {
		return errors.New("the function is missing")
	}
	if os.Getpid() != 1 {
		return errors.New("this command only works in new namespaces")
	}
	args = args[1:]
	if err := arrangeMounts(dirs); err != nil {
		return err
	}
	for _, drop := range []func() error{
		func() error {
			return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
		},
		func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) },
		func() error { return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) },
	} {
		if err := drop(); err != nil {
			return fmt.Errorf("privileges cannot be dropped: %w", err)
		}
	}
	// The working directory must be found again in the new mounts.
	if len(dirs) > 1 {
		if err := os.Chdir(dirs[1]); err != nil {
			return err
		}
	}
	return StartProblem(args[0], unix.Exec(args[0], args, os.Environ()))
}

// arrangeMounts makes all file systems read-only and mounts an empty /tmp, in which those of dirs
// that are below /tmp are visible.
func arrangeMounts(dirs []string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts cannot be made private: %w", err)
	}
	readOnly := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, readOnly); err != nil {
		return fmt.Errorf("the file system cannot be made read-only: %w", err)
	}
	type clone struct {
		dir string
		fd  int
	}
	var clones []clone
	// A directory is mounted before those below it.
	for _, dir := range slices.Sorted(slices.Values(dirs)) {
		if dir == "/tmp" || !strings.HasPrefix(dir, "/tmp/") {
			continue
		}
		fd, err := unix.OpenTree(unix.AT_FDCWD, dir,
			unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return fmt.Errorf("%s cannot be shown to the function: %w", dir, err)
		}
		clones = append(clones, clone{dir, fd})
	}
	if err := unix.Mount("tmpfs", "/tmp", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV,
		"mode=1777,size=1g"); err != nil {
		return fmt.Errorf("/tmp cannot be mounted: %w", err)
	}
	for _, c := range clones {
		if _, err := os.Stat(c.dir); err == nil {
			continue // below another one
		}
		if err := os.MkdirAll(c.dir, 0o755); err != nil {
			return err
		}
		if err := unix.MoveMount(c.fd, "", unix.AT_FDCWD, c.dir,
			unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return fmt.Errorf("%s cannot be shown to the function: %w", c.dir, err)
		}
	}
	if err := hide("/etc/shadow", "/etc/gshadow", "/run/secrets", "/var/run/secrets"); err != nil {
		return err
	}
	// /proc shows the processes of the new namespace. In some containers mounting it is forbidden;
	// the old one then stays, which shows the numbers of other processes but nothing in them.
	_ = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	return nil
}

// hide covers files and directories with empty ones. Where the function runs as root outside of the
// sandbox, it could read them: passwords, and the tokens that a container gets from its cluster.
func hide(paths ...string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			continue // the function cannot read it either
		case info.IsDir():
			err = unix.Mount("tmpfs", path, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV,
				"mode=755,size=4k")
		default:
			err = unix.Mount("/dev/null", path, "", unix.MS_BIND, "")
		}
		if err != nil {
			return fmt.Errorf("%s cannot be hidden from the function: %w", path, err)
		}
	}
	return nil
}
