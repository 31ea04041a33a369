// Command clusterbench measures what a cluster costs: the same Worker served by one machine, by a node whose PostgreSQL
// is alone, and by one whose PostgreSQL has a synchronous standby, by turns, on this machine. It prints the ratios with
// the goals of docs/cluster.md.
//
//	go run ./testdata/clusterbench -rounds 5
//	go run ./testdata/clusterbench -rows 20m
//
// With -rows it measures nothing else: it sends, consumes, sets alarms and replaces rows of objects for that long, and
// shows each minute what PostgreSQL says of the tables. It needs unix and PostgreSQL's programs.
package main

import (
	"context"
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
	rounds int
	target time.Duration
	eddy   string
	only   *regexp.Regexp
	rows   time.Duration
	rate   int
}

func main() {
	var o options
	only := flag.String("only", "", "measure only paths whose name matches a regular expression")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each is measured")
	flag.DurationVar(&o.target, "target", time.Second, "how long one measurement takes, about")
	flag.StringVar(&o.eddy, "eddy", "", "binary of eddy (default: built from this tree)")
	flag.DurationVar(&o.rows, "rows", 0, "write short-lived rows for so long, and watch the tables")
	flag.IntVar(&o.rate, "rate", 500, "with -rows: messages a second, and as many turns of objects")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		err = run(context.Background(), o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if _, err := os.Stat("testdata/clusterbench/worker"); err != nil {
		return fmt.Errorf("run it at the root of the module: %w", err)
	}
	tmp, err := os.MkdirTemp("", "eddy-clusterbench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }() // it is the system's temporary folder
	if o.eddy == "" {
		o.eddy = filepath.Join(tmp, "eddy")
		build := exec.CommandContext(ctx, "go", "build", "-o", o.eddy, "./cmd/eddy")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	if o.rows > 0 {
		return watchRows(ctx, o, tmp)
	}
	return measure(ctx, o, tmp)
}
