package crash

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"eddy/queues/workqueue/eddylog"

	queue "eddy/queues/workqueue"
)

// ownerOf makes this test binary the owner of a log: one process at a time has it open, and so enqueues too.
const ownerOf = "WORKQUEUE_CRASH_OWNER"

// own enqueues the jobs that stdin names ("<priority> <job>") and handles them until it is killed. It prints "+<job>"
// when a job is stored and "=<job>" when one was handled, before the log hears of it. Every third job fails the first
// time.
func own(dir string) error {
	ctx := context.Background()
	s, err := eddylog.Open(ctx, dir)
	if err != nil {
		return err
	}
	var n atomic.Int64
	_, err = s.Subscribe(ctx, "t", func(_ context.Context, j *queue.Job) error {
		if n.Add(1)%3 == 0 && j.Attempt == 1 {
			return errors.New("the first time fails")
		}
		_, err := fmt.Println("=" + string(j.Payload))
		return err
	}, subscribed...)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var priority queue.Priority
		var job string
		if _, err := fmt.Sscan(lines.Text(), &priority, &job); err != nil {
			return err
		}
		if err := s.Enqueue(ctx, "t", []byte(job), queue.WithPriority(priority)); err != nil {
			return err
		}
		fmt.Println("+" + job)
	}
	return lines.Err() // ends with the parent
}

// The process that has the log is killed in the middle of handlers and writes. Every job that was stored is handled.
func TestEddylog(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir := filepath.Join(t.TempDir(), "log")
	stored, handled := map[string]bool{}, map[string]bool{}
	note := func(line string) {
		switch job := line[1:]; line[0] {
		case '+':
			stored[job] = true
		case '=':
			handled[job] = true
		}
	}
	for round := range *rounds {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), ownerOf+"="+dir)
		var problem strings.Builder
		cmd.Stderr = &problem
		var jobs strings.Builder
		for i := range 20 {
			fmt.Fprintf(&jobs, "%d %d.%d\n", random.IntN(3)-1, round, i)
		}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write([]byte(jobs.String())); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 1 + random.IntN(30); n > 0 && lines.Scan(); n-- {
			note(lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatalf("the owner ended by itself: %v: %s", err, problem.String())
		}
		for lines.Scan() {
			note(lines.Text())
		}
		_ = cmd.Wait() // it was killed
	}
	s, err := eddylog.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	last := make(chan string, 100_000)
	_, err = s.Subscribe(t.Context(), "t", func(_ context.Context, j *queue.Job) error {
		last <- "=" + string(j.Payload)
		return nil
	}, subscribed...)
	if err != nil {
		t.Fatal(err)
	}
	missing := func() (jobs []string) {
		for job := range stored {
			if !handled[job] {
				jobs = append(jobs, job)
			}
		}
		return jobs
	}
	deadline := time.After(2 * time.Minute)
	for len(missing()) > 0 {
		select {
		case line := <-last:
			note(line)
		case <-deadline:
			t.Fatalf("jobs are lost or stay invisible: %v", missing())
		}
	}
	t.Logf("%d rounds, %d jobs stored", *rounds, len(stored))
	inOrder(t, s)
}
