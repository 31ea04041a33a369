package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
	"eddy/runtime/journal"
	"eddy/runtime/report"
	"eddy/runtime/statedir"
)

// journalFlags choose entries of the journal.
type journalFlags struct {
	stateFlags
	filter journal.Filter
	since  duration
	status []string
}

// addJournalDir adds the flag that names a folder of journals.
func addJournalDir(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "journal", "",
		"a `folder` with what was recorded, such as one that eddy test --journal has kept")
	_ = cmd.MarkFlagDirname("journal")
}

func (f *journalFlags) add(cmd *cobra.Command) {
	f.stateFlags.add(cmd)
	addJournalDir(cmd, &f.journalDir)
	fl := cmd.Flags()
	fl.StringVar(&f.filter.Queue, "queue", "", "only deliveries of this `queue`")
	fl.StringVar(&f.filter.Object, "object", "", "only events of this Durable Object: its `name` or id, or its class")
	fl.StringArrayVar(&f.status, "status", nil, "only events with this outcome: ok, error or canceled; repeatable")
	fl.StringVar(&f.filter.Search, "search", "", "only events whose log lines have this `text`")
	fl.Var(&f.since, "since", "begin with what happened in the last such `time`, such as 10m")
}

// settle checks the flags. Times are counted back from the machine's time.
func (f *journalFlags) settle(cmd *cobra.Command, args []string) error {
	for _, s := range f.status {
		if s = strings.ToLower(s); s == "cancelled" {
			s = "canceled"
		}
		if !slices.Contains(journal.Statuses, s) {
			return usage("--status %q: expected ok, error or canceled", s)
		}
		f.filter.Status = append(f.filter.Status, s)
	}
	if len(args) == 1 {
		f.filter.Worker = args[0]
	}
	if cmd.Flags().Changed("since") {
		f.filter.Since = time.Now().Add(-f.since.Duration)
	}
	return f.check(cmd)
}

// journals finds the folder of the journals, and tells whether a session runs on the state directory.
func (f *stateFlags) journals(ctx context.Context, env OS) (dir string, running bool, err error) {
	if f.journalDir != "" {
		if info, err := os.Stat(f.journalDir); err != nil || !info.IsDir() {
			return "", false, fmt.Errorf("--journal %s: expected a folder: %w", f.journalDir,
				cmp.Or(err, errors.New("it is a file")))
		}
		return f.journalDir, false, nil
	}
	p, err := f.find(ctx, env)
	if err != nil {
		return "", false, err
	}
	running = p.url != ""
	if !running {
		_, _, notFound := control.Find(ctx, string(p.state))
		running = notFound == nil
	}
	return statedir.Dir(p.state).Journals(), running, nil
}

// readJournal calls do with the entries that a filter takes. Without any at all it says why.
func readJournal(env OS, dir string, filter *journal.Filter, do func(*journal.Entry) error) error {
	any := false
	err := journal.Read(dir, damageTold(env), func(e *journal.Entry) error {
		any = true
		if !filter.Match(e) {
			return nil
		}
		return do(e)
	})
	if err == nil && !any {
		return fmt.Errorf("nothing is recorded in %s\n"+
			"  eddy dev records what happens, unless --journal=off", dir)
	}
	return err
}

// damageTold is how people hear of damage in the journal.
func damageTold(env OS) func(string) {
	return func(text string) { fmt.Fprintln(env.Stderr, report.Escape(text)) }
}

var errEnough = errors.New("enough")
