package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/inspector"
	"eddy/runtime/journal"
	"eddy/runtime/replay"
	"eddy/runtime/report"
)

// replayFlags are those of eddy replay.
type replayFlags struct {
	configs, vars, envFiles []string
	env, state, from, to    string
	choose                  replay.Choice
	live, logs, edit        bool
	update, json, console   bool
	inspect                 inspectFlags
	debugger                *inspector.Inspector
	seed                    uint64
	chaos                   bool
	runs                    int
	ignore                  []string
}

func newReplay(env OS) *cobra.Command {
	f := replayFlags{}
	cmd := &cobra.Command{
		Use: "replay FILE...", Short: "Run captured events again, and compare what becomes of them",
		Long: "Run the events of files that eddy capture or eddy capture import has written through the Worker of\n" +
			"the current directory: at the captured instants of a virtual clock, with the captured messages, ids,\n" +
			"attempts and time. Outgoing requests are answered from the file. What becomes of each message, errors,\n" +
			"messages sent on and calls of objects and other Workers are compared with the file; what differs makes\n" +
			"the exit code 1.",
		Example: "  eddy capture --queue orders --failed --last 1 > orders.replay.jsonl\n" +
			"  eddy replay orders.replay.jsonl\n" +
			"  eddy replay orders.replay.jsonl --update",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("eddy replay takes files that eddy capture has written\n" +
					"  eddy capture --last 10 > x.replay.jsonl makes one")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := f.settle(); err != nil {
				return err
			}
			return f.run(cmd.Context(), env, files)
		},
	}
	fl := cmd.Flags()
	f.addProject(cmd)
	fl.StringVar(&f.choose.Queue, "queue", "", "only deliveries of a `queue`")
	fl.IntVar(&f.choose.Batch, "batch", 0, "only the delivery with a `number`, which counts from 1")
	fl.StringVar(&f.choose.Message, "message", "", "only the message with an `id`, or the beginning of one")
	fl.StringVar(&f.from, "from", "", "only what happened at a `time` such as 2026-11-23T12:00:00Z, or later")
	fl.StringVar(&f.to, "to", "", "only what happened before a `time`, or then")
	fl.BoolVar(&f.edit, "edit", false, "change the events in $EDITOR before they run; the file stays as it is")
	fl.IntVar(&f.choose.Times, "times", 1, "run each event a `number` of times")
	fl.BoolVar(&f.choose.Shuffle, "shuffle", false, "put deliveries and their messages in an order by lot")
	fl.Float64Var(&f.choose.Duplicate, "duplicate", 0, "`probability`, 0 to 1, with which a delivery comes twice")
	fl.Uint64Var(&f.seed, "seed", 1, "`number` that decides what comes by lot, and random numbers")
	fl.BoolVar(&f.live, "live", false, "let outgoing requests through to the network")
	fl.StringVar(&f.state, "state", "", "begin with a copy of a state `directory`; without it nothing is stored")
	fl.BoolVar(&f.logs, "logs", false, "compare log lines, too")
	fl.BoolVar(&f.console, "console", false, "show what the Workers write to the console, on standard error")
	fl.BoolVar(&f.chaos, "chaos", false, "check idempotency: run the deliveries many times with duplicates, in other "+
		"orders, with crashes and failures, and compare what is stored and sent in the end")
	fl.IntVar(&f.runs, "runs", 200, "with --chaos: how `often`")
	fl.StringArrayVar(&f.ignore, "ignore", nil,
		"with --chaos: `path` of what may differ, as kv.STORE.*.updatedAt; may be "+
			"repeated")
	f.inspect.add(fl)
	fl.BoolVar(&f.update, "update", false, "write what comes into the files")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// addProject adds the flags that say which Workers run.
func (f *replayFlags) addProject(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVarP(&f.configs, "config", "c", nil, "the Worker's configuration `file`, or the directory it is in; "+
		"may be repeated")
	fl.StringVarP(&f.env, "env", "e", "", "`environment` of the configuration")
	fl.StringArrayVar(&f.envFiles, "env-file", nil, "`file` in place of .dev.vars and .env; may be repeated")
	fl.StringArrayVar(&f.vars, "var", nil, "`NAME:VALUE` of a variable; may be repeated")
}

func (f *replayFlags) settle() (err error) {
	if f.choose.From, err = replayTime("from", f.from); err != nil {
		return err
	}
	if f.choose.To, err = replayTime("to", f.to); err != nil {
		return err
	}
	switch {
	case f.choose.Times < 1:
		return usage("--times %d: expected 1 or more", f.choose.Times)
	case f.choose.Batch < 0:
		return usage("--batch %d: batches count from 1", f.choose.Batch)
	case f.choose.Duplicate < 0 || f.choose.Duplicate > 1:
		return usage("--duplicate %v: expected a probability, 0 to 1", f.choose.Duplicate)
	}
	switch {
	case f.runs < 1:
		return usage("--runs %d: expected 1 or more", f.runs)
	case f.chaos && (f.inspect.port.given || f.inspect.brk.given):
		return usage("--inspect cannot be used with --chaos, which runs the deliveries hundreds of times")
	case f.chaos && (f.update || f.edit || f.choose.Times > 1 || f.choose.Shuffle || f.choose.Duplicate > 0):
		return usage("--chaos cannot be used with --update, --edit, --times, --shuffle and --duplicate")
	}
	if flag := f.changing(); f.update && flag != "" {
		return usage("--update cannot be used with %s: what comes then is not what became of the captured event", flag)
	}
	for _, path := range f.ignore {
		if err := replay.CheckIgnore(path); err != nil {
			return usage("--ignore %v", err)
		}
	}
	f.choose.Seed = f.seed
	return nil
}

// changing is a flag that makes events others than those of the file, "" if none is given.
func (f *replayFlags) changing() string {
	switch {
	case f.edit:
		return "--edit"
	case f.choose.Times > 1:
		return "--times"
	case f.choose.Shuffle:
		return "--shuffle"
	case f.choose.Duplicate > 0:
		return "--duplicate"
	case f.choose.Message != "":
		return "--message"
	}
	return ""
}

// replayTime reads a time. Without a zone it is UTC, as in files.
func replayTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04",
		"2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--%s %q: expected a time such as 2026-11-23T12:00:00Z", flag, text)
}

// options are those of a replay in dir.
func (f *replayFlags) options(env OS, dir string) replay.Options {
	o := replay.Options{State: f.state, Live: f.live, Logs: f.logs, Seed: f.seed}
	o.Project = replay.Project{Configs: f.configs, Dir: dir, Env: f.env, Vars: f.vars, EnvFiles: f.envFiles,
		Environ: env.Environ}
	if f.state != "" && !filepath.IsAbs(f.state) {
		o.State = filepath.Join(dir, f.state)
	}
	o.Inspector = f.debugger
	if f.console {
		o.Lines = report.New(report.Options{Out: env.Stderr, Level: report.Log})
	}
	return o
}

// readReplays reads files, and tells of lines that cannot be used.
func readReplays(env OS, dir string, files []string) (list []*replay.Recorded, damaged int, err error) {
	for _, name := range files {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return nil, 0, fmt.Errorf("%s is a directory: expected files of events, such as %s", name,
				filepath.Join(name, "orders.replay.jsonl"))
		}
		file, err := os.Open(path)
		if err != nil {
			return nil, 0, err
		}
		part, bad, err := replay.Read(name, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, 0, err
		}
		for _, one := range bad {
			fmt.Fprint(env.Stderr, explain(one, isTerminal(env.Stderr) && getenv(env, "NO_COLOR") == ""))
		}
		list, damaged = append(list, part...), damaged+len(bad)
	}
	return list, damaged, nil
}

func (f *replayFlags) run(ctx context.Context, env OS, files []string) error {
	dir, err := env.Getwd()
	if err != nil {
		return asFailure(err)
	}
	list, damaged, err := readReplays(env, dir, files)
	if err != nil {
		return asFailure(err)
	}
	plan, err := replay.Choose(list, f.choose)
	if err != nil {
		return asFailure(err)
	}
	if len(plan) == 0 {
		return asFailure(noEvents(list, damaged))
	}
	if f.edit {
		if plan, err = editPlan(ctx, env, plan); err != nil {
			return err
		}
	}
	if f.chaos {
		return f.check(ctx, env, dir, list, plan, damaged)
	}
	var end func()
	f.debugger, end = f.inspect.announced(env)
	defer end()
	events, err := replay.Run(ctx, f.options(env, dir), list, plan)
	if err != nil {
		return &exitError{startCode(err), err}
	}
	if f.update {
		changed, err := replay.Update(under(dir, events))
		if err != nil {
			return asFailure(err)
		}
		out := output{w: env.Stdout, json: f.json}
		return errors.Join(out.done(map[string]int{"changed": changed}, "%s ran again; %s changed",
			count(len(events), "event"), count(changed, "line")), damagedEnd(damaged))
	}
	shown := replayOutput{output: output{w: env.Stdout, json: f.json},
		color: isTerminal(env.Stdout) && getenv(env, "NO_COLOR") == "", update: f.changing() == ""}
	differ, err := shown.events(events)
	if err != nil {
		return asFailure(err)
	}
	if differ > 0 {
		return &exitError{code: exitFailure}
	}
	return damagedEnd(damaged)
}

// check checks idempotency.
func (f *replayFlags) check(
	ctx context.Context, env OS, dir string, list []*replay.Recorded, plan []*replay.Rerun, damaged int,
) error {
	found, err := replay.Check(ctx, replay.ChaosOptions{Options: f.options(env, dir), Runs: f.runs, Ignore: f.ignore},
		list, plan)
	if err != nil {
		return &exitError{startCode(err), err}
	}
	out := output{w: env.Stdout, json: f.json}
	err = out.value(found, func() error {
		var b strings.Builder
		replay.Show{Color: isTerminal(env.Stdout) && getenv(env, "NO_COLOR") == ""}.Chaos(&b, found)
		fmt.Fprintf(&b, "%s of %s, seed %d: ", count(found.Runs, "run"), deliveries(found.Deliveries), f.seed)
		if len(found.Findings) == 0 {
			b.WriteString("the end is always the same\n")
		} else {
			fmt.Fprintf(&b, "%s\n", count(len(found.Findings), "difference"))
		}
		_, err := fmt.Fprint(env.Stdout, b.String())
		return err
	})
	if err != nil {
		return asFailure(err)
	}
	if len(found.Findings) > 0 {
		return &exitError{code: exitFailure}
	}
	return damagedEnd(damaged)
}

// damagedEnd is the end of a replay of files with lines that could not be used, which have been told.
func damagedEnd(damaged int) error {
	if damaged == 0 {
		return nil
	}
	return &exitError{code: exitFailure}
}

// under gives files their whole paths.
func under(dir string, events []*replay.Replayed) []*replay.Replayed {
	for _, e := range events {
		if !filepath.IsAbs(e.File) {
			e.Rerun.Recorded = &replay.Recorded{File: filepath.Join(dir, e.File), Number: e.Number, Line: e.Line,
				At: e.At}
		}
	}
	return events
}

// noEvents says why there is nothing to run.
func noEvents(list []*replay.Recorded, damaged int) error {
	switch {
	case len(list) == 0 && damaged > 0:
		return errors.New("no line can be used")
	case len(list) == 0:
		return errors.New("there are no events in it")
	}
	for _, r := range list {
		switch r.Line.Kind {
		case journal.Queue, journal.Lane, journal.Dead, journal.Scheduled, journal.Fetch, journal.Alarm, journal.Socket:
			return errors.New("none of the events was chosen\n" +
				"  look at the flags --queue, --batch, --message, --from and --to")
		}
	}
	return errors.New("the files have no deliveries, requests, crons or alarms\n" +
		"  calls of objects and RPC run again when what has caused them does: capture the whole trace")
}

// editPlan lets the user change events in an editor.
func editPlan(ctx context.Context, env OS, plan []*replay.Rerun) ([]*replay.Rerun, error) {
	editor := getenv(env, "VISUAL")
	if editor == "" {
		editor = getenv(env, "EDITOR")
	}
	if len(strings.Fields(editor)) == 0 {
		return nil, usage("set EDITOR to edit events by hand")
	}
	lines := make([]*journal.Line, len(plan))
	for i, s := range plan {
		lines[i] = s.Line
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(lines); err != nil {
		return nil, asFailure(err)
	}
	changed, file, err := inEditor(ctx, env, editor, "eddy-*.json", text.Bytes())
	if err != nil {
		return nil, asFailure(err)
	}
	defer os.Remove(file)
	var parts []json.RawMessage
	if err := json.Unmarshal(changed, &parts); err != nil {
		return nil, asFailure(fmt.Errorf("what you wrote is no JSON array of events: %w", err))
	}
	var all bytes.Buffer
	for _, one := range parts {
		if err := json.Compact(&all, one); err != nil {
			return nil, asFailure(err)
		}
		all.WriteByte('\n')
	}
	list, damaged, err := replay.Read("edited", &all)
	if err := errors.Join(append(damaged, err)...); err != nil {
		return nil, asFailure(err)
	}
	edited, err := replay.Choose(list, replay.Choice{})
	return edited, asFailure(err)
}

func deliveries(n int) string {
	if n == 1 {
		return "1 delivery"
	}
	return fmt.Sprint(n, " deliveries")
}
