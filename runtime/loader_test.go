package runtime

import (
	"strings"
	"testing"
)

// Whatever a Worker that was made from code does, the one that made it goes on: an endless loop ends at the limit that
// the code names, one that keeps too much ends and is made anew, what it throws is shown with its own lines. It ends
// with the code that made it, and its tail consumers hear of it (BIND-110 to BIND-113).
func TestWorkersFromCode(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", script("loader", "wrangler.jsonc"), "index.js", script("loader", "index.js"))
	s := p.serve(func(o *Options) { o.memoryLimit = 96 << 20 })
	s.expect("/counts", "one 1")
	s.expect("/spin", "Error: Worker exceeded CPU time limit.")
	s.expect("/throw", "RangeError: inside")
	s.out.await("[maker/dynamic-3] Uncaught RangeError: inside\n    at inner (main.js:1:26)\n"+
		"    at Object.fetch (main.js:2:28)", 1)
	s.expect("/tails", "ok")
	s.expect("/heard", "maker/dynamic-4 ok said")
	for made := 0; made < 2; {
		if s.read("/eat") == "1" {
			made++
		}
	}
	s.out.await("[maker/dynamic-5] Worker exceeded memory limit.", 1)
	s.expect("/counts", "one 2")
	p.write("index.js", strings.Replace(script("loader", "index.js"), `"one"`, `"two"`, 1))
	if err := s.Reload(t.Context(), "maker"); err != nil {
		t.Fatal(err)
	}
	s.expect("/counts", "two 1")
}
