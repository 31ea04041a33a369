package websocket

import (
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/clone"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/timers"
	"eddy/runtime/webapi/url"
	"eddy/runtime/webapi/webapitest"
)

// newRunner makes an isolate with the given compatibility flags.
func newRunner(t testing.TB, flags ...string) *webapitest.Runner {
	on := map[string]bool{"web_socket_compression": true}
	for _, f := range flags {
		on[f] = true
	}
	return webapitest.New(t, func(h *host.Host) { h.Flag = func(name string) bool { return on[name] } },
		events.Install, timers.Install, url.Install, streams.Install, clone.Install, fetch.Install, Install)
}

func table(t *testing.T, r *webapitest.Runner, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		r.Expect("return "+c[0], c[1])
	}
}

// WS1, WS2, WS3, WS11, WS12, WS14, WS15.
func TestSocketFaces(t *testing.T) {
	const open = `(() => { const [a, b] = Object.values(new WebSocketPair); a.accept(); b.accept(); return [a, b] })()`
	table(t, newRunner(t), [][2]string{
		{`(p => [Object.keys(p), [...p].length, p[0] instanceof WebSocket, p[0].readyState, p[0].url, ` +
			`p[0].protocol === "", p[0].extensions === "", p[0].binaryType].join("|"))(new WebSocketPair)`,
			"0,1|2|true|1||true|true|arraybuffer"},
		{`[WebSocket.OPEN, WebSocket.READY_STATE_CLOSED, new WebSocketPair()[0].CLOSING, ` +
			`WebSocket.prototype.CONNECTING].join()`, "1,3,2,0"},
		{`(r => [r.status, r.webSocket instanceof WebSocket, r.statusText].join())(new Response(null, ` +
			`{status: 101, webSocket: new WebSocketPair()[0]}))`, "101,true,"},
		{`new Response("x", {status: 101, webSocket: new WebSocketPair()[0]})`,
			"throws TypeError: Response with null body status (101, 204, 205, or 304) cannot have a body."},
		{`new Response(null, {status: 200, webSocket: new WebSocketPair()[0]})`,
			"throws RangeError: Responses with a WebSocket must have status code 101."},
		{`new Response(null, {status: 101, webSocket: new WebSocketPair()[0]}).clone()`,
			"throws TypeError: Cannot clone a response to a WebSocket handshake."},
		{`new WebSocketPair()[0].send("x")`, "throws TypeError: You must call one of accept() or " +
			"state.acceptWebSocket() on this WebSocket before sending messages."},
		{`new WebSocketPair()[0].send()`, "throws TypeError: Failed to execute 'send' on 'WebSocket': parameter 1 is " +
			"not of type 'ArrayBuffer or ArrayBufferView or string'."},
		{open + `[0].close(999)`, "throws InvalidAccessError: Invalid WebSocket close code: 999."},
		{open + `[0].close(1006)`, "throws InvalidAccessError: Invalid WebSocket close code: 1006."},
		{open + `[0].close(undefined, "r")`,
			"throws InvalidAccessError: If you specify a WebSocket close reason, you must also specify a code."},
		{open + `[0].close(1000, "é".repeat(62))`,
			"throws SyntaxError: WebSocket close reason must not be longer than 123 bytes when UTF-8 encoded."},
		{`(([a]) => { a.close(); a.close(4000); a.send("x") })(` + open + `)`,
			"throws TypeError: Can't call WebSocket send() after close()."},
		{`(a => { a.serializeAttachment({n: [1]}); const d = a.deserializeAttachment(); ` +
			`return d.n[0] + "" + (d === a.deserializeAttachment()) })(new WebSocketPair()[0])`, "1false"},
		{`new WebSocketPair()[0].deserializeAttachment()`, "null"},
		{`(a => { a.serializeAttachment(undefined); return a.deserializeAttachment() })(new WebSocketPair()[0])`,
			"undefined"},
		{`new WebSocketPair()[0].serializeAttachment("x".repeat(16384))`,
			"throws Error: A WebSocket 'attachment' cannot be larger than 16384 bytes.'attachment' was 16390 bytes."},
		{`(p => p.request + p.response)(new WebSocketRequestResponsePair("ping", "pong"))`, "pingpong"},
		// The limit of WS15 is checked where the pair is set.
		{`new WebSocketRequestResponsePair("x".repeat(2049), "").request.length`, "2049"},
		{`(a => { a.binaryType = "blob"; const one = a.binaryType; a.binaryType = "x"; ` +
			`return one + a.binaryType })(new WebSocketPair()[0])`, "blobblob"},
	})
}

const messages = `
	const [a, b] = Object.values(new WebSocketPair);
	const out = [];
	const listen = (ws, name) => {
		ws.addEventListener("message", async e =>
			out.push(name + " " + (e.data instanceof ArrayBuffer ? "bytes " + e.data.byteLength :
			e.data instanceof Blob ? "blob " + e.data.size : e.data)));
		ws.addEventListener("close", e =>
			out.push(name + " close " + e.code + " " + e.reason + " " + e.wasClean + " " + ws.readyState));
		ws.addEventListener("error", e => out.push(name + " error " + e.message));
	};
	listen(a, "a"); listen(b, "b");
`

func TestPairMessages(t *testing.T) {
	r := newRunner(t)
	// WS12, WS11: order, conversions, a close without code, states. WS10: a half-open close waits for an answer.
	r.Expect(messages+`
		a.accept(); a.send("early"); a.send(5); a.send({}); a.send(new Uint8Array([1, 2, 3]).subarray(1));
			a.send(undefined);
		await scheduler.wait(1);
		b.accept();
		await scheduler.wait(1);
		b.send("back"); b.close();
		await scheduler.wait(1);
		out.push("states " + a.readyState + b.readyState);
		a.close(4001, "bye"); a.close(4002);
		await scheduler.wait(1);
		return out.join("\n") + "\nend " + a.readyState + b.readyState`,
		"b early\nb 5\nb [object Object]\nb bytes 2\nb undefined\na back\na close 1005  true 2\nstates 22\nb close "+
			"4001 bye true 3\nend 33")
}

func TestCloseIsAnswered(t *testing.T) {
	r := newRunner(t, "web_socket_auto_reply_to_close", "websocket_standard_binary_type")
	r.Expect(messages+`
		a.accept(); b.accept();
		a.send(new ArrayBuffer(4));
		a.close(3000, "r");
		await scheduler.wait(1);
		b.close(3001);
		return out.join("\n") + "\nend " + a.readyState + b.readyState`,
		"b blob 4\nb close 3000 r true 3\na close 3000 r true 3\nend 33")
	r.Expect(messages+`
		a.accept({allowHalfOpen: true}); b.accept({allowHalfOpen: true});
		a.close(3000);
		await scheduler.wait(1);
		const half = b.readyState;
		b.send("still"); b.close(3002);
		await scheduler.wait(1);
		return half + "\n" + out.join("\n")`,
		"2\nb close 3000  true 2\na still\na close 3002  true 3")
}

// WS18: a listener that throws ends the socket.
func TestListenerThrows(t *testing.T) {
	r := newRunner(t)
	r.Expect(messages+`
		b.addEventListener("message", () => { throw new Error("oops") });
		a.accept(); b.accept();
		a.send("x"); a.send("y");
		await scheduler.wait(1);
		b.send("ignored");
		return out.join("\n")`,
		"b x\nb error Uncaught Error: oops\na close 1006 WebSocket disconnected without sending Close frame. false 1")
	if strings.Join(r.Uncaught, "|") != "Error: oops" {
		t.Errorf("uncaught: %q", r.Uncaught)
	}
}

// WS4, and the texts of sockets that were given away.
func TestDetachAndHibernate(t *testing.T) {
	r := newRunner(t)
	try := func(expr string, f func(v goja.Value)) string {
		text := "fine"
		r.On(func() {
			v, err := r.Host.Runtime().RunString(expr)
			if err != nil {
				t.Fatal(err)
			}
			if ex := r.Host.Realm.Try(func() { f(v) }); ex != nil {
				text = ex.String()
			}
		})
		return text
	}
	detach := func(v goja.Value) { Detach(r.Host, v) }
	hibernate := func(v goja.Value) { AcceptHibernatable(r.Host, v, nil) }
	for _, c := range []struct {
		expr string
		do   func(goja.Value)
		want string
	}{
		{`var p = new WebSocketPair; p[0]`, detach, "fine"},
		{`p[0]`, detach, "TypeError: Can't return WebSocket that was already used in a response."},
		{`var q = new WebSocketPair; q[0].accept(); q[0]`, detach,
			"TypeError: Can't return WebSocket in a Response after calling accept()."},
		{`q[0]`, hibernate,
			"Error: Cannot call `acceptWebSocket()` if the WebSocket was already accepted via `accept()`"},
		{`q[1]`, hibernate, "Error: Cannot call `acceptWebSocket()` on this WebSocket because its pair has already " +
			"been accepted or used in a Response."},
		{`var s = new WebSocketPair; s[0]`, hibernate, "fine"},
		{`s[0]`, detach, "TypeError: Can't return WebSocket in a Response after calling acceptWebSocket()."},
	} {
		if got := try(c.expr, c.do); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.expr, got, c.want)
		}
	}
	r.Expect(`s[0].accept()`, "throws TypeError: Can't accept() WebSocket after enabling hibernation.")
	r.Expect(`p[0].accept()`, "throws TypeError: Can't accept() WebSocket that was already used in a response.")
}

// A hibernatable end gives its messages to Go, keeps its object until it is forgotten (WS3), and sends through the new
// one then; the attachment survives (WS14).
func TestHibernatableEnd(t *testing.T) {
	r := newRunner(t)
	var end *End
	r.On(func() {
		v, err := r.Host.Runtime().RunString(
			`var p = new WebSocketPair, got = []; p[0].serializeAttachment("kept"); p[0]`)
		if err != nil {
			t.Fatal(err)
		}
		end = AcceptHibernatable(r.Host, v, []string{"tag"})
		if Object(r.Host, end) != v {
			t.Error("not the same object")
		}
	})
	r.Expect(`p[1].accept(); p[1].onmessage = e => got.push(e.data); p[1].send("up"); p[0].send("down"); `+
		`await scheduler.wait(1); return got.join()`, "down")
	if m, ok := end.Take(); !ok || m.Kind != Text || m.Text != "up" {
		t.Errorf("took %+v", m)
	}
	r.On(func() {
		old := Object(r.Host, end)
		Forget(end)
		again := Object(r.Host, end)
		if again == old || Object(r.Host, end) != again {
			t.Error("after Forget there must be one new object")
		}
		_ = r.Host.Runtime().Set("woken", again)
	})
	r.Expect(`woken.send("again"); await scheduler.wait(1); return got.join() + woken.deserializeAttachment()`,
		"down,againkept")
}

// A socket ends with the scope that accepted it, or with the scope that it was handed to and that never took it in.
func TestScopeEndLosesSocket(t *testing.T) {
	for _, use := range []string{"ws.accept()", ""} {
		r := newRunner(t)
		local, remote := NewPipe()
		r.On(func() {
			_ = r.Host.Runtime().Set("ws", Wrap(r.Host, local))
			if _, err := r.Host.Runtime().RunString(use); err != nil {
				t.Fatal(err)
			}
		})
		lost := make(chan struct{})
		remote.Notify(func() { close(lost) })
		r.On(func() { r.Scope.Close(nil) })
		<-lost
		if m, ok := remote.Take(); !ok || m.Kind != Lost || m.Breach() != nil {
			t.Errorf("%q: %+v", use, m)
		}
	}
}

// An accepted socket whose peer is outside keeps its invocation alive until it is closed.
func TestAcceptedSocketHoldsInvocation(t *testing.T) {
	r := newRunner(t)
	owner := &holds{}
	local, remote := NewPipe()
	r.On(func() {
		r.Scope.Owner = owner
		_ = r.Host.Runtime().Set("ws", Wrap(r.Host, local))
		_, _ = r.Host.Runtime().RunString("ws.accept()")
	})
	if owner.n != 1 {
		t.Errorf("after accept: %d holds", owner.n)
	}
	remote.Send(Message{Kind: Close, Code: 1000})
	r.Expect(`await scheduler.wait(1); return ws.readyState`, "2")
	if owner.n != 0 {
		t.Errorf("after close: %d holds", owner.n)
	}
}

type holds struct{ n int }

func (h *holds) Hold()    { h.n++ }
func (h *holds) Release() { h.n-- }
