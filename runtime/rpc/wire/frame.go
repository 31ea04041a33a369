package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"eddy/runtime/webapi/websocket"
)

// Version is that of the protocol. Both sides must have the same.
const Version = 2

// magic begins the first frame of each side.
const magic = "eddy-wire"

// maxFrame bounds a frame: what RPC carries at most (RPC12), and room for the rest.
const maxFrame = 40 << 20

// kind says what a frame is.
type kind byte

// The kinds of frames. Numbers are never changed or used again.
const (
	kindHello   kind = 1  // Number: the version, Text: who speaks
	kindCall    kind = 2  // ID, To, Path, Flags, Hops, Cargo if there are arguments
	kindResult  kind = 3  // ID of the call, Cargo or Failure
	kindForget  kind = 4  // ID of a call: nothing more is asked of its result
	kindRelease kind = 5  // ID of an export: nobody has it any more
	kindOpen    kind = 6  // ID, Data: makes an entry of an object
	kindClose   kind = 7  // ID of an entry
	kindPull    kind = 8  // ID of a reader, Number: asks for that many bytes at most
	kindData    kind = 9  // ID of a reader, Data: answers a pull
	kindEnd     kind = 10 // ID of a reader: there are no more bytes
	kindFail    kind = 11 // ID of a reader, Text: it has failed
	kindCancel  kind = 12 // ID of a reader: nobody wants more of it
	kindWrite   kind = 13 // ID of a sink, Data
	kindFinish  kind = 14 // ID of a sink: closes it
	kindAbort   kind = 15 // ID of a sink: its writer has gone
	kindWritten kind = 16 // ID of a sink, Failure if it failed: answers a write and a finish
	kindSignal  kind = 17 // ID of a trigger, Data: aborts
	kindIdle    kind = 18 // ID of a trigger: it will never abort
	kindFetch   kind = 19 // ID, To, Cargo: a request
	kindFetched kind = 20 // ID of a request, Cargo or Failure
	kindGiveUp  kind = 21 // ID of a request: nobody waits for its answer
	kindMessage kind = 22 // ID of a socket, Message
)

// Flags of a call.
const (
	flagGet       = 1  // reads a property
	flagExtra     = 2  // the caller may send kinds of events that are the platform's own
	flagArguments = 4  // there is a Cargo
	flagService   = 8  // makes a service stub again, of the parameters in the Cargo
	flagStub      = 16 // makes an RpcStub again
	flagStored    = 32 // the parameters come from storage
)

// what a call is sent to.
const (
	toEntry    = 0 // an entrypoint, by its name
	toExport   = 1 // an export of the receiver
	toResult   = 2 // the result of a call that the sender has made before
	toOpened   = 3 // an entry that the sender has opened
	knownPlace = 4
)

// What a good is.
const (
	goodExport  = 0 // ID of an export of the sender
	goodYours   = 1 // ID of an export of the receiver, which it gets back
	goodReader  = 2 // ID, length
	goodSink    = 3
	goodTrigger = 4
	goodSocket  = 5 // only in the answer to a request
	knownGood   = 6
)

// place is what a call is sent to.
type place struct {
	what  byte
	id    uint64 // of all but entries
	entry Entry
}

// good is a [rpc.Good] in a frame.
type good struct {
	what   byte
	id     uint64
	length int64 // of a reader, -1 if unknown
}

// cargo is a [rpc.Cargo] in a frame.
type cargo struct {
	data  []byte
	goods []good
	// disposer is an export that is released when the receiver disposes the value; 0 for none.
	disposer uint64
}

// frame is one message. Which fields count depends on the kind.
type frame struct {
	kind    kind
	id      uint64
	number  uint64 // the version of a hello, the bytes that a pull asks for
	text    string
	data    []byte
	to      place
	path    []string
	flags   byte
	hops    hops
	cargo   *cargo
	failure *failure
	message message
}

// message is one of a WebSocket.
type message struct {
	// given says that the sender of the frame has given the socket away.
	given bool
	websocket.Message
}

// hops are how deep a call is, and what it is caused by.
type hops struct {
	objects, workers uint8
	calls            uint64
	cause            string
}

// failure is a [rpc.RemoteError] in a frame.
type failure struct {
	flags                   byte
	name, message, objectID string
	data                    []byte
}

// append writes the frame without its length.
func (f *frame) append(b []byte) []byte {
	b = append(b, byte(f.kind))
	if f.kind == kindHello {
		b = putText(b, magic)
		b = binary.AppendUvarint(b, f.number)
		return putText(b, f.text)
	}
	b = binary.AppendUvarint(b, f.id)
	switch f.kind {
	case kindFetch:
		b = f.cargo.append(f.to.append(b))
	case kindMessage:
		b = f.message.append(b)
	case kindCall:
		b = f.to.append(b)
		b = binary.AppendUvarint(b, uint64(len(f.path)))
		for _, name := range f.path {
			b = putText(b, name)
		}
		b = append(b, f.flags, f.hops.objects, f.hops.workers)
		b = putText(binary.AppendUvarint(b, f.hops.calls), f.hops.cause)
		if f.flags&flagArguments != 0 {
			b = f.cargo.append(b)
		}
	case kindResult, kindFetched:
		if f.failure != nil {
			return f.failure.append(append(b, 1))
		}
		return f.cargo.append(append(b, 0))
	case kindWritten:
		if f.failure != nil {
			return f.failure.append(append(b, 1))
		}
		return append(b, 0)
	case kindPull:
		b = binary.AppendUvarint(b, f.number)
	case kindOpen, kindData, kindWrite, kindSignal:
		b = putText(b, string(f.data))
	case kindFail:
		b = putText(b, f.text)
	}
	return b
}

func (p *place) append(b []byte) []byte {
	b = append(b, p.what)
	if p.what != toEntry {
		return binary.AppendUvarint(b, p.id)
	}
	return putOptional(putText(putText(b, p.entry.Worker), p.entry.Entrypoint), p.entry.Props)
}

func (m *message) append(b []byte) []byte {
	given := byte(0)
	if m.given {
		given = 1
	}
	b = append(b, given, byte(m.Kind))
	switch m.Kind {
	case websocket.Text:
		b = putText(b, m.Text)
	case websocket.Binary:
		b = putText(b, string(m.Data))
	case websocket.Close:
		b = putText(binary.AppendUvarint(b, uint64(m.Code)), m.Reason)
	}
	return b
}

func (c *cargo) append(b []byte) []byte {
	b = putText(b, string(c.data))
	b = binary.AppendUvarint(b, uint64(len(c.goods)))
	for _, g := range c.goods {
		b = binary.AppendUvarint(append(b, g.what), g.id)
		if g.what == goodReader {
			b = binary.AppendVarint(b, g.length)
		}
	}
	return binary.AppendUvarint(b, c.disposer)
}

func (f *failure) append(b []byte) []byte {
	b = putText(putText(putText(append(b, f.flags), f.name), f.message), f.objectID)
	return putOptional(b, f.data)
}

func putText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// putOptional writes bytes that may be nil, which is not the same as empty.
func putOptional(b, data []byte) []byte {
	if data == nil {
		return append(b, 0)
	}
	return putText(append(b, 1), string(data))
}

// errFrame says that the other side does not speak the protocol.
var errFrame = errors.New("wire: a frame that the protocol does not have")

// decode reads a frame; what it gives shares no memory with b.
func decode(b []byte) (*frame, error) {
	d := &decoder{b: b}
	f := &frame{kind: kind(d.byte())}
	if f.kind == kindHello {
		if d.text() != magic {
			return nil, errFrame
		}
		f.number = d.number()
		f.text = d.text()
		return f, d.end()
	}
	f.id = d.number()
	switch f.kind {
	case kindFetch:
		f.to, f.cargo = d.place(), d.cargo()
	case kindMessage:
		f.message = d.message()
	case kindCall:
		f.to = d.place()
		for n := d.count(); n > 0 && !d.bad; n-- {
			f.path = append(f.path, d.text())
		}
		f.flags, f.hops.objects, f.hops.workers = d.byte(), d.byte(), d.byte()
		f.hops.calls, f.hops.cause = d.number(), d.text()
		if f.flags&flagArguments != 0 {
			f.cargo = d.cargo()
		}
		again := f.flags & (flagService | flagStub)
		d.bad = d.bad || f.flags >= 2*flagStored || again == flagService|flagStub ||
			again != 0 && (f.flags&flagArguments == 0 || f.flags&flagGet != 0 || len(f.path) > 0)
	case kindResult, kindFetched:
		if d.flag() {
			f.failure = d.failure()
		} else {
			f.cargo = d.cargo()
		}
	case kindWritten:
		if d.flag() {
			f.failure = d.failure()
		}
	case kindPull:
		f.number = d.number()
	case kindOpen, kindData, kindWrite, kindSignal:
		f.data = []byte(d.text())
	case kindFail:
		f.text = d.text()
	case kindForget, kindRelease, kindClose, kindEnd, kindCancel, kindFinish, kindAbort, kindIdle,
		kindGiveUp:
	default:
		return nil, fmt.Errorf("%w: kind %d", errFrame, f.kind)
	}
	return f, d.end()
}

// decoder reads from b; once something is missing, bad is set and all that it gives is zero.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) end() error {
	if d.bad || len(d.b) > 0 {
		return errFrame
	}
	return nil
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) flag() bool {
	c := d.byte()
	d.bad = d.bad || c > 1
	return c == 1
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

// count is a number of things that follow; each has at least one byte.
func (d *decoder) count() int {
	n := d.number()
	if n > uint64(len(d.b)) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) text() string {
	n := d.count()
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

func (d *decoder) optional() []byte {
	if !d.flag() {
		return nil
	}
	return []byte(d.text())
}

func (d *decoder) place() place {
	p := place{what: d.byte()}
	if p.what == toEntry {
		p.entry = Entry{Worker: d.text(), Entrypoint: d.text(), Props: d.optional()}
	} else {
		p.id = d.number()
	}
	d.bad = d.bad || p.what >= knownPlace
	return p
}

func (d *decoder) message() message {
	m := message{given: d.flag()}
	switch m.Kind = websocket.MessageKind(d.byte()); m.Kind {
	case websocket.Text:
		m.Text = d.text()
	case websocket.Binary:
		m.Data = []byte(d.text())
	case websocket.Close:
		code := d.number()
		d.bad = d.bad || code > 4999
		m.Code, m.Reason = int(code), d.text()
	case websocket.Lost:
	default:
		d.bad = true
	}
	return m
}

func (d *decoder) cargo() *cargo {
	c := &cargo{data: []byte(d.text())}
	for n := d.count(); n > 0 && !d.bad; n-- {
		g := good{what: d.byte(), id: d.number()}
		if g.what == goodReader {
			length, n := binary.Varint(d.b)
			if n <= 0 || length < -1 {
				d.bad = true
				return c
			}
			g.length, d.b = length, d.b[n:]
		}
		d.bad = d.bad || g.what >= knownGood
		c.goods = append(c.goods, g)
	}
	c.disposer = d.number()
	return c
}

func (d *decoder) failure() *failure {
	return &failure{flags: d.byte(), name: d.text(), message: d.text(), objectID: d.text(), data: d.optional()}
}

// writeFrame writes a frame behind its length.
func writeFrame(w io.Writer, f *frame) error {
	b := f.append(make([]byte, 4, 64+len(f.data)))
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	_, err := w.Write(b)
	return err
}

// readFrame reads a frame. It takes as much memory as there are bytes, whatever their number promises.
func readFrame(r io.Reader) (*frame, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return nil, fmt.Errorf("%w: %d bytes", errFrame, n)
	}
	b, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err == nil && len(b) < int(n) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	return decode(b)
}
