// Command test262 runs the conformance suite of ECMA-262, of which the user has a copy, on eddy's engine or on goja as
// it stands, and writes a line for each test that failed.
//
//	go run ./testdata/test262 -out eddy.txt ~/test262
//	go run ./testdata/test262 -goja -out goja.txt ~/test262
//	go run ./testdata/test262 -only 'built-ins/TypedArray' ~/test262
//
// Tests go through esbuild with the bundler's table of what is lowered, and through the compiler of a Worker's script.
// They run as scripts, since most of them look at the global scope; tests of modules are left out, and so are those of
// several realms or agents and of proposals that V8 does not ship. Each of several processes takes tests, and is started
// anew behind a test that ended it.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
)

// options are the flags.
type options struct {
	suite string // folder of the suite
	only  *regexp.Regexp
	goja  bool
	jobs  int
	out   string
	share bool // this process takes paths from its input
}

func main() {
	var o options
	only := flag.String("only", "", "run only tests whose path matches a regular expression")
	flag.BoolVar(&o.goja, "goja", false, "run goja as it stands")
	flag.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "how many processes")
	flag.StringVar(&o.out, "out", "", "file for the tests that failed (default: standard output)")
	flag.BoolVar(&o.share, "share", false, "internal: run the tests whose paths come in")
	flag.Parse()
	o.suite = flag.Arg(0)
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		err = run(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.suite == "" {
		return fmt.Errorf("usage: test262 [flags] FOLDER, a copy of github.com/tc39/test262")
	}
	if o.share {
		return serve(o)
	}
	paths, err := tests(o)
	if err != nil {
		return err
	}
	results, err := spread(o, paths)
	if err != nil {
		return err
	}
	out := os.Stdout
	if o.out != "" {
		if out, err = os.Create(o.out); err != nil {
			return err
		}
	}
	w := bufio.NewWriter(out)
	count := map[string]int{}
	sort.Slice(results, func(i, j int) bool { return results[i].line() < results[j].line() })
	for _, r := range results {
		count[r.State]++
		if r.State == failed {
			fmt.Fprintln(w, r.line())
		}
	}
	fmt.Fprintf(os.Stderr, "%d passed, %d failed, %d left out\n", count[passed], count[failed], count[leftOut])
	if err := w.Flush(); err != nil || o.out == "" {
		return err
	}
	return out.Close()
}

// tests lists the suite's tests that are asked for.
func tests(o options) ([]string, error) {
	var paths []string
	for _, part := range []string{"built-ins", "language", "annexB"} {
		err := filepath.WalkDir(filepath.Join(o.suite, "test", part), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() || filepath.Ext(path) != ".js" || strings.Contains(path, "_FIXTURE") {
				return nil
			}
			rel, err := filepath.Rel(filepath.Join(o.suite, "test"), path)
			if name := filepath.ToSlash(rel); o.only.MatchString(name) {
				paths = append(paths, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return paths, nil
}
