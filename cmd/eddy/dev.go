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
	"eddy/runtime/report"
)

// devFlags are the flags of `eddy dev`, named as wrangler dev names them where it has them.
type devFlags struct {
	options   runtime.Options
	logLevel  string
	logFormat string
	noWatch   bool
	noHotkeys bool
	noColor   bool
	// remote is wrangler's; it is refused with the reason.
	remote bool
}

func newDev(env OS) *cobra.Command {
	var f devFlags
	cmd := &cobra.Command{
		Use:   "dev [script]",
		Short: "Serve Workers locally, with their queues and Durable Objects",
		Long: "Serve the Worker described by wrangler.jsonc, wrangler.json or wrangler.toml.\n\n" +
			"Queued messages, alarms and object storage are kept in the state directory and survive\n" +
			"a restart, also after kill -9. Repeat -c to run several Workers that share queues and objects.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				f.options.Main = args[0]
			}
			if cmd.Flags().Changed("port") && f.options.Port == 0 {
				f.options.Port = -1 // an explicit 0 asks for any, as everywhere
			}
			return runDev(cmd.Context(), env, f)
		},
	}
	o := &f.options
	fl := cmd.Flags()
	fl.StringArrayVarP(&o.Configs, "config", "c", nil, "configuration `file`; repeat for several Workers")
	fl.StringVarP(&o.Env, "env", "e", "", "environment of the configuration")
	fl.StringArrayVar(&o.Vars, "var", nil, "`NAME:VALUE` added to the environment variables; repeatable")
	fl.StringArrayVar(&o.EnvFiles, "env-file", nil, "dotenv `file` instead of .dev.vars and .env; repeatable")
	fl.StringVar(&o.Name, "name", "", "name of the Worker")
	fl.StringVar(&o.CompatibilityDate, "compatibility-date", "", "compatibility date, `YYYY-MM-DD`")
	fl.StringArrayVar(&o.CompatibilityFlags, "compatibility-flags", nil, "compatibility `flag`; repeatable")
	fl.StringVar(&o.IP, "ip", "", "address to listen on (default localhost)")
	fl.IntVar(&o.Port, "port", 0, "port to listen on (default 8787, or the next that is free); 0 picks any that is free")
	fl.StringVar(&o.LocalProtocol, "local-protocol", "", "http or https (default http)")
	fl.StringVar(&o.PersistTo, "persist-to", "", "state `directory` (default .wrangler/state beside the configuration)")
	fl.BoolVar(&o.Ephemeral, "ephemeral", false, "keep no state: everything is gone at the end")
	fl.StringVar(&o.Durability, "durability", "strict", "strict (acknowledged means on disk) or relaxed (given to the system)")
	fl.StringVar(&o.Alarms, "alarms", "fire", "what to do with alarms left from an earlier run: fire, hold or drop")
	fl.BoolVar(&o.RelaxedLimits, "relaxed-limits", false, "lift production's limits on stored keys and values")
	fl.DurationVar(&o.ObjectHistory, "object-history", 30*24*time.Hour, "how long the earlier states of objects are kept for point-in-time recovery; 0 for none")
	fl.BoolVar(&o.Crons, "crons", false, "fire triggers.crons by themselves")
	fl.BoolVar(&o.TestScheduled, "test-scheduled", false, "answer /__scheduled?cron=… by running the scheduled handler")
	fl.StringVar(&o.MetricsNamespace, "metrics-namespace", "", "first part of the names at /cdn-cgi/eddy/metrics (default eddy)")
	fl.StringVar(&f.logLevel, "log-level", "info", "debug, info, log, warn, error or none")
	fl.StringVar(&f.logFormat, "log-format", "text", "text or json, one object a line")
	fl.BoolVar(&f.noWatch, "no-watch", false, "do not reload when files change")
	fl.BoolVar(&f.noHotkeys, "no-hotkeys", false, "do not read keys from the terminal")
	fl.BoolVar(&f.remote, "remote", false, "")
	if err := fl.MarkHidden("remote"); err != nil {
		panic(err) // there is such a flag
	}
	fl.BoolVar(&f.noColor, "no-color", false, "no colours, also on a terminal")
	return cmd
}

func runDev(ctx context.Context, env OS, f devFlags) error {
	began := time.Now()
	level, err := report.ParseLevel(f.logLevel)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if f.logFormat != "text" && f.logFormat != "json" {
		return &exitError{exitUsage, fmt.Errorf("--log-format %q: expected text or json", f.logFormat)}
	}
	if err := checkDevFlags(f); err != nil {
		return &exitError{exitUsage, err}
	}
	color := isTerminal(env.Stdout) && !f.noColor && getenv(env, "NO_COLOR") == ""
	rep := report.New(report.Options{Out: env.Stdout, Format: report.Format(f.logFormat), Color: color, Level: level})
	o := f.options
	o.Reporter, o.Environ, o.Watch = rep, env.Environ, !f.noWatch
	if o.ObjectHistory == 0 {
		o.ObjectHistory = -1
	}
	if o.Dir, err = env.Getwd(); err != nil {
		return &exitError{exitFailure, err}
	}
	s, err := runtime.Start(ctx, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		rep.Line(report.Error, "start", runtime.Explain(err, rep.Color()))
		return &exitError{code: startCode(err)}
	}
	s.Banner(time.Since(began))
	if in, ok := env.Stdin.(*os.File); ok && !f.noHotkeys && f.logFormat == "text" && term.IsTerminal(int(in.Fd())) && isTerminal(env.Stdout) {
		var stop func()
		if ctx, stop, err = hotkeys(ctx, in, s, rep); err != nil {
			rep.Line(report.Warn, "hotkeys", err.Error())
		} else {
			defer stop()
		}
	}
	<-ctx.Done()
	rep.Line(report.Info, "stop", "Stopping…")
	end, cancel := context.WithTimeout(context.Background(), 900*time.Millisecond)
	defer cancel()
	if err := s.Stop(end); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return &exitError{exitFailure, fmt.Errorf("stop: %w", err)}
	}
	return nil
}

func checkDevFlags(f devFlags) error {
	oneOf := func(flag, value string, allowed ...string) error {
		for _, a := range allowed {
			if value == a || value == "" {
				return nil
			}
		}
		return fmt.Errorf("--%s %q: expected %s", flag, value, strings.Join(allowed, " or "))
	}
	var remote error
	if f.remote {
		remote = errors.New("--remote: everything runs on this machine, leave it out; wrangler dev --remote does not support queues either")
	}
	return errors.Join(
		remote,
		oneOf("durability", f.options.Durability, "strict", "relaxed"),
		oneOf("alarms", f.options.Alarms, "fire", "hold", "drop"),
		oneOf("local-protocol", f.options.LocalProtocol, "http", "https"),
	)
}

// startCode tells the user's mistakes from failures.
func startCode(err error) int {
	var ce *runtime.ConfigError
	var be *bundle.BuildError
	var se *runtime.StartError
	if errors.As(err, &ce) || errors.As(err, &be) || errors.As(err, &se) {
		return exitUsage
	}
	return exitFailure
}

// isTerminal tells whether a reader or writer is one.
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
