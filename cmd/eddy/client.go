package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"eddy/durableobject/objectjs"
	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/runtime"
	"eddy/runtime/control"
	"eddy/runtime/running"
	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// stateFlags say which session, or which state directory, a command means.
type stateFlags struct {
	persistTo, config, env, url string
	cluster                     string // its database, "" for this machine's state directory
	token                       string // what the session at url asks for
	journalDir                  string // in place of what the state directory has
	envFiles                    []string
	json                        bool
	// local and preview are flags of wrangler that change nothing here; remote is refused.
	local, preview, remote bool
	// objectsOnly says that the command looks at Durable Objects alone. They may exist without any queue.
	objectsOnly bool
}

func (f *stateFlags) add(cmd *cobra.Command) {
	fl := cmd.PersistentFlags()
	fl.StringVar(&f.persistTo, "persist-to", "",
		"state `directory` (default that of the running session, else .wrangler/state beside the configuration)")
	fl.StringVarP(&f.config, "config", "c", "", "configuration `file` of the session, or the directory it is in")
	fl.StringVarP(&f.env, "env", "e", "", "environment of the configuration")
	fl.StringVar(&f.url, "url", "", "`URL` of the running session, such as http://localhost:8787")
	fl.StringVar(&f.token, "token", "", "`token` that the session at --url asks for (default $EDDY_TOKEN)")
	fl.StringArrayVar(&f.envFiles, "env-file", nil, "dotenv `file`; the bindings do not depend on it")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	fl.BoolVar(&f.local, "local", false, "taken as wrangler's; everything is local")
	fl.BoolVar(&f.preview, "preview", false, "taken as wrangler's; local state is that of the preview resources "+
		"where there are any")
	fl.BoolVar(&f.remote, "remote", false, "")
	for _, name := range []string{"local", "preview", "remote", "env-file"} {
		fl.Lookup(name).Hidden = true
	}
}

// check refuses what eddy cannot do.
func (f *stateFlags) check(cmd *cobra.Command) error {
	if f.remote {
		return usage("--remote: eddy reaches only what is on this machine\n"+
			"  the account's is wrangler's: npx wrangler %s … --remote",
			strings.TrimPrefix(cmd.CommandPath(), "eddy "))
	}
	return nil
}

// place is where a command looks: the state directory, and the session that runs on it, if one was found.
type place struct {
	state statedir.Dir
	// url is the address of the session, "" if no running session was found.
	url string
	// node is its name in a cluster, "" outside. The state directory of a node is scratch.
	node string
}

// find finds the session or the state directory that a command means. It is the session at --url, else the directory of
// --persist-to, else a session that runs the configuration, else the directory where `eddy dev` would keep its state.
func (f *stateFlags) find(ctx context.Context, env OS) (place, error) {
	if f.url != "" {
		return f.atURL(ctx, env)
	}
	cwd, err := env.Getwd()
	if err != nil {
		return place{}, err
	}
	if f.persistTo != "" {
		return place{state: statedir.Choose(f.persistTo, cwd, "")}, nil
	}
	cfg, err := f.project(env)
	if err != nil && !errors.Is(err, wrangler.ErrNotFound) {
		return place{}, err
	}
	var running []running.Registered
	for _, r := range registered(ctx, env) {
		if err != nil && r.Dir != "" && within(cwd, r.Dir) ||
			err == nil && r.Env == cfg.Env && slices.ContainsFunc(r.Configs,
				func(c string) bool { return sameFile(c, cfg.Path) }) {
			running = append(running, r)
		}
	}
	switch {
	case len(running) == 1:
		return place{statedir.Dir(running[0].State), running[0].URL, running[0].Node}, nil
	case len(running) > 1:
		text := "more than one session runs this configuration; say which one is meant:"
		for _, r := range running {
			text += fmt.Sprintf("\n  --url %s (process %d, %s)", r.URL, r.PID, stateOf(r))
		}
		return place{}, usage("%s", text)
	case err != nil:
		return place{}, usage("%w\n  say which state is meant: -c path/to/wrangler.jsonc, --persist-to DIR, or "+
			"--url of a running session", err)
	}
	return place{state: statedir.Choose("", cwd, cfg.ProjectDir)}, nil
}

func registered(ctx context.Context, env OS) []running.Registered {
	return running.Sessions(ctx, running.RegistryDir(env.Environ))
}

func stateOf(r running.Registered) string {
	if r.Ephemeral {
		return "keeps nothing"
	}
	return "state in " + r.State
}

// atURL asks a session for its state directory.
func (f *stateFlags) atURL(ctx context.Context, env OS) (place, error) {
	c, err := f.dial(env, f.url)
	if err != nil {
		return place{}, usage("--url %q: expected an address such as http://localhost:8787", f.url)
	}
	s, err := c.Session(ctx)
	if wanted := (*running.TokenError)(nil); errors.As(err, &wanted) {
		return place{}, fmt.Errorf("the session at %s: %w\n  bring its token by --token, or in EDDY_TOKEN", f.url, err)
	}
	if err != nil {
		return place{}, fmt.Errorf("no session of eddy answers at %s\n  %w\n"+
			"  its first line says Ready on URL; without --url the session is found by its configuration", f.url, err)
	}
	return place{statedir.Dir(s.State), f.url, s.Node}, nil
}

// dial makes a client of the session at a URL. The token is told to no session but the one that the flags name.
func (f *stateFlags) dial(env OS, url string) (*control.Client, error) {
	token := ""
	if f.url != "" {
		if token = f.token; token == "" {
			token = getenv(env, "EDDY_TOKEN")
		}
	}
	return control.Dial(url, token)
}

// sameFile tells whether two paths lead to the same file or folder.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func within(dir, parent string) bool {
	rel, err := filepath.Rel(parent, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// project reads the configuration that the flags name.
func (f *stateFlags) project(env OS) (*wrangler.Config, error) {
	cwd, err := env.Getwd()
	if err != nil {
		return nil, err
	}
	o := wrangler.Options{Env: f.env, Environ: env.Environ, EnvFiles: f.envFiles}
	var loc wrangler.Location
	if f.config == "" {
		loc, err = wrangler.Find(cwd)
	} else {
		path := f.config
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return nil, usage("there is no configuration file %s", path)
		} else if err != nil {
			return nil, err
		}
		loc, err = wrangler.Locate(path)
	}
	if err != nil {
		return nil, err
	}
	o.UserPath = loc.UserPath
	// Mistakes in the configuration are for eddy dev to report: what is read here does not depend on them.
	cfg, found := wrangler.Load(loc.Path, o)
	if len(cfg.Environments) > 0 && cfg.Env != "" && !slices.Contains(cfg.Environments, cfg.Env) &&
		cfg.ProjectDir == cfg.Dir {
		return nil, usage("%s has no environment %q\n  there are: %s", loc.Path, cfg.Env,
			strings.Join(cfg.Environments, ", "))
	}
	if len(cfg.Bindings()) == 0 && found.HasErrors() && cfg.Name == "" {
		// it could not be read at all
		return nil, &exitError{exitUsage, &runtime.ConfigError{Diagnostics: found, Dir: cwd}}
	}
	return cfg, nil
}

// bindings reads the configuration whose bindings a command means, and finds the state directory that keeps their data.
func (f *stateFlags) bindings(ctx context.Context, env OS) (cfg *wrangler.Config, state statedir.Dir, err error) {
	p, err := f.find(ctx, env)
	if err != nil {
		return nil, "", err
	}
	if p.node != "" {
		return nil, "", usage("%s is node %s of a cluster, whose database keeps what is bound there\n"+
			"  eddy kv, d1, r2, pipelines and secrets-store reach it by --cluster postgres://…", f.url, p.node)
	}
	if cfg, err = f.project(env); errors.Is(err, wrangler.ErrNotFound) {
		err = usage("%w\n  say whose bindings are meant: -c path/to/wrangler.jsonc", err)
	}
	return cfg, p.state, err
}

// connect returns a client of the session that runs on the state directory. If none runs, connect opens the directory's
// log itself and returns a client of that. The log stays locked until release is called.
func (f *stateFlags) connect(ctx context.Context, env OS) (c *control.Client, release func() error, err error) {
	if f.cluster != "" {
		c, err := f.atCluster(ctx)
		return c, func() error { return nil }, err
	}
	p, err := f.find(ctx, env)
	if err != nil {
		return nil, nil, err
	}
	state := p.state
	if p.url != "" {
		c, err := f.dial(env, p.url)
		return c, func() error { return nil }, err
	}
	c, said, err := control.Find(ctx, string(state))
	if err == nil {
		return c, func() error { return nil }, nil
	}
	if !errors.Is(err, running.ErrNotRunning) {
		return nil, nil, err
	}
	o := queues.Options{Dir: state.Queues()}
	if _, err := os.Stat(o.Dir); errors.Is(err, os.ErrNotExist) && f.objectsOnly {
		o.FS = logstore.NewMemFS() // the state of wrangler dev has objects and no queues
	} else if _, lost := os.Stat(logstore.MarkFile(o.Dir)); err != nil && lost != nil {
		// If the mark is there, a log was there too, and queues.Open says what is missing.
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("nothing is kept in %s: no session has run on it yet\n"+
				"  start one: eddy dev; or say which state is meant: --persist-to DIR, -c FILE", state)
		}
		return nil, nil, err
	}
	b, _, err := queues.Open(o)
	if err != nil {
		var locked *statedir.LockedError
		if errors.As(err, &locked) {
			if said.URL != "" && said.PID == locked.Pid {
				return nil, nil, fmt.Errorf("the session of process %d has the queues of %s open, but does not "+
					"answer at %s", locked.Pid, state, said.URL)
			}
			return nil, nil, fmt.Errorf("process %d has the queues of %s open and serves no control API\n"+
				"  wait until it has ended, or end it: kill %d", locked.Pid, state, locked.Pid)
		}
		return nil, nil, fmt.Errorf("open the queues of the stopped session: %w", err)
	}
	a, err := control.New(control.Options{Broker: b, SideFile: state.API(), State: string(state),
		Render: objectjs.RenderValue})
	if err != nil {
		return nil, nil, errors.Join(err, b.Close())
	}
	return control.Local(a), func() error { return errors.Join(a.Close(), b.Close()) }, nil
}

// run makes the RunE of a command that needs a client.
func (f *stateFlags) run(env OS, do func(ctx context.Context, c *control.Client, args []string,
	out output) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		c, release, err := f.connect(cmd.Context(), env)
		if err != nil {
			return asFailure(err)
		}
		err = do(cmd.Context(), c, args, output{w: cmd.OutOrStdout(), json: f.json})
		return asFailure(errors.Join(err, release()))
	}
}

// asFailure gives exitFailure to an error that has no exit code yet.
func asFailure(err error) error {
	var ee *exitError
	if err == nil || errors.As(err, &ee) {
		return err
	}
	return &exitError{exitFailure, err}
}

// group is a command that only has subcommands.
func group(use, short string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: unknownVerb,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
}

// unknownVerb is the error for a word that is not a subcommand. It lists the subcommands.
func unknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var verbs, known []string
	for _, c := range cmd.Commands() {
		if known = append(append(known, c.Name()), c.Aliases...); c.IsAvailableCommand() {
			verbs = append(verbs, c.Name())
		}
	}
	text := fmt.Sprintf("%s has no command %q\n  there are: %s", cmd.CommandPath(), args[0], strings.Join(verbs, ", "))
	if meant := wrangler.DidYouMean(args[0], known); meant != "" {
		text += "\n  did you mean " + meant + "?"
	}
	return usage("%s", text)
}
