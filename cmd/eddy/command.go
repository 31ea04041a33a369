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
	Chdir          func(string) error
}

// Exit codes.
const (
	exitOK = 0
	// exitFailure: something went wrong while running.
	exitFailure = 1
	// exitUsage: the command line, the configuration or the user's code is wrong.
	exitUsage = 2
)

// forReleases are the commands of a build that makes parts of a release.
var forReleases []func(OS) *cobra.Command

// exitError carries the exit code of a failure. If err is nil, nothing is printed.
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	go func() {
		// The first signal ends the context; the next one must end the process whatever hangs.
		<-ctx.Done()
		stop()
	}()
	root, dev := newRoot(env)
	args := env.Args
	if cmd, _, err := root.Find(args); err == nil && cmd == dev.command {
		args, dev.flags.dropped = asWrangler(args, cmd.Flags())
	}
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	code := exitUsage // cobra's own errors are about the command line
	var ee *exitError
	if errors.As(err, &ee) {
		code = ee.code
	}
	fmt.Fprint(env.Stderr, explain(err, isTerminal(env.Stderr) && getenv(env, "NO_COLOR") == ""))
	return code
}

func newRoot(env OS) (*cobra.Command, *devCommand) {
	root := &cobra.Command{
		Use:   "eddy",
		Short: "Run Cloudflare Workers with Queues and Durable Objects on this machine",
		Long: "eddy runs Cloudflare Workers that use Queues and Durable Objects on this machine:\n" +
			"one binary, no Node, no account. What was acknowledged is kept, also after kill -9.",
		SilenceErrors: true, SilenceUsage: true, DisableSuggestions: true,
		Args: unknownVerb, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetGlobalNormalizationFunc(kebab)
	cwd := root.PersistentFlags().String("cwd", "", "`directory` to run in, instead of the working directory")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if *cwd == "" {
			return nil
		}
		if err := env.Chdir(*cwd); err != nil {
			return usage("--cwd: %w", err)
		}
		return nil
	}
	dev := newDev(env)
	root.AddCommand(dev.command)
	// A session lives long, and the flags of all the other commands would be half a megabyte of its memory.
	switch {
	case len(env.Args) > 0 && env.Args[0] == "dev":
	case len(env.Args) > 0 && env.Args[0] == "serve":
		root.AddCommand(newServe(env))
	default:
		root.AddCommand(newServe(env))
		root.AddCommand(others(env)...)
	}
	withVersion(root)
	return root, dev
}

// others are the commands beside dev and serve.
func others(env OS) []*cobra.Command {
	all := []*cobra.Command{newTest(env), newQueues(env), newDLQ(env), newLanes(env), newObjects(env), newD1(env),
		newKV(env), newR2(env), newSecretsStore(env), newPipelines(env), newAnalytics(env), newState(env), newTail(env),
		newTrace(env), newMCP(env),
		newCapture(env), newCluster(env),
		newReplay(env), newWorkflows(env), newProfile(env),
		newWork(env), newInit(env), newTypes(env),
		newTime(env),
		newVersion()}
	for _, c := range forReleases {
		all = append(all, c(env))
	}
	return append(all, elsewhere()...)
}
