package runtime

import (
	"context"
	"os"
	"strings"
	"testing"
)

// Options that ask for nothing open no port, and leave the project and the machine as they were.
func TestZeroOptionsDoNotSurprise(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", stopConfig, "index.js", stopWorker)
	s, err := Start(context.Background(), Options{Dir: p.dir})
	if err != nil {
		t.Fatal(Explain(err, false))
	}
	state := s.StateDir()
	if s.URL() != "" || s.Addr() != nil || strings.HasPrefix(state, p.dir) {
		t.Errorf("port %q, state in %s", s.URL(), state)
	}
	if err := s.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	var left []string
	entries, err := os.ReadDir(p.dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if got := strings.Join(left, " "); err != nil || got != "index.js wrangler.jsonc" {
		t.Errorf("the project has %s (%v)", got, err)
	}
	if _, err := os.Stat(state); !os.IsNotExist(err) {
		t.Errorf("the state is still there: %v", err)
	}
	for want, o := range map[string]Options{
		`durability "fast": expected strict or relaxed`: {Dir: p.dir, Durability: "fast"},
		`local protocol "h3": expected http or https`:   {Dir: p.dir, LocalProtocol: "h3"},
	} {
		if _, err := Start(context.Background(), o); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
