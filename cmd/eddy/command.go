package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// OS is everything of the operating system that commands touch.
type OS struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string
	Getwd          func() (string, error)
}

// Exit codes.
const (
	exitOK = 0
	// exitFailure: something went wrong while running.
	exitFailure = 1
	// exitUsage: the command line, the configuration or the user's code is wrong.
	exitUsage = 2
)

// exitError carries the exit code of a failure whose text has been printed already when silent is set.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// Run executes a command line and returns the exit code.
func Run(env OS) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		// The first signal ends the context; the next one must end the process whatever hangs.
		<-ctx.Done()
		stop()
	}()
	root := newRoot(env)
	root.SetArgs(env.Args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var ee *exitError
	if errors.As(err, &ee) {
		if ee.err != nil {
			fmt.Fprintln(env.Stderr, ee.err)
		}
		return ee.code
	}
	fmt.Fprintf(env.Stderr, "eddy: %v\n", err)
	return exitUsage
}

func newRoot(env OS) *cobra.Command {
	root := &cobra.Command{
		Use:           "eddy",
		Short:         "Run Cloudflare Workers with Queues and Durable Objects on this machine",
		Long:          "eddy runs Cloudflare Workers that use Queues and Durable Objects on this machine:\none binary, no Node, no account. What was acknowledged is kept, also after kill -9.",
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.AddCommand(newDev(env), newQueues(env), newDLQ(env), newLanes(env), newObjects(env), newD1(env), newKV(env), newTypes(env), newVersion())
	return root
}
