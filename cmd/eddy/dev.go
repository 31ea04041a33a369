package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"eddy/runtime"
	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/node"
	"eddy/runtime/report"
	"eddy/runtime/running"
	"eddy/runtime/testrun"
	"eddy/runtime/trial"
	"eddy/wrangler"
)

// devCommand is `eddy dev`. Its arguments are rewritten (asWrangler) before its flags are parsed.
type devCommand struct {
	command *cobra.Command
	flags   *devFlags
}

func newDev(env OS) *devCommand {
	f := &devFlags{history: duration{30 * 24 * time.Hour}, journalSize: 64_000_000,
		journalAge: duration{24 * time.Hour}}
	cmd := &cobra.Command{
		Use:   "dev [script]",
		Short: "Serve Workers locally, with their queues and Durable Objects",
		Long: "Serve the Worker described by wrangler.jsonc, wrangler.json or wrangler.toml, or a script alone.\n\n" +
			"Queued messages, alarms and object storage are kept in the state directory and survive\n" +
			"a restart, also after kill -9. Repeat -c to run several Workers that share queues and objects.\n\n" +
			"Every flag of wrangler dev is accepted. If eddy cannot do what a flag asks for, it says so.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("eddy dev takes one script, but got %s", strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var refused error
			f.notes, refused = foreignGiven(cmd.Flags())
			if err := errors.Join(refused, f.settle(cmd, args)); err != nil {
				return err
			}
			return runDev(cmd.Context(), env, f)
		},
	}
	f.add(cmd.Flags())
	addForeign(cmd.Flags())
	(&stateFlags{}).completeFlags(env, cmd, nil)
	return &devCommand{cmd, f}
}

func runDev(ctx context.Context, env OS, f *devFlags) error {
	began := time.Now()
	level, err := report.ParseLevel(f.logLevel)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	color := isTerminal(env.Stdout) && !f.noColor && getenv(env, "NO_COLOR") == ""
	rep := report.New(report.Options{Out: env.Stdout, Format: report.Format(f.logFormat), Color: color, Level: level,
		Timestamps: f.timestamps})
	o := f.options
	o.Reporter, o.Environ, o.Watch = rep, env.Environ, !f.noWatch
	o.Listen, o.Persist, o.NoContainers = true, !f.ephemeral, !f.containers
	o.Bundles = running.BundleDir(env.Environ)
	if o.Clock, err = f.time.clock(); err != nil {
		return err
	}
	if f.time.seeded {
		o.Random = testrun.NewOrder(f.time.seed).Random()
	}
	if f.ephemeral {
		o.PersistTo = ""
	}
	for _, name := range f.dropped {
		f.notes = append(f.notes, name+" has no effect: it belongs to an experiment of wrangler's")
	}
	for _, note := range f.notes {
		rep.Line(report.Info, "flag", rep.Paint("dim", note))
	}
	if o.Dir, err = env.Getwd(); err != nil {
		return &exitError{exitFailure, err}
	}
	explorer := trial.NewSearcher(o, f.time.seed)
	defer explorer.End()
	o.Explorer, o.Replay, o.Work = explorer, replayer(o), f.work(env)
	o.Inspector = f.inspect.server(nil, func(at string) {
		rep.Line(report.Info, "debugger", "Waiting for a debugger at ws://"+at)
	})
	for {
		again, err := f.serve(ctx, env, o, rep, began)
		if !again {
			return err
		}
		f.inspect.port.given = true
		o.Inspector = f.inspect.server(nil, nil)
		began = time.Now()
	}
}

// errInspect ends a session that begins again with a debugger.
var errInspect = errors.New("a debugger is wanted")

// serve runs one session. again says that it ended because a person wants one with a debugger.
func (f *devFlags) serve(
	ctx context.Context, env OS, o runtime.Options, rep *report.Reporter, began time.Time,
) (again bool, err error) {
	if o.Inspector != nil {
		defer o.Inspector.Close()
	}
	var s *runtime.Session
	err, ok := outlast(ctx, func() (err error) {
		s, err = runtime.Start(ctx, o)
		return err
	})
	if !ok {
		return false, nil
	}
	if err != nil {
		if ctx.Err() != nil {
			return false, nil
		}
		if f.logFormat == "json" {
			rep.Line(report.Error, "start", runtime.Explain(err, false))
			return false, &exitError{code: startCode(err)}
		}
		return false, &exitError{startCode(err), startHint(o, err)}
	}
	s.Banner(time.Since(began))
	started.Store(true)
	restore := func() {}
	whole := ctx
	if in, ok := env.Stdin.(*os.File); ok && !f.noHotkeys && f.logFormat == "text" && term.IsTerminal(int(in.Fd())) &&
		isTerminal(env.Stdout) {
		var giveBack func()
		if ctx, giveBack, err = hotkeys(ctx, in, s, rep, o.Inspector); err != nil {
			rep.Line(report.Warn, "hotkeys", err.Error())
		} else {
			restore = giveBack
			defer restore()
		}
	}
	<-ctx.Done()
	again = errors.Is(context.Cause(ctx), errInspect) && whole.Err() == nil
	restore() // before anything else: a second Ctrl-C ends the process at once
	if again {
		rep.Line(report.Info, "debugger", "Starting again, so that a debugger can stop…")
	} else {
		rep.Line(report.Info, "stop", "Stopping…")
	}
	if o.Inspector != nil {
		o.Inspector.Close() // a script that is paused goes on
	}
	end, cancel := clock.WithPatience(context.Background(), drainGrace)
	defer cancel()
	err, ok = outlast(whole, func() error { return s.Stop(end) })
	if !ok {
		rep.Line(report.Warn, "stop", "What still computes was not waited for; all that was acknowledged is on disk.")
	} else if err != nil && !late(err) {
		return false, &exitError{exitFailure, fmt.Errorf("stop: %w", err)}
	}
	return again, nil
}

// startCode is the exit code for an error of the start: exitUsage for a mistake of the user, else exitFailure.
func startCode(err error) int {
	var ce *runtime.ConfigError
	var be *bundle.BuildError
	var se *runtime.StartError
	var code *node.CodeError
	if errors.As(err, &code) || errors.As(err, &ce) || errors.As(err, &be) || errors.As(err, &se) ||
		errors.Is(err, wrangler.ErrNotFound) {
		return exitUsage
	}
	return exitFailure
}

// startHint adds a configuration to paste to the error of a directory that has none.
func startHint(o runtime.Options, err error) error {
	if !errors.Is(err, wrangler.ErrNotFound) || len(o.Configs) > 0 {
		return err
	}
	return fmt.Errorf("%w\n%s", err, firstConfiguration(o.Dir))
}

// isTerminal tells whether a reader or writer is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func getenv(env OS, name string) string {
	for _, kv := range env.Environ {
		if len(kv) > len(name) && kv[:len(name)] == name && kv[len(name)] == '=' {
			return kv[len(name)+1:]
		}
	}
	return ""
}
