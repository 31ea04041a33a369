package control

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"eddy/runtime/profile"
	"eddy/runtime/restapi"
)

// Profiling says what is recorded.
type Profiling struct {
	// Kind is cpu or heap, Worker a name, "" for all of the session. Dynamic Workers belong to the one that made them.
	Kind   profile.Kind `json:"kind"`
	Worker string       `json:"worker,omitempty"`
	// Seconds is how long, of the machine's time, at most an hour.
	Seconds float64 `json:"seconds"`
	// IntervalUS is how often is looked in a CPU profile, in microseconds; 0 is a thousand.
	IntervalUS int64 `json:"interval_us,omitempty"`
	// Format is pprof, or chrome for a file of Chrome's DevTools; "" is pprof.
	Format string `json:"format,omitempty"`
}

// Profiled is what was recorded.
type Profiled struct {
	Kind profile.Kind `json:"kind"`
	// TookMS is how long, Total what all functions have spent: nanoseconds of computing, or bytes that were allocated.
	TookMS int64 `json:"took_ms"`
	Total  int64 `json:"total"`
	// Live are the bytes that were alive at the end, of a heap.
	Live int64 `json:"live,omitempty"`
	// Top are the functions that have spent the most themselves.
	Top []ProfiledFunction `json:"top"`
	// Data is the file.
	Data []byte `json:"data,omitempty"`
}

// ProfiledFunction is a function with what it has spent, Self itself, All with what it has called.
type ProfiledFunction struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Self     int64  `json:"self"`
	All      int64  `json:"all"`
}

// topFunctions is how many functions an answer lists.
const topFunctions = 10

// longestProfile bounds Profiling.Seconds.
const longestProfile = time.Hour

// Profiles records the Workers of a session. Any goroutine; it returns when it is done or ctx ends.
type Profiles func(ctx context.Context, p Profiling) (*profile.Profile, error)

// verbProfile is POST /profile.
func (a *API) verbProfile(r *http.Request) (any, error) {
	in, err := input[Profiling](r)
	if err != nil {
		return nil, err
	}
	wrong := func(format string, args ...any) error {
		return restapi.Refuse(http.StatusBadRequest, restapi.CodeInvalidBody, format, args...)
	}
	switch {
	case in.Kind != profile.CPU && in.Kind != profile.Heap:
		return nil, wrong("kind %q: expected cpu or heap", in.Kind)
	case !(in.Seconds > 0 && in.Seconds <= longestProfile.Seconds()):
		return nil, wrong("seconds of %v: expected more than 0, and 3600 at most", in.Seconds)
	case in.IntervalUS < 0 || in.IntervalUS > time.Second.Microseconds():
		return nil, wrong("interval_us of %d: expected 0 to 1000000", in.IntervalUS)
	case in.Format != "" && in.Format != "pprof" && in.Format != "chrome":
		return nil, wrong("format %q: expected pprof or chrome", in.Format)
	case a.o.Profile == nil:
		return nil, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "no session runs: nothing computes")
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(a.done, cancel)()
	p, err := a.o.Profile(ctx, in)
	if err != nil {
		return nil, conflict(err)
	}
	out := Profiled{Kind: in.Kind, TookMS: p.Took.Milliseconds(), Total: p.Total(), Top: []ProfiledFunction{}}
	for _, s := range p.Samples {
		out.Live += s.Live
	}
	for _, f := range p.Top(topFunctions) {
		name := f.Function
		if name == "" {
			name = "(anonymous)"
		}
		out.Top = append(out.Top, ProfiledFunction{name, f.Path(), f.BeginLine, f.Self, f.All})
	}
	if out.Data, err = encodedProfile(p, in.Format); err != nil {
		return nil, err
	}
	return out, nil
}

func encodedProfile(p *profile.Profile, format string) ([]byte, error) {
	if format == "chrome" {
		if p.Kind == profile.Heap {
			return json.Marshal(p.ChromeHeap(nil))
		}
		return json.Marshal(p.Chrome(nil))
	}
	var b bytes.Buffer
	err := p.WritePprof(&b)
	return b.Bytes(), err
}

// Profile records a session's Workers and returns when it is done.
func (c *Client) Profile(ctx context.Context, in Profiling) (Profiled, error) {
	return do[Profiled](ctx, c, "POST", "/profile", in)
}
