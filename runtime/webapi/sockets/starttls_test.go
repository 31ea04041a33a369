package sockets

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
)

// A read that waits when startTls() is called takes nothing of the handshake: clients of databases read all the time.
func TestStartTLSWhileReading(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate, which is for example.com
	defer web.Close()
	roots = x509.NewCertPool()
	roots.AddCert(web.Certificate())
	defer func() { roots = nil }()
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
		if line, _ := bufio.NewReader(conn).ReadString('\n'); line != "STARTTLS\n" {
			return
		}
		_, _ = conn.Write([]byte("go\n"))
		secure := tls.Server(conn, &tls.Config{Certificates: web.TLS.Certificates})
		line, _ := bufio.NewReader(secure).ReadString('\n')
		_, _ = secure.Write([]byte(strings.ToUpper(line)))
		_ = secure.CloseWrite()
	}()
	r := newRunner(t)
	release := r.Clock.Hold("a test")
	defer release()
	r.Expect(`
		const plain = sockets.connect("`+ln.Addr().String()+`", { secureTransport: "starttls" });
		const w = plain.writable.getWriter(), rd = plain.readable.getReader();
		await w.write(new TextEncoder().encode("STARTTLS\n"));
		const first = new TextDecoder().decode((await rd.read()).value).trim();
		const waiting = rd.read().then((r) => r.done, (e) => e.message);
		await 1;
		w.releaseLock();
		const s = plain.startTls({ expectedServerHostname: "example.com" });
		const sw = s.writable.getWriter();
		await sw.write(new TextEncoder().encode("hello\n"));
		let text = "";
		const srd = s.readable.getReader();
		for (let r = await srd.read(); !r.done; r = await srd.read()) text += new TextDecoder().decode(r.value);
		return [first, text.trim(), plain.upgraded, s.secureTransport, await waiting].join()`, "go,HELLO,true,on,true")
}
