package objectjs

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
)

// dial opens a WebSocket to a path and gives the client's end.
func (b *bench) dial(w *worker.Worker, path string) *websocket.End {
	b.t.Helper()
	req, err := http.NewRequest("GET", "http://localhost"+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Upgrade", "websocket")
	res, err := w.Fetch(context.Background(), req, worker.FetchOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	if res.Status != 101 || res.WebSocket == nil {
		b.t.Fatalf("%s: status %d", path, res.Status)
	}
	return res.WebSocket
}

// next is the next message that comes out of an end.
func (b *bench) next(e *websocket.End) string {
	b.t.Helper()
	for {
		if m, ok := e.Take(); ok {
			switch m.Kind {
			case websocket.Text:
				return m.Text
			case websocket.Binary:
				return fmt.Sprintf("binary %x", m.Data)
			case websocket.Close:
				return fmt.Sprintf("close %d %s", m.Code, m.Reason)
			}
			return "lost"
		}
		wake := make(chan struct{})
		e.Notify(func() { close(wake) })
		select {
		case <-wake:
		case <-time.After(5 * time.Minute):
			b.t.Fatal("no message came")
		}
	}
}

func (b *bench) talk(e *websocket.End, text, want string) {
	b.t.Helper()
	e.Send(websocket.Message{Kind: websocket.Text, Text: text})
	if got := b.next(e); got != want {
		b.t.Errorf("%s: got %q, want %q", text, got, want)
	}
}

var sleeper = prelude + script("hibernate_talk.js")

// WS4 to WS9, WS14, WS15, WS17, GT8: sockets outlive the instance, and the code.
func TestHibernation(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"H"}}, sleeper)
	one, two := b.dial(w, "/one"), b.dial(w, "/two")
	b.clock.WaitIdle(t.Context()) // nothing is left to do: the object hibernates
	// A new instance, with everything that belongs to the socket.
	b.talk(one, "who", `one,all {"tag":"one","at":1} 2 2 0 true`)
	if n := b.happened("hibernate"); n == 0 {
		t.Error("it never hibernated")
	}
	b.talk(two, "all", "to all")
	if got := b.next(one); got != "to all" {
		t.Error(got)
	}
	one.Send(websocket.Message{Kind: websocket.Binary, Data: []byte{1, 2}})
	if got := b.next(one); got != "binary 0102" {
		t.Error(got)
	}
	b.talk(one, "auto", "set")
	b.clock.WaitIdle(t.Context())
	born := b.happened("start")
	b.talk(one, "ping", "pong")
	b.clock.WaitIdle(t.Context())
	if now := b.happened("start"); now != born {
		t.Error("an automatic response woke the object")
	}
	b.talk(one, "when", "true")
	one.Send(websocket.Message{Kind: websocket.Text, Text: "throw"})
	b.talk(one, "who", `one,all {"tag":"one","at":1} 2 2 0 true`)
	two.Send(websocket.Message{Kind: websocket.Close, Code: 4100, Reason: "x"})
	if got := b.next(two); got != "close 4100 echo x" {
		t.Error(got)
	}
	b.expect(w, "/seen", "4100 x true 2 true")
	b.expect(w, "/left", "1")

	// GT13: new code, same socket.
	w = b.start(config{classes: []string{"H"}}, strings.Replace(sleeper, "let born = 0", "let born = 100", 1))
	one.Send(websocket.Message{Kind: websocket.Text, Text: "who"})
	if got := b.next(one); got != `101 one,all {"tag":"one","at":1} 1 1 0 true` {
		t.Error(got)
	}
	b.talk(one, "bye", "close 4001 done")
	one.Send(websocket.Message{Kind: websocket.Close, Code: 4001, Reason: "done"})
	b.clock.WaitIdle(t.Context())
	b.expect(w, "/left", "0")

	three := b.dial(w, "/three")
	three.Lose(nil)
	b.clock.WaitIdle(t.Context())
	b.expect(w, "/left", "0")
	four := b.dial(w, "/four")
	four.Send(websocket.Message{Kind: websocket.Text, Text: "abort"})
	if got := b.next(four); got != "lost" {
		t.Error(got)
	}
	b.expect(w, "/refusals", strings.Join([]string{
		"Error: Cannot call `acceptWebSocket()` if the WebSocket was already accepted via `accept()`",
		"TypeError: Failed to execute 'acceptWebSocket' on 'DurableObjectState': parameter 2 is not of type 'Array'.",
		strings.Repeat("x", 7) + `" is longer than the max tag length (256 characters).`,
		"Error: a Hibernatable WebSocket cannot have more than 10 tags",
		"Error: you must call 'acceptWebSocket()' before attempting to access the tags of a WebSocket.",
		"Error: Event timeout should not exceed 604800000 ms.", "", "5", "",
		"TypeError: Failed to execute 'setWebSocketAutoResponse' on 'DurableObjectState': parameter 1 is not of " +
			"type 'WebSocketRequestResponsePair'.",
	}, "\n"))
}

// ID14, GT13: an object that new code finds asleep has its name when a message wakes it, also after it was not woken by
// the code between.
func TestHibernatedName(t *testing.T) {
	b := newBench(t)
	code := prelude + script("hibernate_named.js")
	end := b.dial(b.start(config{classes: []string{"H"}}, code), "/")
	b.talk(end, "who", "one called so")
	for _, next := range []string{"two ", "three ", "four "} {
		b.start(config{classes: []string{"H"}}, strings.Replace(code, "one ", next, 1))
		if next != "three " {
			b.talk(end, "who", next+"called so")
		}
	}
}
