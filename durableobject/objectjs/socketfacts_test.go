package objectjs

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"eddy/runtime/webapi/websocket"
)

var socketObject = prelude + script("socketfacts.js")

// CL13: what ctx has.
func TestStateShape(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"S", "Bare", "Shape"}}, socketObject)
	b.expect(w, "/shape", strings.Join([]string{
		"facets,container,storage,id,props,exports",
		"abort,acceptWebSocket,blockConcurrencyWhile,getHibernatableWebSocketEventTimeout,getTags," +
			"getWebSocketAutoResponse,getWebSocketAutoResponseTimestamp,getWebSockets," +
			"setHibernatableWebSocketEventTimeout,setWebSocketAutoResponse,waitUntil",
		"{}", "true", "[object DurableObjectState]",
	}, "\n"))
}

// WS6 to WS9, WS16, GT7, GT8: the handlers of hibernatable sockets.
func TestSocketFacts(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"S", "Bare", "Shape"}}, socketObject)
	say := func(e *websocket.End, text string) { e.Send(websocket.Message{Kind: websocket.Text, Text: text}) }

	// WS6: binary messages are ArrayBuffers whatever binaryType says, listeners stay silent, a class without handlers
	// drops.
	one := b.dial(w, "/one")
	one.Send(websocket.Message{Kind: websocket.Binary, Data: []byte{1, 2, 3}})
	if got := b.next(one); got != "ArrayBuffer 3" {
		t.Errorf("WS6: %s", got)
	}
	bare := b.dial(w, "/bare")
	say(bare, "dropped")
	b.clock.WaitIdle(t.Context())
	b.expect(w, "/count", "1")

	// WS7: messages start in order, and a handler that waits does not hold back the next.
	say(one, "slow 1")
	say(one, "slow 2")
	if got := b.next(one); got != "done" {
		t.Error(got)
	}
	b.expect(w, "/seen", "start1|start2|end1|end2")

	// WS8: what a handler throws is logged; socket and object live.
	resume := b.clock.Pause() // or it hibernates meanwhile
	say(one, "who")
	before := b.next(one)
	b.notes()
	say(one, "throw")
	say(one, "reject")
	b.clock.Advance(t.Context(), time.Second)
	b.talk(one, "who", before)
	resume()
	if n := b.notes(); !strings.Contains(n, "uncaught Error: from a handler") ||
		!strings.Contains(n, "uncaught Error: from a promise") {
		t.Errorf("WS8: notes %s", n)
	}

	// WS9, WS10: a close is answered by the handler alone; one that is not leaves the socket half open.
	two := b.dial(w, "/two")
	two.Send(websocket.Message{Kind: websocket.Close, Code: 4200, Reason: "x"})
	if got := b.next(two); got != "close 4201 bye" {
		t.Error(got)
	}
	three := b.dial(w, "/three")
	three.Send(websocket.Message{Kind: websocket.Close, Code: websocket.NoCode})
	b.clock.WaitIdle(t.Context())
	if m, ok := three.Take(); ok {
		t.Errorf("WS10: the runtime answered %v", m)
	}
	three.Lose(nil)
	four := b.dial(w, "/four")
	four.Lose(nil)
	b.clock.WaitIdle(t.Context())
	b.expect(w, "/seen", "close 4200,x,true 2|close 1005,,true 2|close 1006,WebSocket disconnected without sending "+
		"Close frame.,false 2")

	// GT7, GT8: a message leaves after what was written before it, or never.
	b.talk(one, "write 7", "written 7")
	b.expect(w, "/stored", ",7")
	say(one, "lost 8")
	if got := b.next(one); got != "lost" {
		t.Errorf("GT8: %s", got)
	}
	b.expect(w, "/stored", ",7")

	// WS16: none at first, none with 0 or nothing; a handler that takes longer resets the object.
	five := b.dial(w, "/five")
	b.talk(five, "limit 1000", "1000")
	b.talk(five, "limit 0", "null")
	b.talk(five, "limit 1000", "1000")
	b.talk(five, "limit none", "null")
	b.talk(five, "limit -1", "TypeError: The value cannot be converted because it is negative and this API expects "+
		"a positive number.")
	b.talk(five, "hang 100000", "after 100000")
	b.talk(five, "limit 1000", "1000")
	b.talk(five, "hang 999", "after 999")
	b.clock.WaitIdle(t.Context()) // it is the sockets' limit: hibernation keeps it
	b.clock.Pause()
	answer := askSerial(w, "/stuck")
	for came := ""; came != "stuck"; came = b.next(five) {
		say(five, "others")
	}
	say(five, "hang 1001")
	b.clock.Advance(t.Context(), 1500*time.Millisecond)
	if got := b.next(five); got != "lost" {
		t.Errorf("WS16: %s", got)
	}
	if got := <-answer; got != "Error: Actor exceeded event execution time and was disconnected. retryable "+
		"durableObjectReset" {
		t.Errorf("WS16: others hear %s", got)
	}
	b.expect(w, "/stored", "1,7")
}

var manySockets = flag.Int("sockets.many", 1000, "how many sockets TestManySockets opens")

// Many hibernated sockets: each wakes its object with what belongs to it.
func TestManySockets(t *testing.T) {
	n := *manySockets
	b := newBench(t)
	w := b.start(config{classes: []string{"M"}}, prelude+script("socketfacts_many_sockets.js"))
	ends := make([]*websocket.End, n)
	for i := range ends {
		ends[i] = b.dial(w, fmt.Sprint("/", i))
	}
	b.clock.WaitIdle(t.Context())
	if got := b.happened("hibernate"); got < 100 {
		t.Fatalf("%d objects hibernate", got)
	}
	started := b.happened("start")
	for i, e := range ends {
		b.talk(e, "hi", fmt.Sprintf("hi,%d,%d,%d", i, i, n/100))
	}
	if b.happened("start") == started {
		t.Error("no object had left memory")
	}
	for _, e := range ends {
		e.Lose(nil)
	}
	b.clock.WaitIdle(t.Context())
	if info := b.objs.Namespaces(t.Context()); info[0].Live != 0 {
		t.Errorf("%d objects are left without sockets", info[0].Live)
	}
}

var manyObjects = flag.Int("objects.many", 2000, "how many objects TestManyObjects makes; GT9 speaks of 10,000")

// GT9: thousands of objects live side by side, each with its own memory, and all leave when their time is over.
func TestManyObjects(t *testing.T) {
	n := *manyObjects
	b := newBench(t)
	b.clock.Pause()
	w := b.start(config{classes: []string{"O"}}, prelude+script("socketfacts_many_objects.js"))
	sum := n * (n - 1) / 2
	path := fmt.Sprintf("/each?n=%d", n)
	b.expect(w, path, fmt.Sprint(sum))
	b.expect(w, path, fmt.Sprint(2*sum))
	if live := b.objs.Namespaces(t.Context())[0].Live; live != n {
		t.Errorf("%d objects live", live)
	}
	b.clock.Advance(t.Context(), 11*time.Second)
	if live := b.objs.Namespaces(t.Context())[0].Live; live != 0 {
		t.Errorf("%d objects live after their time", live)
	}
	b.expect(w, path, fmt.Sprint(sum))
}

// WS4: an object has at most 32,768 hibernatable sockets.
func TestSocketLimit(t *testing.T) {
	facts(t, config{classes: []string{"M"}}, script("socketfacts_socket_limit.js"), [][2]string{
		{"fill", "32768,Error: only 32768 websockets can be accepted on a single Durable Object instance"},
	})
}
