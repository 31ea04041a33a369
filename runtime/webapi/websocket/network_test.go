package websocket

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	coder "github.com/coder/websocket"
	"github.com/dop251/goja"

	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/webapitest"
)

// serve answers every WebSocket request with the socket that the script `answer` makes, as a Worker would.
func serve(t *testing.T, r *webapitest.Runner, answer string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var end *End
		header := http.Header{}
		r.On(func() {
			v, err := r.Host.Runtime().RunString(answer)
			if err != nil {
				t.Error(err)
				return
			}
			out, failure := fetch.Outgoing(r.Host, v)
			if failure != nil {
				t.Error(failure)
				return
			}
			header, end = out.Header, Detach(r.Host, out.WebSocket)
		})
		conn, err := Accept(w, req, header, true)
		if err != nil {
			end.Lose(err)
			return
		}
		Couple(end, conn, nil)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

const echo = `(() => {
	const [client, server] = Object.values(new WebSocketPair);
	server.accept();
	server.addEventListener("message", e => server.send(e.data));
	server.addEventListener("close", e => {
		closes.push(e.code + e.reason + e.wasClean);
		try { server.close(e.code, "answered " + e.reason) } catch { server.close() } });
	return new Response(null, {status: 101, webSocket: client, headers: {"Sec-WebSocket-Protocol": "chat"}});
})()`

// An independent implementation as the client: messages, compression, subprotocol, closing.
func TestServeIndependentClient(t *testing.T) {
	r := newRunner(t)
	r.On(func() { _, _ = r.Host.Runtime().RunString("var closes = []") })
	target := serve(t, r, echo)
	for _, mode := range []coder.CompressionMode{
		coder.CompressionDisabled, coder.CompressionContextTakeover, coder.CompressionNoContextTakeover} {
		ctx := context.Background()
		c, res, err := coder.Dial(
			ctx, target, &coder.DialOptions{
				CompressionMode: mode, CompressionThreshold: 1, Subprotocols: []string{"chat"}})
		if err != nil {
			t.Fatal(err)
		}
		if c.Subprotocol() != "chat" {
			t.Errorf("protocol %q", c.Subprotocol())
		}
		if has := res.Header.Get("Sec-WebSocket-Extensions") != ""; has != (mode != coder.CompressionDisabled) {
			t.Errorf("mode %v: extensions %q", mode, res.Header.Get("Sec-WebSocket-Extensions"))
		}
		c.SetReadLimit(1 << 20)
		for _, text := range []string{
			"hi", strings.Repeat("compress me ", 500), "", strings.Repeat("compress me ", 500)} {
			if err := c.Write(ctx, coder.MessageText, []byte(text)); err != nil {
				t.Fatal(err)
			}
			typ, got, err := c.Read(ctx)
			if err != nil || typ != coder.MessageText || string(got) != text {
				t.Fatalf("echo of %d bytes: %d bytes, %v", len(text), len(got), err)
			}
		}
		if err := c.Close(4321, "done"); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

// WS2: an empty subprotocol, as of a Worker that hands on the request's, is none.
func TestServeEmptyProtocol(t *testing.T) {
	r := newRunner(t)
	r.On(func() { _, _ = r.Host.Runtime().RunString("var closes = []") })
	c, res, err := coder.Dial(context.Background(), serve(t, r, strings.Replace(echo, `"chat"`, `""`, 1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if h, sent := res.Header["Sec-Websocket-Protocol"]; sent {
		t.Errorf("sent %q", h)
	}
	if err := c.Close(1000, ""); err != nil {
		t.Error(err)
	}
}

// WS9: a client that goes away without a close.
func TestServeLostClient(t *testing.T) {
	r := newRunner(t)
	heard := make(chan string, 1)
	r.On(func() {
		_ = r.Host.Runtime().Set("heard", func(s string) { heard <- s })
	})
	target := serve(
		t, r, strings.Replace(
			echo, "closes.push(e.code + e.reason + e.wasClean)", "heard(e.code + e.reason + e.wasClean)", 1))
	c, _, err := coder.Dial(context.Background(), target, &coder.DialOptions{Subprotocols: []string{"chat"}})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.CloseNow()
	if got := <-heard; got != "1006"+lostReason+"false" {
		t.Error(got)
	}
}

func independentServer(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refuse" {
			http.Error(w, "no", http.StatusTeapot)
			return
		}
		c, err := coder.Accept(
			w, r, &coder.AcceptOptions{
				Subprotocols: []string{"b"}, CompressionMode: coder.CompressionContextTakeover,
				CompressionThreshold: 1})
		if err != nil {
			return
		}
		defer c.CloseNow()
		c.SetReadLimit(1 << 20)
		for {
			typ, p, err := c.Read(r.Context())
			if err != nil {
				return
			}
			if string(p) == "close" {
				_ = c.Close(4444, "server")
				return
			}
			if err := c.Write(r.Context(), typ, p); err != nil {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// hold keeps the virtual clock from calling the test idle while the network is at work.
func hold(r *webapitest.Runner, done string) {
	release := r.Clock.Hold("a test")
	_ = r.Host.Runtime().Set(done, func(v goja.Value) goja.Value { release(); return v })
}

func TestClientSockets(t *testing.T) {
	target := independentServer(t)
	run := func(name, want, body string) {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, "web_socket_auto_reply_to_close")
			r.On(func() {
				hold(r, "done")
				_ = r.Host.Runtime().Set("U", target)
				r.Host.Outbound = &http.Transport{}
			})
			r.Expect(body, want)
		})
	}
	run("constructor",
		"0 open 1 b true|hi|"+strings.Repeat("m", 300)+"|"+strings.Repeat("m", 300)+"|close 4444 server true 3", `
		const out = [];
		const ws = new WebSocket(U.replace("http", "ws") + "/", ["a", "b"]);
		const first = ws.readyState;
		await new Promise(resolve => {
			ws.onopen = () => { out.push(
				[first, "open", ws.readyState, ws.protocol, ws.url.startsWith("ws:")].join(" ")); ws.send("hi");
				ws.send("m".repeat(300)); ws.send("m".repeat(300)); ws.send("close") };
			ws.onmessage = e => out.push(e.data);
			ws.onclose = e => { out.push(["close", e.code, e.reason, e.wasClean, ws.readyState].join(" ")); resolve() };
		});
		done(); return out.join("|")`)
	run("fetch", "101 true permessage-deflate|hi", `
		const res = await fetch(U, {headers: {Upgrade: "websocket"}});
		const ws = res.webSocket;
		ws.accept();
		const got = await new Promise(resolve => {
			ws.addEventListener("message", e => resolve(e.data)); ws.send("hi") });
		ws.close(1000);
		done(); return [res.status, ws instanceof WebSocket, ws.extensions.split(";")[0]].join(" ") + "|" + got`)
	run("fetch refused", "418no\n", `
		const res = await fetch(U + "/refuse", {headers: {Upgrade: "websocket"}});
		const text = await res.text();
		done(); return res.status + text`)
	run("constructor refused", "error Uncaught TypeError: Failed to establish the WebSocket connection: expected "+
		"server to reply with HTTP status code 101 (switching protocols), but received 418 instead.|close 1006 "+
		"Failed to establish websocket connection false", `
		const out = [];
		const ws = new WebSocket(U.replace("http", "ws") + "/refuse");
		await new Promise(resolve => {
			ws.onerror = e => out.push("error " + e.message);
			ws.onclose = e => { out.push(["close", e.code, e.reason, e.wasClean].join(" ")); resolve() };
		});
		done(); return out.join("|")`)
}

func TestConstructorRefusals(t *testing.T) {
	table(t, newRunner(t), [][2]string{
		{`new WebSocket("nope")`, "throws SyntaxError: WebSocket Constructor: The url is invalid."},
		{`new WebSocket("http://a")`, "throws SyntaxError: WebSocket Constructor: The url scheme must be ws or wss."},
		{`new WebSocket("ws://a#b")`, "throws SyntaxError: WebSocket Constructor: The url fragment must be empty."},
		{`new WebSocket("ws://a", "a b")`,
			"throws SyntaxError: WebSocket Constructor: The protocol header token is invalid."},
		{`new WebSocket("ws://a", ["a", "b c"])`,
			"throws SyntaxError: WebSocket Constructor: One of the protocol header tokens is invalid."},
		{`new WebSocket("ws://a", ["a", "a"])`,
			"throws SyntaxError: WebSocket Constructor: The protocols header cannot have repeating values."},
	})
}

func TestAcceptRefusesOthers(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := Accept(w, r, nil, true); err == nil {
			_ = c.Close()
			t.Error("accepted")
		}
	}))
	defer s.Close()
	for _, header := range []http.Header{
		{},
		{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Version": {"8"},
			"Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="}},
		{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Version": {"13"},
			"Sec-Websocket-Key": {"short"}},
	} {
		req, _ := http.NewRequest("GET", s.URL, nil)
		req.Header = header
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if res.StatusCode < 400 {
			t.Errorf("%v: %s", header, res.Status)
		}
	}
}
