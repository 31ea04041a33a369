package objectjs

import (
	"strings"
	"testing"
)

var lifeCycleObject = script("rpcfacts_life_cycle_object.js")

// What happens to an object, its stubs and its callers when something goes wrong, or nobody waits any more.
func TestObjectLifeFacts(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"A", "Once"}},
		prelude+lifeCycleObject+script("rpcfacts_object_life_facts.js"))
	const reset = "Error: stopped [durableObjectReset]"
	const stuck = "Error: A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call was " +
		"canceled and the Durable Object was reset. [overloaded,durableObjectReset]"
	const first = "RangeError: first time "
	for _, f := range []struct{ fact, path, want, notes string }{
		{"RPC7: members of functions are names like others; detached functions work", "names", strings.Join([]string{
			`TypeError: The RPC receiver does not implement the method "call". [remote]`,
			`TypeError: The RPC receiver does not implement the method "apply". [remote]`,
			`TypeError: The RPC receiver does not implement the method "bind". [remote]`, "a"}, "\n"), ""},
		{"RPC5: nothing is reached in an array or another built-in", "opaque", strings.Join([]string{
			`TypeError: The RPC receiver does not implement the method "length". [remote]`,
			`TypeError: The RPC receiver does not implement the method "map". [remote]`, "fine 1,2",
			`TypeError: The RPC receiver does not implement the method "getTime". [remote]`}, "\n"), ""},
		{"RPC13: a promise that is disposed", "disposedPromise",
			strings.Repeat("Error: RPC promise used after being disposed. []\n", 2) +
				"Error: RPC promise used after being disposed. []", ""},
		{"RPC12: 32 MiB, either way", "limits", strings.Join([]string{
			"Error: Serialized RPC arguments or return values are limited to 32MiB, but the size of this value was: " +
				"34603028 bytes. []",
			"Error: Serialized RPC arguments or return values are limited to 32MiB, but the size of this value was: " +
				"34603023 bytes. [remote]",
			"33554368", "33554368"}, "\n"), ""},
		{"RPC17, RPC18: a reset fails what is in progress and breaks the stub for ever", "reset",
			strings.Join([]string{reset, reset, "Error: stopped [remote,durableObjectReset]", reset, reset, "fine 1"},
				"\n"), ""},
		{"RPC17, GT6: overloaded", "overloaded", strings.Join([]string{stuck, stuck, stuck, "fine 1"}, "\n"), ""},
		{"RPC18: an exception resets nothing", "keeps",
			"TypeError: bump [remote]\nRangeError: fetch [remote]\n2\n1,undefined",
			"uncaught TypeError: bump|uncaught RangeError: fetch"},
		{"RPC19: calls run on when their caller has ended", "leave", "gone", ""},
		{"RPC19: they did", "left", "2", ""},
		{"CL4: the constructor's error", "constructor", strings.Join([]string{first + "[durableObjectReset]",
			first + "[durableObjectReset]", first + "[durableObjectReset]", first + "[durableObjectReset]", "1", "2"},
			"\n"), "uncaught RangeError: first time"},
		{"CL4: remote on fetch", "fetchFirst", first + "[remote,durableObjectReset]\n" + first +
			"[durableObjectReset]\nup", "uncaught RangeError: first time"},
		{"GT10: work finishes without waitUntil; a rejection is logged", "waitUntil", "answered,answered,,111",
			"uncaught Error: waited"},
		{"GT11: a timer that throws is logged", "timer", "answered,,1", "uncaught Error: timer"},
		{"GT11: an unhandled rejection prints nothing", "floating", "answered,,1", ""},
		{"GT12: so does a storage error nobody awaits", "storage", "answered,,1,undefined,1", ""},
	} {
		b.notes()
		if got := b.get(w, "/"+f.path); got != f.want {
			t.Errorf("%s\n got: %s\nwant: %s", f.fact, got, f.want)
		}
		if got := b.notes(); got != f.notes {
			t.Errorf("%s: notes\n got: %s\nwant: %s", f.fact, got, f.notes)
		}
	}
}

// RPC22: without the flag rpc a stub has no methods, and says why. Its own members work.
func TestWithoutRPC(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"A"}, date: "2024-04-02"}, prelude+script("rpcfacts_without_rpc.js"))
	if got, want := b.get(w, "/missing"), `undefined|TypeError: s.hi is not a function|fetched|false|64`; got != want {
		t.Errorf("\n got: %s\nwant: %s", got, want)
	}
	if got, want := b.notes(), "warn: WARNING: Tried to access method or property 'hi' on a Service Binding or "+
		"Durable Object stub. Are you trying to use RPC? If so, please enable the 'rpc' compat flag or update your "+
		"compat date to 2024-04-03 or later"; !strings.HasPrefix(got, want) {
		t.Errorf("notes\n got: %s\nwant: %s…", got, want)
	}
}
