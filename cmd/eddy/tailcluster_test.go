package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"eddy/runtime/journal"
)

// tailed is what a tail has printed.
type tailed struct {
	mu   sync.Mutex
	text strings.Builder // guarded by mu
	news chan struct{}
}

func (l *tailed) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.news <- struct{}{}:
	default:
	}
	return l.text.Write(b)
}

// tailOf asks each node of a cluster, and wants to see that in what eddy tail and eddy trace show of the cluster.
func tailOf(ctx context.Context, t *testing.T, f *fleet) {
	t.Helper()
	live, errs, tailing := &tailed{news: make(chan struct{}, 1)}, &tailed{news: make(chan struct{}, 1)}, make(chan int)
	go func() {
		tailing <- Run(OS{Args: []string{"tail", "--json", "--limit", fmt.Sprint(len(f.nodes)),
			"--cluster", f.url}, Stdout: live, Stderr: errs})
	}()
	select {
	case <-errs.news: // it tails
	case code := <-tailing:
		t.Fatalf("tail: %d, %s", code, errs.text.String())
	case <-ctx.Done():
		t.Fatal(ctx.Err())
	}
	for i, n := range f.nodes {
		if text, err := n.method(ctx, "KV", "get", fmt.Sprint("tailed", i)); err != nil {
			t.Fatal(text, err)
		}
	}
	select {
	case code := <-tailing:
		if code != exitOK {
			t.Fatalf("tail: %d, %s", code, errs.text.String())
		}
	case <-ctx.Done():
		t.Fatalf("the tail shows %s%s", live.text.String(), errs.text.String())
	}
	id := regexp.MustCompile(`"trace":"([0-9a-f]{32})"`).FindStringSubmatch(live.text.String())
	for i := range f.nodes {
		if !strings.Contains(live.text.String(), fmt.Sprint("tailed", i)) {
			t.Errorf("the tail shows nothing of node %d: %s", i, live.text.String())
		}
	}
	if id == nil {
		t.Fatalf("the tail shows no trace: %s", live.text.String())
	}
	for want, args := range map[string][]string{"tailed": {"trace", id[1]}, "tailed2": {"tail", "--past"}} {
		for {
			code, text, errs := ran(t, nil, append(args, "--cluster", f.url)...)
			if code == exitOK && strings.Contains(text, want) {
				break
			}
			select {
			case <-time.After(50 * time.Millisecond): // a journal is written a little later
			case <-ctx.Done():
				t.Fatalf("%s: %d, %s%s", args, code, text, errs)
			}
		}
	}
}

// A tail says what it does not show.
func TestFollowingText(t *testing.T) {
	why := errors.New("node b does not answer")
	for want, c := range map[string]struct {
		how journal.Following
		why error
	}{
		"Node b gives nothing for now, and is asked again: node b does not answer":        {journal.Broken, why},
		"Node b gives what happens again, and all that has happened meanwhile":            {journal.Resumed, nil},
		"Node b gives what happens again; some of what has happened meanwhile is missing": {journal.ResumedInPart, nil},
		"Node b gives nothing: node b does not answer":                                    {journal.Over, why},
		"Node b has ended": {journal.Over, nil},
	} {
		if got := followingText("b", c.how, c.why); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
