package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"eddy/runtime/worker"
)

// Bound is the most that a Worker gets, whatever its configuration says. What is 0 is not bounded.
type Bound struct {
	// Worker is its name; "" is each Worker of which no other Bound says something.
	Worker string
	// CPU is the CPU time of one event.
	CPU time.Duration
	// Memory is how many bytes the Worker may keep from event to event, and one turn of an event may add.
	Memory uint64
}

// boundOf is what holds for a Worker, or one that it has made of code.
func boundOf(bounds []Bound, name string) (b Bound) {
	name, _, _ = strings.Cut(name, "/")
	for _, own := range []bool{false, true} {
		for _, x := range bounds {
			if own != (x.Worker != "") || own && x.Worker != name {
				continue
			}
			if x.CPU > 0 {
				b.CPU = x.CPU
			}
			if x.Memory > 0 {
				b.Memory = x.Memory
			}
		}
	}
	return b
}

// apply lowers limits to the bound.
func (b Bound) apply(o *worker.Options) {
	if b.CPU > 0 && (o.CPULimit == 0 || b.CPU < o.CPULimit) {
		o.CPULimit = b.CPU
	}
	if b.Memory > 0 && b.Memory < o.MemoryLimit {
		o.MemoryLimit = b.Memory
	}
}

// checkBounds refuses bounds of Workers that there are not.
func checkBounds(bounds []Bound, workers []string) error {
	for _, b := range bounds {
		if b.Worker != "" && !slices.Contains(workers, b.Worker) {
			return &StartError{Worker: b.Worker, Err: fmt.Errorf("a limit names it, but the session has only %s",
				strings.Join(workers, ", "))}
		}
	}
	return nil
}
