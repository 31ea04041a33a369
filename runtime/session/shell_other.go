//go:build !unix

package session

import (
	"context"
	"os/exec"
)

// shellCommand runs a command line as the user's shell would. What the command itself has started is not ended with it.
func shellCommand(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/C", line)
}
