package browser

import (
	"os/exec"
	"syscall"
)

// own puts the browser into a process group of its own, which dies with eddy.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func end(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may be gone

func alive(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
