package objectjs

import (
	"strings"
	"testing"
	"time"
)

var gateObject = script("gatefacts_gate_object.js")

const sectionLate = "Error: A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call was " +
	"canceled and the Durable Object was reset. overloaded durableObjectReset"

// The rules of concurrency, sentence by sentence.
func TestGateFacts(t *testing.T) {
	facts(t, config{classes: []string{"G", "Slow"}}, gateObject, [][2]string{
		{"micro", "1,2,3"},                        // GT1
		{"counters", "1,2,3,4,5"},                 // GT2
		{"storage", "in1,out1,in2,out2,in3,out3"}, // GT2
		{"ticks", "put,get,micro,3micro,sync,t0"}, // GT2, KV16
		{"timeout", "1,1,1"},                      // GT3, from here
		{"wait", "1,1,1"},
		{"fetch", "1,1,1"},
		{"rpc", "1,1,1"},
		{"self", "1,1,1"},
		{"sync", "1,1,1"},
		{"bookmark", "1,1,1"},
		{"stream", "1,1,1"},
		{"txn", "sync code,a1,a2,b1"},      // TX4
		{"txnEvents", "a1,a2,b1,b2,event"}, // TX4, AL8: an alarm is an event like these
		// GT4
		{"block", "nested|TypeError: Failed to execute 'blockConcurrencyWhile' on 'DurableObjectState': parameter 1 " +
			"is not of type 'function'."},
		{"blocked", "blocked,first,second"},           // GT4
		{"constructed", "ctor,rest,block,unblock,hi"}, // GT4, CL3
		// GT5
		{"failed", "TypeError: section durableObjectReset\nTypeError: section durableObjectReset\n" +
			"TypeError: section durableObjectReset\nno error: fresh"},
		{"limit", sectionLate + "\n30000\n" + sectionLate + "\nno error: undefined"}, // GT6
		{"within", "no error: undefined"},
		{"deadlock", sectionLate + "\n" + sectionLate + "\n60000"}, // GT6
		{"globals", "2,3,4,two"},                                   // GT14
	})
}

// AL8: a handler has 15 minutes; then it is a failed try, and does not go on beside the next one. It enters like any
// event: not while a section is open.
func TestAlarmFacts(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"L"}}, prelude+script("gatefacts_alarm_facts.js"))
	b.expect(w, "/long", "long0 1600001,long1 2502001|1 null")
	if n := b.notes(); !strings.Contains(n, "uncaught Error: Alarm exceeded its allowed execution time") {
		t.Errorf("AL9: it was reported as %q", n)
	}
	b.expect(w, "/just", "just0")
	b.expect(w, "/held", "released,held0")
}

// GT9 on the virtual clock: what keeps an object in memory and what does not.
func TestIdleFacts(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"I"}}, prelude+script("gatefacts_idle_facts.js"))
	for _, c := range [][2]string{
		{"nine", "same"}, {"eleven", "new"}, {"timer", "same"}, {"interval", "same,new"}, {"until", "same"},
		{"work", "same"},
		{"alarm", "same"}, {"reset", "true,true,true"},
	} {
		b.expect(w, "/"+c[0], c[1])
	}
	b.clock.WaitIdle(t.Context())
	b.clock.Pause()
	plain, hibernating := b.dial(w, "/plain"), b.dial(w, "/sleeping")
	// Both were born just now, in this order.
	b.talk(plain, "who", "11")
	b.talk(hibernating, "who", "12")
	b.clock.Advance(t.Context(), time.Minute)
	b.talk(plain, "who", "11")       // a standard socket keeps it in memory
	b.talk(hibernating, "who", "13") // a hibernatable one does not
	for range 3 {
		b.clock.Advance(t.Context(), 8*time.Second)
		b.talk(hibernating, "ping", "pong")
	}
	b.talk(hibernating, "who", "14") // automatic responses did not count as life
	for range 3 {
		b.clock.Advance(t.Context(), 8*time.Second)
		b.talk(hibernating, "who", "14") // messages do
	}
}
