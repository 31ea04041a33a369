//go:build !unix

package session

import (
	"context"
	"os/exec"
)

// shellCommand runs a command line as the user's shell would. When it is ended, processes that it has started go on.
func shellCommand(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/C", line)
}
