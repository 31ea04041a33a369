package testrun

import (
	"context"
	"fmt"
	"strings"
)

// WranglerCommand does what a command of wrangler does that configurations of tests run (TEST-63).
func WranglerCommand(ctx context.Context, dir string, args []string) (string, error) {
	return "", fmt.Errorf("wrangler %s is not served by eddy in the configuration of tests", strings.Join(args, " "))
}
