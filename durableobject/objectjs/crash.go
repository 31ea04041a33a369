package objectjs

import (
	"slices"
	"strings"
	"time"

	"eddy/durableobject"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// errCrashed is the failure of calls in progress when a test lets the Worker crash. Alarms in progress come again.
var errCrashed = &rpc.RemoteError{
	Name: "Error", Message: "Network connection lost.", Reset: true, Retryable: true,
}

// homes are the namespaces that an isolate serves. Its loop only, as all of this file.
func (o *Objects) homes(iso *worker.Isolate) (list []*home) {
	for _, n := range o.of(iso.Name) {
		n.mu.Lock()
		if n.home != nil && n.home.iso == iso {
			list = append(list, n.home)
		}
		n.mu.Unlock()
	}
	slices.SortFunc(list, func(a, b *home) int { return strings.Compare(a.ns.key, b.ns.key) })
	return list
}

// Crash drops every instance of an isolate as the end of the process would: what is stored stays, alarms too.
func (o *Objects) Crash(iso *worker.Isolate) {
	for _, h := range o.homes(iso) {
		for _, live := range h.live.Objects() {
			if inst, ok := live.Actor.(*instance); ok && !inst.gone {
				inst.reset(errCrashed)
			}
		}
	}
}

// Idle tells whether an object of an isolate is in memory with nothing to do.
func (o *Objects) Idle(iso *worker.Isolate) bool {
	for _, h := range o.homes(iso) {
		for _, live := range h.live.Objects() {
			if live.State() == durableobject.Idle {
				return true
			}
		}
	}
	return false
}

// EvictIdle takes such objects out of memory, before their time where that is short. Those with sockets hibernate.
func (o *Objects) EvictIdle(iso *worker.Isolate) {
	for _, h := range o.homes(iso) {
		_ = h.evictAll(false) // it takes those that are idle, and has no error
	}
}

// AlarmTimes are the times of all alarms that are set. Any goroutine.
func (o *Objects) AlarmTimes() []time.Time { return o.alarms.Times() }
