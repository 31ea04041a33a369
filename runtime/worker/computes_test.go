package worker

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/runtime/engine/v8text"
)

// A handler that computes is told of while it goes on, with the user's own file and line: in a loop, in functions that
// call each other, in a native function, and after an await.
func TestComputes(t *testing.T) {
	for _, c := range []struct {
		path, function string
		first, last    int // lines that the innermost frame may be of
	}{
		{"/loop", "/loop", 9, 11},
		{"/calls", "turn", 1, 2},
		{"/like", "/like", 18, 19},
		{"/pattern", "/pattern", 22, 22},
		{"/later", "late", 4, 5},
		{"/sorted", "late", 4, 5},
	} {
		t.Run(c.path[1:], func(t *testing.T) {
			// What it computes after a moment may still be on its way to the function, on a slow machine.
			for after := time.Millisecond; ; after *= 4 {
				got := computesAfter(t, c.path, after)
				var f v8text.StackFrame
				if len(got.At.Frames) > 0 { // a machine may be so slow that the look ends before it finds a place
					f = got.At.Frames[0]
				}
				right := filepath.Base(f.File) == "index.js" && strings.HasSuffix(f.Function, c.function) &&
					f.Line >= c.first && f.Line <= c.last
				if right && strings.Contains(got.At.Code, " |") {
					return
				}
				if after > 10*time.Second {
					t.Fatalf("innermost frame %s, want %s in lines %d to %d, code %q", f, c.function, c.first, c.last,
						got.At.Code)
				}
			}
		})
	}
}

// computesAfter is what is told of a request that computes without end, when it has done so for that long.
func computesAfter(t *testing.T, path string, after time.Duration) Computes {
	t.Helper()
	told := make(chan Computes, 8)
	w := start(t, archive(t, "computes")["worker.js"], func(o *Options) {
		o.CPULimit = time.Hour
		o.ComputesAfter = after
		o.Computes = func(c Computes) {
			if !strings.HasPrefix(c.Event, "the top level") { // of a slow machine
				told <- c
			}
		}
	})
	req, err := http.NewRequest("GET", "http://localhost"+path+"?a=b", nil)
	if err != nil {
		t.Fatal(err)
	}
	w.FetchAsync(t.Context(), req, FetchOptions{})
	got := <-told
	w.Loop.Cut()
	if got.Event != "GET "+path+"?a=b" || got.For < after {
		t.Errorf("%+v", got)
	}
	if err := w.Loop.Do(t.Context(), func() {}); err != nil || len(told) != 0 {
		t.Errorf("told again, or %v", err)
	}
	return got
}

// So is the top level of a script.
func TestTopLevelComputes(t *testing.T) {
	// What is compiled before takes its time too, and on a slow machine a look may end before it finds a place.
	for after := 200 * time.Millisecond; ; after *= 2 {
		got, err := topLevelComputes(t, after)
		if err == nil || !strings.Contains(err.Error(), ErrStartupLimit.Error()) {
			t.Error(err)
		}
		if got.Event == "the top level of test" && len(got.At.Frames) > 0 &&
			got.At.Frames[0].Line >= 2 && got.At.Frames[0].Line <= 4 {
			return
		}
		if after > 5*time.Second {
			t.Fatalf("%+v", got)
		}
	}
}

// topLevelComputes is what is told of a top level that computes without end when it has done so for that long, and the
// error that the start ends with. Nothing is told of it if the machine lets the limit come before the look has ended.
func topLevelComputes(t *testing.T, after time.Duration) (Computes, error) {
	t.Helper()
	told := make(chan Computes, 1)
	ended := make(chan error, 1)
	go func() {
		_, err := tryStart(t, archive(t, "computes")["top.js"], func(o *Options) {
			o.CPULimit = 5 * after
			o.ComputesAfter = after
			o.Computes = func(c Computes) { told <- c }
		})
		ended <- err
	}()
	select {
	case got := <-told:
		return got, <-ended
	case err := <-ended:
		select {
		case got := <-told:
			return got, err
		default:
			return Computes{}, err
		}
	}
}

func TestComputesText(t *testing.T) {
	c := Computes{Event: "GET /", For: 2049 * time.Millisecond}
	if got := c.String(); got != "GET / has computed for 2s in a built-in function or WebAssembly" {
		t.Error(got)
	}
}
