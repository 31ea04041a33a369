package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"reflect"
	"testing"

	"eddy/runtime/rpc"
	"eddy/runtime/webapi/websocket"
)

// frames has one of each kind, with everything that it can have.
func frames() []*frame {
	all := &cargo{data: []byte("d"), disposer: 9, goods: []good{{what: goodExport, id: 1}, {what: goodYours, id: 2},
		{what: goodReader, id: 3, length: -1}, {what: goodSink, id: 4}, {what: goodTrigger, id: 5},
		{what: goodSocket, id: 6}}}
	bad := &failure{flags: 31, name: "Error", message: "m", objectID: "o", data: []byte{}}
	list := []*frame{
		{kind: kindHello, number: 1, text: "who"},
		{kind: kindCall, id: 1, to: place{entry: Entry{Worker: "w", Entrypoint: "E", Props: []byte("p")}},
			path: []string{"a", "b"}, flags: flagArguments, cargo: all, hops: hops{1, 2, 3, "cause"}},
		{kind: kindCall, id: 2, to: place{what: toResult, id: 1}, flags: flagGet | flagExtra},
		{kind: kindResult, id: 1, cargo: all}, {kind: kindResult, id: 1, failure: bad},
		{kind: kindWritten, id: 1}, {kind: kindWritten, id: 1, failure: bad}, {kind: kindPull, id: 1, number: 500},
		{kind: kindFail, id: 1, text: "why"},
		{kind: kindFetch, id: 1, to: place{what: toOpened, id: 3}, cargo: all}, {kind: kindFetched, id: 1, cargo: all},
		{kind: kindFetched, id: 1, failure: bad},
	}
	for _, k := range []kind{kindOpen, kindData, kindWrite, kindSignal} {
		list = append(list, &frame{kind: k, id: 300, data: []byte("x")})
	}
	for _, k := range []kind{kindForget, kindRelease, kindClose, kindEnd, kindCancel, kindFinish, kindAbort, kindIdle,
		kindGiveUp} {
		list = append(list, &frame{kind: k, id: 1 << 40})
	}
	for _, m := range []websocket.Message{{Text: "t"}, {Kind: websocket.Binary, Data: []byte("b")},
		{Kind: websocket.Close, Code: 1000, Reason: "r"}, {Kind: websocket.Lost}} {
		list = append(list, &frame{kind: kindMessage, id: 1, message: message{given: true, Message: m}})
	}
	return list
}

// A frame is what it was after it was written and read; a part of it is none.
func TestFrames(t *testing.T) {
	for _, f := range frames() {
		b := f.append(nil)
		got, err := decode(b)
		if err != nil || !reflect.DeepEqual(got, f) {
			t.Errorf("kind %d: %+v %v", f.kind, got, err)
		}
		for n := range b {
			if _, err := decode(b[:n]); err == nil {
				t.Errorf("kind %d: %d of %d bytes are a frame", f.kind, n, len(b))
			}
		}
		if _, err := decode(append(b, 0)); !errors.Is(err, errFrame) {
			t.Errorf("kind %d: something behind it: %v", f.kind, err)
		}
	}
	if _, err := decode([]byte{99, 1}); !errors.Is(err, errFrame) {
		t.Errorf("an unknown kind: %v", err)
	}
	head := binary.BigEndian.AppendUint32(nil, maxFrame+1)
	if _, err := readFrame(bytes.NewReader(head)); !errors.Is(err, errFrame) {
		t.Errorf("a frame without bounds: %v", err)
	}
}

// Whatever bytes come are a frame or none; a frame is written again as one that means the same.
func FuzzFrame(f *testing.F) {
	for _, x := range frames() {
		f.Add(x.append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := decode(b)
		if err != nil {
			return
		}
		again, err := decode(x.append(nil))
		if err != nil || !reflect.DeepEqual(x, again) {
			t.Fatalf("%+v is %+v, %v", x, again, err)
		}
	})
}

// Whatever frames come, in whatever order, the wire serves or ends; it neither panics nor hangs, and keeps nothing.
func FuzzWire(f *testing.F) {
	all := []byte{}
	for _, x := range frames() {
		b := x.append(nil)
		all = append(binary.BigEndian.AppendUint32(all, uint32(len(b))), b...)
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, b []byte) {
		a, other := net.Pipe()
		answer := newHost(func(op *rpc.Op) {
			in := op.Unload()
			if in == nil {
				in = &rpc.Cargo{}
			}
			op.ReplyWith(nil, in) // what came goes back
		})
		w := New(Options{Entry: func(Entry) rpc.Client { return answer },
			Open: func([]byte) rpc.Client { return answer.Dup() },
			Fetch: func(d Asked) {
				_, end := websocket.NewPipe()
				d.Answer(nil, &Reply{Head: d.Head, Body: d.Body, Length: d.Length, Socket: end})
			}})
		over := make(chan error, 1)
		go func() { over <- w.Run(a) }()
		go func() {
			buffer := make([]byte, 1<<10)
			for {
				if _, err := other.Read(buffer); err != nil {
					return
				}
			}
		}()
		hello := (&frame{kind: kindHello, number: Version}).append(nil)
		_, err := other.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(hello))), hello...))
		if err == nil {
			_, err = other.Write(b)
		}
		_ = err // the wire may have ended before it has read all
		_ = other.Close()
		if err := <-over; err == nil {
			t.Error("it has ended without an error")
		}
		if n := w.Held(); n != 0 {
			t.Errorf("%d things are kept", n)
		}
	})
}
