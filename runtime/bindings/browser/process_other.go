//go:build !unix

package browser

import (
	"os"
	"os/exec"
)

func own(*exec.Cmd) {}

func end(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may be gone

func alive(pid int) bool { _, err := os.FindProcess(pid); return err == nil }
