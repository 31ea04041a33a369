// Command beside runs the suite of a thousand orders with eddy, and what Cloudflare's integration with vitest can express
// of it with that and with eddy, by turns: wall time, processor time and peak memory of all processes together.
//
//	go run ./runtime/testrun/testdata/orders/beside -rounds 3
//
// It needs Linux, Node and npm.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// The packages that are compared with, pinned.
const packages = `{
  "private": true, "type": "module",
  "devDependencies": { "vitest": "4.1.12", "@cloudflare/vitest-pool-workers": "0.23.0" }
}
`

const config = `import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
export default defineConfig({
  plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.jsonc" } })],
  test: { testTimeout: 60_000 },
});
`

func main() {
	rounds := flag.Int("rounds", 3, "how often each is measured")
	files := flag.Int("files", 40, "how many files of 25 tests the suites have")
	flag.Parse()
	if err := compare(*rounds, *files); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// suite is a way to run one of the projects.
type suite struct {
	name, dir string
	command   []string
	runs      []measured
}

type measured struct {
	wall, cpu time.Duration
	peak      int64 // bytes
}

func compare(rounds, files int) error {
	orders := "runtime/testrun/testdata/orders"
	if _, err := os.Stat(orders); err != nil {
		return fmt.Errorf("run it at the root of the module: %w", err)
	}
	tmp, err := os.MkdirTemp("", "orders-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	eddy := filepath.Join(tmp, "eddy")
	if err := run("", "go", "build", "-o", eddy, "./cmd/eddy"); err != nil {
		return err
	}
	hour, plain := filepath.Join(tmp, "hour"), filepath.Join(tmp, "plain")
	for _, p := range []struct{ dir, test string }{{hour, "waits.js"}, {plain, "pool.js"}} {
		if err := project(orders, p.dir, p.test, files); err != nil {
			return err
		}
	}
	if err := withoutDelay(plain); err != nil {
		return err
	}
	if err := run(plain, "npm", "install", "--no-audit", "--no-fund", "--silent"); err != nil {
		return err
	}
	suites := []*suite{
		{name: "eddy, an hour's delay", dir: hour, command: []string{eddy, "test"}},
		{name: "eddy, no delay", dir: plain, command: []string{eddy, "test"}},
		{name: "vitest, no delay", dir: plain, command: []string{"npx", "vitest", "run"}},
	}
	for range rounds {
		for _, s := range suites {
			m, err := s.measure(files * 25)
			if err != nil {
				return err
			}
			s.runs = append(s.runs, m)
		}
	}
	fmt.Printf("%-24s %12s %12s %10s   (medians of %d rounds)\n", "1,000 orders", "wall", "cpu", "peak", rounds)
	for _, s := range suites {
		m := s.median()
		fmt.Printf("%-24s %12s %12s %7d MB   %v\n", s.name, m.wall.Round(10*time.Millisecond),
			m.cpu.Round(10*time.Millisecond), m.peak>>20, s.walls())
	}
	return nil
}

// project copies the Worker and writes the test file so many times.
func project(from, to, test string, files int) error {
	for _, name := range []string{"wrangler.jsonc", "src/index.js", test} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		var targets []string
		if name != test {
			targets = append(targets, name)
		}
		for i := range files {
			if name == test {
				targets = append(targets, fmt.Sprintf("test/orders%d.test.js", i))
			}
		}
		for _, target := range targets {
			path := filepath.Join(to, target)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(path, text, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutDelay makes a project one for vitest, whose retries come at once.
func withoutDelay(dir string) error {
	for _, name := range []string{"wrangler.jsonc", "src/index.js"} {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		changed := strings.ReplaceAll(string(text), "3600", "0")
		if changed == string(text) {
			return fmt.Errorf("%s has no delay of 3600 seconds", path)
		}
		if err := os.WriteFile(path, []byte(changed), 0o666); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(packages), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "vitest.config.js"), []byte(config), 0o666)
}

func run(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

// measure runs the suite once. All tests must pass.
func (s *suite) measure(tests int) (m measured, err error) {
	cmd := exec.Command(s.command[0], s.command[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "CI=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return m, err
	}
	var peak atomic.Int64
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case <-ended:
				return
			case <-time.After(20 * time.Millisecond):
				peak.Store(max(peak.Load(), resident(cmd.Process.Pid)))
			}
		}
	}()
	err = cmd.Wait()
	m.wall = time.Since(began)
	close(ended)
	<-watched
	m.cpu, m.peak = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), peak.Load()
	if err != nil || !strings.Contains(out.String(), fmt.Sprintf("%d passed (%d)", tests, tests)) {
		return m, fmt.Errorf("%s: %v: expected %d tests to pass\n%s", s.name, err, tests, out.String())
	}
	return m, nil
}

// resident is the memory of a process group.
func resident(group int) (sum int64) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest) // from the third on: state, parent, group …
		if len(fields) < 22 || fields[2] != strconv.Itoa(group) {
			continue
		}
		pages, err := strconv.ParseInt(fields[21], 10, 64)
		if err == nil {
			sum += pages * int64(os.Getpagesize())
		}
	}
	return sum
}

func (s *suite) median() measured {
	sorted := slices.SortedFunc(slices.Values(s.runs), func(a, b measured) int { return int(a.wall - b.wall) })
	return sorted[len(sorted)/2]
}

func (s *suite) walls() (list []string) {
	for _, m := range s.runs {
		list = append(list, m.wall.Round(10*time.Millisecond).String())
	}
	return list
}
