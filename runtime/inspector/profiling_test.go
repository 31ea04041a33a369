package inspector

import (
	"slices"
	"strings"
	"testing"

	"eddy/runtime/profile"
)

// A client's profiles name the functions of the user's file, at the scripts that the debugger knows.
func TestProfiles(t *testing.T) {
	d := start(t)
	g := d.attach()
	if err := g.call("Profiler.setSamplingInterval", map[string]any{"interval": 500}, nil); err != nil {
		t.Fatal(err)
	}
	var cpu struct{ Profile profile.ChromeCPU }
	found := func() *profile.ChromeNode {
		for _, n := range cpu.Profile.Nodes {
			if n.CallFrame.FunctionName == "spin" && n.HitCount > 0 {
				return n
			}
		}
		return nil
	}
	for found() == nil { // a machine that has no time for the profiler shows nothing
		g.call("Profiler.start", nil, nil)
		if status := <-d.get("/spin"); status != 200 {
			t.Fatal(status)
		}
		if err := g.call("Profiler.stop", nil, &cpu); err != nil {
			t.Fatal(err)
		}
	}
	n := found().CallFrame
	if n.LineNumber != 9 || !strings.HasSuffix(n.URL, "/index.ts") || n.ScriptID == "0" {
		t.Errorf("spin: %+v", n)
	}
	if p := cpu.Profile; len(p.Samples) != len(p.TimeDeltas) || p.EndTime <= p.StartTime ||
		p.Nodes[0].CallFrame.FunctionName != "(root)" || slices.Min(p.TimeDeltas) < 0 {
		t.Errorf("%d samples, %d deltas", len(p.Samples), len(p.TimeDeltas))
	}
	if err := g.call("HeapProfiler.startSampling", nil, nil); err != nil {
		t.Fatal(err)
	}
	<-d.get("/")
	var heap struct{ Profile profile.ChromeHeap }
	for _, method := range []string{"HeapProfiler.getSamplingProfile", "HeapProfiler.stopSampling"} {
		if err := g.call(method, nil, &heap); err != nil || heap.Profile.Head.CallFrame.FunctionName != "(root)" {
			t.Errorf("%s: %+v, %v", method, heap, err)
		}
	}
	g.call("Profiler.start", nil, nil)
	g.call("HeapProfiler.startSampling", nil, nil)
	g.conn.CloseNow() // what it has begun ends with it
	if status := <-d.get("/"); status != 200 {
		t.Error(status)
	}
}
