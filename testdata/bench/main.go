// Command bench runs the same Workers on eddy and, where they are installed, on wrangler dev and on workerd alone, by
// turns, and says how they compare: medians of several rounds and ratios, as a table and as JSON.
//
//	go run ./testdata/bench -rounds 5 -json figures.json
//	go run ./testdata/bench -only 'send|consume' -before ./eddy-of-yesterday
//	go run ./testdata/bench -profile cmd/eddy/default.pgo -target 2s
//
// It needs Linux. With npm on the path the Workers of real packages are measured too. The client runs on the same
// machine and takes its share of the processors from every side alike.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// options are the flags.
type options struct {
	rounds    int
	only      *regexp.Regexp
	target    time.Duration // how long one measurement of a path is meant to take
	eddy      string        // binaries; empty ones are built, or left out
	before    string
	wrangler  string
	workerd   string
	json      string
	profile   string
	burst     int  // messages of one more burst
	processor bool // measure processor time
	noNPM     bool
	keepsTold bool
}

func main() {
	var o options
	only := flag.String("only", "", "measure only paths whose name matches a regular expression")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each is measured")
	flag.DurationVar(&o.target, "target", 300*time.Millisecond, "how long one measurement takes, about")
	flag.StringVar(&o.eddy, "eddy", "", "binary of eddy (default: built from this tree)")
	flag.StringVar(&o.before, "before", "", "another binary of eddy to compare with")
	flag.StringVar(&o.wrangler, "wrangler", found("wrangler"), "wrangler's command; empty: without")
	flag.StringVar(&o.workerd, "workerd", found("workerd"), "workerd's binary; empty: without")
	flag.StringVar(&o.json, "json", "", "file for the figures as JSON")
	flag.StringVar(&o.profile, "profile", "", "measure nothing; write a profile of eddy's processor time for go build -pgo")
	flag.BoolVar(&o.processor, "cpu", false, "measure the processor time of a side in the place of the clock's, but for starts")
	flag.IntVar(&o.burst, "burst", 0, "measure one more burst of that many messages; a million takes half a minute a round")
	flag.BoolVar(&o.noNPM, "no-npm", false, "leave out what needs packages from npm")
	flag.BoolVar(&o.keepsTold, "v", false, "show what the servers say")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		err = bench(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func found(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

func bench(o options) error {
	if _, err := os.Stat("testdata/bench/worker"); err != nil {
		return fmt.Errorf("run it at the root of the module: %w", err)
	}
	tmp, err := os.MkdirTemp("", "eddy-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if o.profile != "" {
		o.eddy, o.before, o.wrangler, o.workerd = os.Args[0], "", "", ""
	}
	if o.eddy == "" {
		o.eddy = filepath.Join(tmp, "eddy")
		build := exec.Command("go", "build", "-o", o.eddy, "./cmd/eddy")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	if o.profile == "" {
		if err := copied(tmp, &o.eddy, &o.before); err != nil {
			return err
		}
	}
	w, err := newWorkers(tmp, o)
	if err != nil {
		return err
	}
	if o.profile != "" {
		return profilePaths(o, w)
	}
	figures := newFigures(o, w)
	if err := measureStarts(o, w, figures); err != nil {
		return err
	}
	if err := measurePaths(o, w, figures); err != nil {
		return err
	}
	if err := measureQueues(o, w, figures); err != nil {
		return err
	}
	figures.print(os.Stdout)
	if o.json != "" {
		return figures.write(o.json)
	}
	return nil
}

// copied puts binaries beside each other: how a file lies in the system's cache makes a fifth of what a process has
// resident, and of how long it takes to start.
func copied(dir string, binaries ...*string) error {
	for i, binary := range binaries {
		if *binary == "" {
			continue
		}
		data, err := os.ReadFile(*binary)
		if err != nil {
			return err
		}
		*binary = filepath.Join(dir, fmt.Sprintf("side%d", i))
		if err := os.WriteFile(*binary, data, 0o755); err != nil {
			return err
		}
	}
	return nil
}
