package sockets

import (
	"bufio"
	"net"
	"strings"
	"testing"

	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/encoding"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/webapitest"
)

func newRunner(t *testing.T) *webapitest.Runner {
	return webapitest.New(t, events.Install, encoding.Install, streams.Install, func(h *host.Host) {
		_ = h.Runtime().Set("sockets", Module(h))
	})
}

// A line goes out, comes back in upper case, and the peer closes.
func TestConnect(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		line, _ := bufio.NewReader(conn).ReadString('\n')
		_, _ = conn.Write([]byte(strings.ToUpper(line)))
	}()
	r := newRunner(t)
	release := r.Clock.Hold("a test") // the peer takes its time
	defer release()
	r.Expect(`
		const s = sockets.connect("`+ln.Addr().String()+`");
		const info = await s.opened;
		const w = s.writable.getWriter();
		await w.write(new TextEncoder().encode("hello\n"));
		let text = "";
		const rd = s.readable.getReader();
		for (let r = await rd.read(); !r.done; r = await rd.read()) text += new TextDecoder().decode(r.value);
		await s.closed;
		return text.trim() + " " + typeof info.remoteAddress + " " + s.secureTransport;`, "HELLO string off")
}

func TestConnectErrors(t *testing.T) {
	r := newRunner(t)
	r.Expect(`sockets.connect("nonsense")`, "throws TypeError: Specified address is missing port.")
	r.Expect(`sockets.connect({ hostname: "a", port: 1 }, { secureTransport: "maybe" })`,
		"throws TypeError: Unsupported value in secureTransport socket option: maybe")
	release := r.Clock.Hold("a test")
	defer release()
	r.Expect(`const s = sockets.connect("127.0.0.1:1"); s.closed.catch(() => {}); await s.opened`,
		"throws Error: proxy request failed, cannot connect to the specified address")
}
