package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/runtime"
	"eddy/runtime/control"
	"eddy/wrangler"
)

// stateFlags say which state directory a command means.
type stateFlags struct {
	persistTo, config, env string
	json                   bool
	// objectsOnly commands look at Durable Objects, which may be there without any queue.
	objectsOnly bool
}

func (f *stateFlags) add(cmd *cobra.Command) {
	fl := cmd.PersistentFlags()
	fl.StringVar(&f.persistTo, "persist-to", "", "state `directory` (default .wrangler/state beside the configuration)")
	fl.StringVarP(&f.config, "config", "c", "", "configuration `file` of the session")
	fl.StringVarP(&f.env, "env", "e", "", "environment of the configuration")
	fl.BoolVar(&f.json, "json", false, "print JSON")
}

// state finds the state directory as `eddy dev` does.
func (f *stateFlags) state(env OS) (string, error) {
	cwd, err := env.Getwd()
	if err != nil {
		return "", err
	}
	if f.persistTo != "" {
		if filepath.IsAbs(f.persistTo) {
			return filepath.Clean(f.persistTo), nil
		}
		return filepath.Join(cwd, f.persistTo), nil
	}
	cfg, err := f.project(env)
	if err != nil {
		return "", err
	}
	return filepath.Join(cfg.ProjectDir, ".wrangler", "state"), nil
}

// project reads the configuration that is meant.
func (f *stateFlags) project(env OS) (*wrangler.Config, error) {
	cwd, err := env.Getwd()
	if err != nil {
		return nil, err
	}
	o := wrangler.Options{Env: f.env, Environ: env.Environ}
	path := f.config
	if path == "" {
		found, err := wrangler.Find(cwd)
		if errors.Is(err, wrangler.ErrNotFound) {
			return nil, fmt.Errorf("%s: %w\n  say which state is meant: -c path/to/wrangler.jsonc or --persist-to DIR", cwd, err)
		}
		if err != nil {
			return nil, err
		}
		path, o.UserPath = found.Path, found.UserPath
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no configuration file %s", path)
	} else if err != nil {
		return nil, err
	}
	// Mistakes in the configuration are for eddy dev to report: what is read here does not depend on them.
	cfg, _ := wrangler.Load(path, o)
	return cfg, nil
}

// bindings reads the configuration whose bindings are meant, and where the state directory keeps what is bound.
func (f *stateFlags) bindings(env OS) (cfg *wrangler.Config, v3 string, err error) {
	if cfg, err = f.project(env); err != nil {
		return nil, "", err
	}
	state, err := f.state(env)
	return cfg, filepath.Join(state, "v3"), err
}

// connect gives a client of the session that runs on the state directory or, if none does, of the directory's log, which
// is then open, and locked, until release.
func (f *stateFlags) connect(ctx context.Context, env OS) (c *control.Client, release func() error, err error) {
	state, err := f.state(env)
	if err != nil {
		return nil, nil, &exitError{exitUsage, err}
	}
	c, said, err := control.Find(ctx, state)
	if err == nil {
		return c, func() error { return nil }, nil
	}
	if !errors.Is(err, control.ErrNotRunning) {
		return nil, nil, err
	}
	o := queues.Options{Dir: control.LogDir(state)}
	if _, err := os.Stat(o.Dir); errors.Is(err, os.ErrNotExist) && f.objectsOnly {
		o.FS = logstore.NewMemFS() // a state of wrangler dev has objects and no queues
	} else if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("nothing is kept in %s: no session has run on it yet\n  start one: eddy dev; or say which state is meant: --persist-to DIR, -c FILE", state)
		}
		return nil, nil, err
	}
	b, _, err := queues.Open(o)
	if err != nil {
		var locked *logstore.LockedError
		if errors.As(err, &locked) {
			if said.URL != "" && said.PID == locked.Pid {
				return nil, nil, fmt.Errorf("the session of process %d has the queues of %s open, but does not answer at %s", locked.Pid, state, said.URL)
			}
			return nil, nil, fmt.Errorf("process %d has the queues of %s open and serves no control API\n  wait until it has ended, or end it: kill %d", locked.Pid, state, locked.Pid)
		}
		return nil, nil, fmt.Errorf("open the queues of the stopped session: %w", err)
	}
	a, err := control.New(control.Options{Broker: b, SideFile: control.SideFilePath(state), State: state, Render: runtime.RenderValue})
	if err != nil {
		return nil, nil, errors.Join(err, b.Close())
	}
	return control.Local(a), func() error { return errors.Join(a.Close(), b.Close()) }, nil
}

// run makes the RunE of a command that needs a client.
func (f *stateFlags) run(env OS, do func(ctx context.Context, c *control.Client, args []string, out output) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, release, err := f.connect(cmd.Context(), env)
		if err != nil {
			return asFailure(err)
		}
		err = do(cmd.Context(), c, args, output{w: cmd.OutOrStdout(), json: f.json})
		return asFailure(errors.Join(err, release()))
	}
}

// asFailure gives errors that have no exit code yet that of a failure.
func asFailure(err error) error {
	var ee *exitError
	if err == nil || errors.As(err, &ee) {
		return err
	}
	return &exitError{exitFailure, err}
}

// group is a command that only has subcommands.
func group(use, short string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
}
