package nodecompat

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"eddy/runtime/webapi/webapitest"
)

// newNetRunner is a runner with ADDRESS and PORT of a server that does serve with every connection.
func newNetRunner(t *testing.T, serve func(net.Conn)) *webapitest.Runner {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	r := newRunner(t)
	r.On(func() { _ = r.Host.Runtime().Set("PORT", ln.Addr().(*net.TCPAddr).Port) })
	t.Cleanup(r.Clock.Hold("a test")) // the peer takes its time
	return r
}

// Clients of databases speak over net.Socket, and net.Socket over cloudflare:sockets.
func TestNetSocket(t *testing.T) {
	r := newNetRunner(t, func(conn net.Conn) {
		line, _ := bufio.NewReader(conn).ReadString('\n')
		_, _ = io.WriteString(conn, strings.ToUpper(line))
	})
	for _, x := range [][2]string{
		{`const s = require("net").connect(PORT, "127.0.0.1"), seen = [s.connecting, s.readyState];
			for (const e of ["connect", "ready", "end", "close"]) s.on(e, (...a) => seen.push(e + a));
			s.setEncoding("utf8").on("data", (d) => seen.push(d.trim()));
			s.write("hel"); s.write("lo\n");
			await new Promise((r) => s.on("close", r));
			return [...seen, s.bytesRead, s.bytesWritten, s.remoteAddress, s.remotePort === PORT, s.readyState].join()`,
			"true,opening,connect,ready,HELLO,end,closefalse,6,6,127.0.0.1,true,closed"},
		{`const s = new (require("net").Socket)(); return new Promise((r) => ` +
			`s.connect({ port: PORT }, () => { r([s.address().address, s.remoteFamily, s.pending].join()); ` +
			`s.destroy() }))`, "127.0.0.1,IPv4,false"},
		{`const s = require("net").connect(PORT); s.end("x\n"); return require("stream/consumers").text(s)`, "X\n"},
		{`const s = require("net").connect(1, "127.0.0.1"); return new Promise((r) => { ` +
			`let e; s.on("error", (x) => (e = x)).on("close", (bad) => r([e.message, bad].join())) })`,
			"proxy request failed, cannot connect to the specified address,true"},
		{`require("net").connect({ path: "/tmp/x" })`, "throws Error: The options.path option is not implemented"},
		{`require("net").connect({})`,
			`throws TypeError: The "options" or "port" or "path" argument must be specified`},
		{`require("tls").connect({ port: 1, rejectUnauthorized: false })`,
			"throws Error: The options.rejectUnauthorized option is not implemented"},
	} {
		r.Expect(x[0], x[1])
	}
}

func TestNetSocketTimeout(t *testing.T) {
	cases{
		{`const s = new (require("net").Socket)(), from = Date.now(); ` +
			`return new Promise((r) => s.setTimeout(50, () => r(String(Date.now() - from))))`, "50"},
	}.run(t)
}

// tls.connect() over a socket sends the beginning of a handshake through it, and tells when that fails.
func TestTLSOverASocket(t *testing.T) {
	first := make(chan byte, 1)
	r := newNetRunner(t, func(conn net.Conn) {
		b := make([]byte, 1)
		_, _ = io.WriteString(conn, "S")
		if n, _ := conn.Read(b); n == 1 {
			first <- b[0]
		}
	})
	r.Expect(`const plain = require("net").connect(PORT);
		await new Promise((r) => plain.once("data", r));
		const s = require("tls").connect({ socket: plain, servername: "db.test" });
		return new Promise((r) => s.on("error", (e) => r([e.message, s.encrypted, s.authorized].join())))`,
		"TLS Handshake Failed.,true,false")
	if b := <-first; b != 22 {
		t.Errorf("the peer read %d, want 22, a handshake record", b)
	}
}
