package testrun

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/report"
	"eddy/runtime/session"
	"eddy/runtime/testrun/testconfig"
)

// WranglerCommand does what a command of wrangler does that configurations of tests run (TEST-63): build, deploy with
// --dry-run, and pages functions build. It gives what the command prints.
func WranglerCommand(_ context.Context, dir string, args []string) (string, error) {
	notServed := fmt.Errorf("%w: wrangler %s", testconfig.ErrNotServed, strings.Join(args, " "))
	if len(args) == 0 {
		return "", notServed
	}
	if functions := []string{"pages", "functions", "build"}; len(args) >= 3 && slices.Equal(args[:3], functions) {
		text, err := pagesFunctions(dir, args[3:])
		if err != nil {
			return "", fmt.Errorf("wrangler pages functions build: %w", err)
		}
		return text, nil
	}
	fl := pflag.NewFlagSet("wrangler", pflag.ContinueOnError)
	configs := fl.StringArrayP("config", "c", nil, "")
	env := fl.StringP("env", "e", "", "")
	outdir := fl.String("outdir", "dist", "")
	dry := fl.Bool("dry-run", false, "")
	name := fl.String("name", "", "")
	minify := fl.Bool("minify", false, "")
	if err := fl.Parse(args[1:]); err != nil {
		return "", fmt.Errorf("%w: %w", notServed, err)
	}
	if args[0] != "build" && (args[0] != "deploy" || !*dry) {
		return "", notServed
	}
	o := session.Options{
		Configs: *configs, Dir: dir, Env: *env, Name: *name, Clock: clock.Real{},
		Report: report.New(report.Options{Level: report.None}),
	}
	if fl.NArg() > 0 {
		o.Main = fl.Arg(0)
	}
	if fl.Changed("minify") {
		o.Overrides.Minify = minify
	}
	cfg, b, err := session.Prepare(o)
	if err != nil {
		return "", err
	}
	out := *outdir
	switch {
	case filepath.IsAbs(out):
	case fl.Changed("outdir"):
		out = filepath.Join(dir, out)
	default:
		out = filepath.Join(cfg.Dir, out)
	}
	path, err := bundle.Write(b, out)
	var failure *bundle.BuildError
	if errors.As(err, &failure) {
		return "", fmt.Errorf("wrangler %s: %w", args[0], err)
	}
	return "Built " + path + "\n", err
}
