//go:build unix

package session

import (
	"context"
	"os/exec"
	"syscall"
)

// shellCommand runs a command line as the user's shell would. It has a process group of its own, so that the processes
// that it has started end with it.
func shellCommand(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}
