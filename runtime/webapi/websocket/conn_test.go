package websocket

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// pipeConns are a client and a server on one in-memory connection.
func pipeConns(client, server deflation) (*Conn, *Conn) {
	a, b := net.Pipe()
	return newConn(a, nil, true, client), newConn(b, nil, false, server)
}

func TestConnMessages(t *testing.T) {
	for name, d := range map[string][2]deflation{
		"plain":     {},
		"deflate":   {{on: true}, {on: true}},
		"take over": {{on: true, keep: true}, {on: true, keep: true}},
	} {
		t.Run(name, func(t *testing.T) {
			client, server := pipeConns(d[0], d[1])
			defer client.Close()
			sent := []Message{
				{Kind: Text, Text: ""}, {Kind: Text, Text: "é"}, {Kind: Binary, Data: []byte{0, 1, 2}},
				{Kind: Text, Text: strings.Repeat("long enough to compress. ", 100)},
				{Kind: Text, Text: strings.Repeat("long enough to compress. ", 100)},
				{Kind: Binary, Data: bytes.Repeat([]byte("abcdefg"), 20000)},
				{Kind: Close, Code: 4000, Reason: "bye"},
			}
			go func() {
				for _, m := range sent {
					_ = client.Send(m)
				}
			}()
			for i, want := range sent {
				got, err := server.Receive()
				if err != nil {
					t.Fatal(i, err)
				}
				if got.Kind != want.Kind || got.Text != want.Text || !bytes.Equal(got.Data, want.Data) ||
					got.Code != want.Code || got.Reason != want.Reason {
					t.Errorf("message %d: %.80v, want %.80v", i, got, want)
				}
			}
		})
	}
}

// A peer that keeps its compression window refers to earlier messages.
func TestInflateKeepsWindow(t *testing.T) {
	text := []byte(strings.Repeat("window ", 50))
	first := deflate(text)
	d := deflation{on: true, keep: true}
	if got, err := d.inflate(first, 1<<20); err != nil || !bytes.Equal(got, text) {
		t.Fatal(err)
	}
	if !bytes.Equal(d.window, text) {
		t.Error("the window is not what was received")
	}
}

// rwc is a connection whose input is given and whose output is kept.
type rwc struct {
	io.Reader
	out bytes.Buffer
}

func (r *rwc) Write(p []byte) (int, error) { return r.out.Write(p) }
func (r *rwc) Close() error                { return nil }

func frame(opcode byte, payload string) []byte {
	return appendFrame(nil, opcode, false, true, []byte(payload))
}

func receiveAll(in []byte, limit int) ([]Message, []byte, error) {
	c := &rwc{Reader: bytes.NewReader(in)}
	conn := newConn(c, bufio.NewReader(c), false, deflation{on: true, keep: true})
	conn.limit = limit
	var all []Message
	for {
		m, err := conn.Receive()
		if err != nil {
			return all, c.out.Bytes(), err
		}
		all = append(all, m)
	}
}

func TestConnBreaches(t *testing.T) {
	unmasked := appendFrame(nil, opText, false, false, []byte("x"))
	open := frame(opText, "a")
	open[0] &^= 0x80
	for name, c := range map[string]struct {
		in   []byte
		code int
	}{
		"unmasked":      {unmasked, 1002},
		"opcode":        {frame(3, ""), 1002},
		"continuation":  {frame(opContinuation, "x"), 1002},
		"interleaved":   {append(open[:len(open):len(open)], frame(opText, "b")...), 1002},
		"not utf-8":     {frame(opText, "\xff"), 1007},
		"long ping":     {frame(opPing, strings.Repeat("x", 126)), 1002},
		"short close":   {frame(opClose, "x"), 1002},
		"close code":    {frame(opClose, "\x03\xed"), 1002},
		"too large":     {frame(opBinary, strings.Repeat("x", 101)), 1009},
		"not deflate":   {appendFrame(nil, opText, true, true, []byte("\xff\xff\xff")), 1007},
		"deflated bomb": {appendFrame(nil, opText, true, true, deflate(make([]byte, 1000))), 1009},
	} {
		_, out, err := receiveAll(c.in, 100)
		var p *ProtocolError
		if !errors.As(err, &p) || p.Code != c.code {
			t.Errorf("%s: %v", name, err)
		} else if len(out) < 4 || out[0] != 0x80|opClose || int(out[2])<<8|int(out[3]) != c.code {
			t.Errorf("%s: the peer was told %x", name, out)
		}
	}
	// WS13's text.
	if _, _, err := receiveAll(
		frame(opBinary, strings.Repeat("x", 101)), 100); err.Error() != "WebSocket protocol error; "+
		"protocolError.statusCode = 1009; protocolError.description = Message is too large" {
		t.Error(err)
	}
}

func TestConnControlFrames(t *testing.T) {
	open := frame(opText, "he")
	open[0] &^= 0x80
	in := append(open, frame(opPing, "p")...)
	in = append(in, frame(opPong, "")...)
	in = append(in, frame(opContinuation, "llo")...)
	in = append(in, frame(opClose, "")...)
	all, out, err := receiveAll(in, 100)
	if len(all) != 2 || all[0].Text != "hello" || all[1].Kind != Close || all[1].Code != NoCode ||
		!errors.Is(err, io.EOF) {
		t.Errorf("%+v %v", all, err)
	}
	if string(out) != "\x8a\x01p" {
		t.Errorf("answered %x", out)
	}
	if _, _, err := receiveAll(frame(opText, "hello")[:4], 100); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func FuzzConn(f *testing.F) {
	f.Add(frame(opText, "hello"))
	f.Add(append(frame(opPing, "x"), frame(opClose, "\x03\xe8bye")...))
	f.Add(appendFrame(nil, opBinary, true, true, deflate([]byte(strings.Repeat("z", 300)))))
	f.Fuzz(func(t *testing.T, in []byte) {
		all, _, err := receiveAll(in, 1<<16)
		if err == nil {
			t.Fatal("reading never ends without an error")
		}
		for _, m := range all {
			if len(m.Data)+len(m.Text) > 1<<16 {
				t.Fatal("the limit was passed")
			}
		}
	})
}

func BenchmarkConnEcho(b *testing.B) {
	client, server := pipeConns(deflation{}, deflation{})
	defer client.Close()
	go func() {
		for {
			m, err := server.Receive()
			if err != nil || server.Send(m) != nil {
				return
			}
		}
	}()
	m := Message{Kind: Text, Text: strings.Repeat("x", 100)}
	b.ReportAllocs()
	for b.Loop() {
		if err := client.Send(m); err != nil {
			b.Fatal(err)
		}
		if _, err := client.Receive(); err != nil {
			b.Fatal(err)
		}
	}
}
