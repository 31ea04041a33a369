package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
	"eddy/runtime/profile"
	"eddy/runtime/report"
)

// profileFlags are those of `eddy profile`.
type profileFlags struct {
	stateFlags
	worker, output string
	heap           bool
	seconds        float64
	interval       time.Duration
}

func newProfile(env OS) *cobra.Command {
	var f profileFlags
	cmd := &cobra.Command{
		Use:   "profile",
		Short: "Record where the Workers of a running session spend their time, or what takes memory",
		Long: "Record the Workers of a running session for some seconds: which functions compute, or with\n" +
			"--heap which allocate and what of that is still alive. Functions have the names, files and\n" +
			"lines of your sources. The file is for go tool pprof; one that is called .cpuprofile or\n" +
			".heapprofile is for Chrome's DevTools, VS Code and speedscope. A session that nobody records\n" +
			"is as fast as ever.",
		Example: "  eddy profile --seconds 5\n" +
			"  go tool pprof -http=: cpu.pprof\n" +
			"  eddy profile --worker shop -o shop.cpuprofile\n" +
			"  eddy profile --heap && go tool pprof -top -sample_index=alloc_space heap.pprof",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return asFailure(f.record(cmd.Context(), env, output{w: cmd.OutOrStdout(), json: f.json}))
		},
	}
	fl := cmd.Flags()
	fl.Float64VarP(&f.seconds, "seconds", "s", 10, "how long is recorded, in `seconds` of the machine's clock")
	fl.BoolVar(&f.heap, "heap", false, "record what allocates, in place of what computes")
	fl.StringVarP(&f.worker, "worker", "w", "", "`name` of the Worker (default all of the session)")
	fl.StringVarP(&f.output, "output", "o", "", "`file` (default cpu.pprof or heap.pprof)")
	fl.DurationVar(&f.interval, "interval", profile.DefaultInterval, "how often is looked at what computes")
	f.add(cmd)
	f.completeFlags(env, cmd, nil)
	return cmd
}

// record asks the session and writes the file.
func (f *profileFlags) record(ctx context.Context, env OS, out output) error {
	in := control.Profiling{Kind: profile.CPU, Worker: f.worker, Seconds: f.seconds, Format: "pprof",
		IntervalUS: f.interval.Microseconds()}
	if f.heap = f.heap || filepath.Ext(f.output) == ".heapprofile"; f.heap {
		in.Kind, in.IntervalUS = profile.Heap, 0
	}
	if f.output == "" {
		f.output = string(in.Kind) + ".pprof"
	}
	switch chrome := "." + string(in.Kind) + "profile"; filepath.Ext(f.output) {
	case chrome:
		in.Format = "chrome"
	case ".cpuprofile", ".heapprofile":
		return usage("%s: what is recorded is for a file *.pprof or *%s", f.output, chrome)
	}
	if f.seconds <= 0 || f.seconds > 3600 {
		return usage("--seconds %v: expected more than 0, and 3600 at most", f.seconds)
	}
	file := f.output
	if !filepath.IsAbs(file) {
		cwd, err := env.Getwd()
		if err != nil {
			return err
		}
		file = filepath.Join(cwd, file)
	}
	p, err := f.find(ctx, env)
	if err != nil {
		return err
	}
	var c *control.Client
	if p.url != "" {
		c, err = f.dial(env, p.url)
	} else {
		c, _, err = control.Find(ctx, string(p.state))
	}
	if err != nil {
		return fmt.Errorf("%w\n  eddy profile records a session that runs: start one with eddy dev", err)
	}
	if in.Format == "chrome" && !f.heap && f.worker == "" {
		if in.Worker, err = onlyWorker(ctx, c); err != nil {
			return err
		}
	}
	if !f.json {
		fmt.Fprintf(env.Stderr, "Recording for %s…\n", report.Duration(time.Duration(f.seconds*float64(time.Second))))
	}
	got, err := c.Profile(ctx, in)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, got.Data, 0o666); err != nil {
		return fmt.Errorf("write the profile: %w", err)
	}
	got.Data = nil
	return out.value(struct {
		File string `json:"file"`
		control.Profiled
	}{f.output, got}, func() error { return showProfile(out, f, got) })
}

// onlyWorker is the session's Worker if it has one: Chrome's form of what computes has room for no more.
func onlyWorker(ctx context.Context, c *control.Client) (string, error) {
	s, err := c.Session(ctx)
	if err != nil {
		return "", err
	}
	if len(s.Workers) != 1 {
		return "", usage("a .cpuprofile is of one Worker; say which with --worker: %s", strings.Join(s.Workers, ", "))
	}
	return s.Workers[0], nil
}

// showProfile shows the functions that have spent the most.
func showProfile(out output, f *profileFlags, got control.Profiled) error {
	spent := func(n int64) string { return report.Duration(time.Duration(n)) }
	took := time.Duration(got.TookMS) * time.Millisecond
	what := fmt.Sprintf("computed for %s of %s", spent(got.Total), report.Duration(took))
	self := "SELF"
	if f.heap {
		spent = func(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
		what = fmt.Sprintf("allocated %s, of all that is alive %s", spent(got.Total), spent(got.Live))
		self = "ALLOCATED"
	}
	var rows [][]string
	for _, t := range got.Top {
		if t.Self == 0 && t.All == 0 {
			continue
		}
		place := ""
		if t.File != "" {
			place = fmt.Sprintf("%s:%d", t.File, t.Line)
		}
		rows = append(rows, []string{spent(t.Self), spent(t.All), t.Function, place})
	}
	if _, err := fmt.Fprintf(out.w, "%s: %s\n", report.Escape(f.output), what); err != nil || len(rows) == 0 {
		return err
	}
	return out.table([]string{self, "WITH CALLEES", "FUNCTION", "FILE"}, rows)
}
