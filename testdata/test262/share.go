package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// The states of a result.
const (
	passed  = "passed"
	failed  = "failed"
	leftOut = "left out"
)

// result is what became of one run of a test.
type result struct {
	Path, Mode, State, Text string
	Last                    bool // the last run of the test
}

func (r result) line() string {
	return r.Path + " " + r.Mode + ": " + strings.Join(strings.Fields(r.Text), " ")
}

// spread runs the tests in several processes.
func spread(o options, paths []string) ([]result, error) {
	todo := make(chan string, len(paths))
	for _, p := range paths {
		todo <- p
	}
	close(todo)
	var (
		mu  sync.Mutex // guards all and err
		all []result
		err error
		wg  sync.WaitGroup
	)
	for range o.jobs {
		wg.Go(func() {
			for {
				more, e := process(o, todo, func(r result) {
					mu.Lock()
					all = append(all, r)
					mu.Unlock()
				})
				if e != nil {
					mu.Lock()
					err = errors.Join(err, e)
					mu.Unlock()
				}
				if !more || e != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return all, err
}

// process gives tests to one new process until there are none left or the process ends, which fails the test that it
// had. It says whether there may be tests left.
func process(o options, todo <-chan string, done func(result)) (bool, error) {
	args := []string{"-share"}
	if o.goja {
		args = append(args, "-goja")
	}
	cmd := exec.Command(os.Args[0], append(args, o.suite)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return false, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	var told strings.Builder
	cmd.Stderr = &told
	if err := cmd.Start(); err != nil {
		return false, err
	}
	answers := json.NewDecoder(bufio.NewReader(out))
	for path := range todo {
		if _, err := fmt.Fprintln(in, path); err != nil {
			return false, err
		}
		for last := false; !last; {
			var r result
			if err := answers.Decode(&r); err != nil {
				text, _, _ := strings.Cut(told.String(), "\n\n")
				_ = cmd.Wait()
				done(result{Path: path, Mode: "either", State: failed, Text: "ended the process: " + text})
				return true, nil
			}
			done(r)
			last = r.Last
		}
	}
	if err := in.Close(); err != nil {
		return false, err
	}
	return false, cmd.Wait()
}

// serve is such a process.
func serve(o options) error {
	s := newSuite(o)
	in := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for {
		path, err := in.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		results := s.test(strings.TrimSpace(path))
		for i, r := range results {
			r.Last = i == len(results)-1
			if err := answers.Encode(r); err != nil {
				return err
			}
		}
	}
}
