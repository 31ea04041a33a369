package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// changedSince asks git which files differ from a commit, "" for what is not committed (TEST-133, --changed). The
// paths are absolute.
func changedSince(ctx context.Context, dir, commit string) ([]string, error) {
	git := func(args ...string) ([]string, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.quotePath=false"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			why := err.Error()
			if exit, ok := err.(*exec.ExitError); ok {
				why = strings.TrimSpace(string(exit.Stderr))
			}
			return nil, usage("--changed: git %s: %s", args[0], why)
		}
		return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), nil
	}
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	if len(top) != 1 {
		return nil, fmt.Errorf("git rev-parse gave %d lines", len(top))
	}
	dir = top[0]
	asked := [][]string{
		{"diff", "--cached", "--name-only"},
		{"ls-files", "--other", "--modified", "--exclude-standard"},
	}
	if commit != "" {
		asked = append(asked, []string{"diff", "--name-only", commit + "...HEAD", "--"})
	}
	files := []string{}
	for _, args := range asked {
		names, err := git(args...)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			files = append(files, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	return files, nil
}

// isCommit tells whether git knows a commit by a name.
func isCommit(ctx context.Context, dir, name string) bool {
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	cmd.Dir = dir
	return cmd.Run() == nil
}

// concernsAll tells whether a changed file concerns all tests: what vitest calls a trigger of a whole run, and the
// Worker's configuration.
func concernsAll(file string) bool {
	name := path.Base(filepath.ToSlash(file))
	switch stem, rest, _ := strings.Cut(name, "."); stem {
	case "vitest", "vite":
		return strings.HasPrefix(rest, "config.")
	case "package":
		return rest == "json"
	case "wrangler":
		return rest == "json" || rest == "jsonc" || rest == "toml"
	}
	return false
}

// uncommitted is --changed without a commit. It is no name of one.
const uncommitted = ":uncommitted:"

// workerCount is the value of --max-workers.
type workerCount struct{ n *int }

func (w workerCount) String() string {
	if w.n == nil || *w.n == 0 {
		return ""
	}
	return strconv.Itoa(*w.n)
}
func (w workerCount) Type() string { return "number" }

func (w workerCount) Set(text string) error {
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		p, err := strconv.ParseFloat(percent, 64)
		if err != nil || p <= 0 {
			return errors.New("expected a share of the cores, as 50%")
		}
		*w.n = share(p / 100)
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("expected a whole number, or a share of the cores as 50%")
	}
	*w.n = n
	return nil
}

// share is how many workers a part of the cores are, at least one.
func share(part float64) int { return max(1, int(part*float64(runtime.GOMAXPROCS(0)))) }
