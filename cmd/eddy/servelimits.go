package main

import (
	"strings"
	"time"

	"eddy/runtime"
)

// leastMemory is the least that a Worker can be bounded to: what a script of some size has in memory.
const leastMemory = 16_000_000

// bounds reads the values of --limit-cpu and --limit-memory: a bound for all Workers, or WORKER=BOUND.
func (f *serveFlags) bounds() (list []runtime.Bound, err error) {
	for _, text := range f.limitCPU {
		worker, value := boundOf(text)
		var d duration
		if err := d.Set(value); err != nil || d.Duration < time.Millisecond {
			return nil, usage("--limit-cpu %q: expected a time of 1ms or more, such as 50ms or shop=200ms", text)
		}
		list = append(list, runtime.Bound{Worker: worker, CPU: d.Duration})
	}
	for _, text := range f.limitMemory {
		worker, value := boundOf(text)
		var n size
		if err := n.Set(value); err != nil || n < leastMemory {
			return nil, usage("--limit-memory %q: expected 16MB or more, such as 128MB or shop=256MB", text)
		}
		list = append(list, runtime.Bound{Worker: worker, Memory: uint64(n)})
	}
	return list, nil
}

func boundOf(text string) (worker, value string) {
	if i := strings.LastIndexByte(text, '='); i >= 0 {
		return text[:i], text[i+1:]
	}
	return "", text
}
