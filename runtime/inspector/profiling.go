package inspector

import (
	"errors"
	"runtime"
	"time"

	"github.com/chromedp/cdproto/profiler"

	"eddy/runtime/profile"
)

func init() {
	serves("Profiler.setSamplingInterval", func(c *client, p *profiler.SetSamplingIntervalParams) (none, error) {
		if p.Interval <= 0 {
			return none{}, &errorReply{codeParams, "interval must be positive"}
		}
		c.profiling.interval = time.Duration(p.Interval) * time.Microsecond
		return none{}, nil
	})
	serves("Profiler.start", func(c *client, _ *none) (none, error) {
		if c.profiling.cpu == nil {
			c.profiling.cpu = profile.Record(c.profiling.interval, c.target.sources)
		}
		return none{}, nil
	})
	later("Profiler.stop", nil, func(c *client, _ *none, done answered) {
		r := c.profiling.cpu
		if r == nil {
			done(nil, errors.New("No recording profiles found")) // V8's text
			return
		}
		c.profiling.cpu = nil
		done(map[string]any{"profile": r.Stop().Chrome(c.target.scriptOf)}, nil)
	})
	serves("HeapProfiler.startSampling", func(c *client, _ *none) (none, error) {
		return none{}, c.recordHeap()
	})
	later("HeapProfiler.stopSampling", nil, func(c *client, _ *none, done answered) {
		r := c.profiling.heap
		if r == nil {
			done(nil, errNoHeap)
			return
		}
		c.profiling.heap = nil
		p, err := r.Stop()
		c.answerHeap(p, err, done)
	})
	later("HeapProfiler.getSamplingProfile", nil, func(c *client, _ *none, done answered) {
		if c.profiling.heap == nil {
			done(nil, errNoHeap)
			return
		}
		p, err := c.profiling.heap.Profile()
		c.answerHeap(p, err, done)
	})
	serves("HeapProfiler.collectGarbage", func(*client, *none) (none, error) {
		runtime.GC()
		return none{}, nil
	})
	for _, name := range []string{"HeapProfiler.takeHeapSnapshot", "HeapProfiler.startTrackingHeapObjects",
		"HeapProfiler.stopTrackingHeapObjects", "HeapProfiler.addInspectedHeapObject",
		"HeapProfiler.getObjectByHeapObjectId", "HeapProfiler.getHeapObjectId", "Runtime.queryObjects"} {
		serves(name, func(*client, *none) (none, error) {
			return none{}, errors.New("the engine cannot list the objects of its heap: take an allocation sampling, " +
				"or eddy profile --heap")
		})
	}
	for _, name := range []string{"Profiler.startPreciseCoverage", "Profiler.stopPreciseCoverage",
		"Profiler.takePreciseCoverage", "Profiler.getBestEffortCoverage"} {
		serves(name, func(*client, *none) (none, error) {
			return none{}, errors.New("the debugger counts no calls: eddy test --coverage does")
		})
	}
}

var errNoHeap = errors.New("V8 sampling heap profiler was not started.") // V8's text

// profiling is what a client records. The goroutine that reads from the client has it.
type profiling struct {
	interval time.Duration
	cpu      *profile.Recording
	heap     *profile.HeapRecording
}

// end ends what the client has not ended itself.
func (p *profiling) end() {
	if p.cpu != nil {
		p.cpu.Stop()
	}
	if p.heap != nil {
		p.heap.End()
	}
	*p = profiling{}
}

func (c *client) recordHeap() (err error) {
	if c.profiling.heap == nil {
		c.profiling.heap, err = profile.RecordHeap(c.target.sources)
	}
	return err
}

func (c *client) answerHeap(p *profile.Profile, err error, done answered) {
	if err != nil {
		done(nil, err)
		return
	}
	done(map[string]any{"profile": p.ChromeHeap(c.target.scriptOf)}, nil)
}

// sources are the target's isolates.
func (t *target) sources() (list []profile.Source) {
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	for _, r := range t.realms {
		list = append(list, profile.Source{Worker: t.name, Loop: r.iso.Loop, Place: r.iso.FramePlace})
	}
	return list
}

// scriptOf is the id of a file's newest script, "0" for one that is none.
func (t *target) scriptOf(url string) string {
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	for i := len(t.realms) - 1; i >= 0; i-- {
		for n, f := range t.realms[i].stops.Files {
			if f.URL == url {
				return t.realms[i].script(n)
			}
		}
	}
	return "0"
}

// heapUsage is that of the process: the engine's isolates share one heap.
func heapUsage(*client, *none) (map[string]uint64, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return map[string]uint64{"usedSize": m.HeapAlloc, "totalSize": m.HeapSys}, nil
}
