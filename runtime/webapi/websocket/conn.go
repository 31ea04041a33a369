package websocket

import (
	"bufio"
	"encoding/binary"
	"io"
	"sync"
	"unicode/utf8"
)

// Conn speaks the protocol on a connection. Receive is called by one goroutine at a time; Send by any.
type Conn struct {
	rwc    io.ReadWriteCloser
	r      *bufio.Reader
	client bool
	// Protocol and Extensions are what was agreed on.
	Protocol, Extensions string
	limit                int
	in                   deflation
	deflates             bool

	write struct {
		sync.Mutex
		buf    []byte // frames that wait to be written
		closed bool   // a close frame was sent, or waits to be
	}
}

// newConn speaks the protocol on rwc, as a client or as a server, without any handshake.
func newConn(rwc io.ReadWriteCloser, r *bufio.Reader, client bool, d deflation) *Conn {
	if r == nil {
		r = bufio.NewReader(rwc)
	}
	return &Conn{rwc: rwc, r: r, client: client, limit: MaxMessage, in: d, deflates: d.on}
}

// Close cuts the connection.
func (c *Conn) Close() error { return c.rwc.Close() }

// Send writes a message. After a close it sends nothing.
func (c *Conn) Send(m Message) error { return c.send(m, true) }

// maxQueued is how many bytes of frames may wait for Flush.
const maxQueued = 32 << 10

// Queue sends a message with a delay: a small one waits for the next Send or [Conn.Flush], so that messages that come
// together go out together.
func (c *Conn) Queue(m Message) error { return c.send(m, false) }

// Flush writes what is queued.
func (c *Conn) Flush() error {
	c.write.Lock()
	defer c.write.Unlock()
	return c.flush()
}

func (c *Conn) send(m Message, now bool) error {
	opcode, rsv1 := byte(opText), false
	var p []byte
	switch m.Kind {
	case Text:
		p = []byte(m.Text)
	case Binary:
		opcode, p = opBinary, m.Data
	case Close:
		opcode = opClose
		if m.Code != NoCode {
			p = append(binary.BigEndian.AppendUint16(nil, uint16(m.Code)), m.Reason...)
		}
	default:
		panic("websocket: a lost connection is no message to send")
	}
	if opcode != opClose && c.deflates && len(p) >= compressFrom {
		p, rsv1 = deflate(p), true
	}
	return c.writeFrame(opcode, rsv1, p, now)
}

func (c *Conn) writeFrame(opcode byte, rsv1 bool, p []byte, now bool) error {
	c.write.Lock()
	defer c.write.Unlock()
	if c.write.closed {
		return nil
	}
	c.write.closed = opcode == opClose
	c.write.buf = appendFrame(c.write.buf, opcode, rsv1, c.client, p)
	if now || len(c.write.buf) >= maxQueued {
		return c.flush()
	}
	return nil
}

// flush is called with the lock held.
func (c *Conn) flush() error {
	if len(c.write.buf) == 0 {
		return nil
	}
	_, err := c.rwc.Write(c.write.buf)
	c.write.buf = c.write.buf[:0]
	if cap(c.write.buf) > 2*maxQueued {
		c.write.buf = nil
	}
	return err
}

// Receive reads the next message. It answers pings; the caller answers a close. The error is a *ProtocolError, of which
// the peer has been told, or the error of reading: io.EOF for a connection that ended between messages.
func (c *Conn) Receive() (Message, error) {
	m, err := c.receive()
	if p, ok := err.(*ProtocolError); ok {
		_ = c.Send(Message{Kind: Close, Code: p.Code, Reason: p.Description})
	}
	return m, err
}

func (c *Conn) receive() (Message, error) {
	var data []byte
	opcode, compressed := byte(0), false
	for {
		h, err := readHeader(c.r, c.in.on)
		if err != nil {
			if opcode != 0 {
				err = cut(err)
			}
			return Message{}, err
		}
		if h.masked == c.client {
			return Message{}, errFrame("Frames from a client must be masked, and only those")
		}
		if h.opcode >= opClose {
			p, err := c.payload(nil, h)
			if err != nil {
				return Message{}, err
			}
			if m, done, err := c.control(h.opcode, p); done || err != nil {
				return m, err
			}
			continue
		}
		switch {
		case h.opcode == opContinuation && opcode == 0:
			return Message{}, errFrame("Continuation without a message")
		case h.opcode != opContinuation && opcode != 0:
			return Message{}, errFrame("A message began inside another")
		case h.opcode == opContinuation && h.rsv1:
			return Message{}, errFrame("RSV bits must be 0")
		case h.opcode != opContinuation:
			opcode, compressed = h.opcode, h.rsv1
		}
		if h.length > uint64(c.limit-len(data)) {
			return Message{}, errTooLarge
		}
		if data, err = c.payload(data, h); err != nil {
			return Message{}, err
		}
		if h.fin {
			break
		}
	}
	if compressed {
		var err error
		if data, err = c.in.inflate(data, c.limit); err != nil {
			return Message{}, err
		}
	}
	if opcode == opBinary {
		return Message{Kind: Binary, Data: data}, nil
	}
	if !utf8.Valid(data) {
		return Message{}, &ProtocolError{Code: 1007, Description: "Text message is not UTF-8"}
	}
	return Message{Kind: Text, Text: string(data)}, nil
}

// payload appends the payload of a frame. It grows with what arrives, not with what the head claims.
func (c *Conn) payload(data []byte, h frameHeader) ([]byte, error) {
	const step = 64 << 10
	for left := int(h.length); left > 0; {
		n := min(left, step)
		start := len(data)
		data = append(data, make([]byte, n)...)
		if _, err := io.ReadFull(c.r, data[start:]); err != nil {
			return nil, cut(err)
		}
		if h.masked {
			unmask(data[start:], h.mask, int(h.length)-left)
		}
		left -= n
	}
	return data, nil
}

// control handles a control frame; done is set for a close.
func (c *Conn) control(opcode byte, p []byte) (m Message, done bool, err error) {
	switch opcode {
	case opPing:
		return m, false, c.writeFrame(opPong, false, p, true)
	case opPong:
		return m, false, nil
	}
	m = Message{Kind: Close, Code: NoCode}
	if len(p) == 0 {
		return m, true, nil
	}
	if len(p) == 1 {
		return m, true, errFrame("Close frame is too short")
	}
	m.Code, m.Reason = int(binary.BigEndian.Uint16(p)), string(p[2:])
	switch {
	case m.Code < 1000 || m.Code >= 5000 || m.Code == 1004 || m.Code == 1005 || m.Code == 1006 || m.Code >= 1015 &&
		m.Code < 3000:
		return m, true, errFrame("Close code is invalid")
	case !utf8.ValidString(m.Reason):
		return m, true, &ProtocolError{Code: 1007, Description: "Close reason is not UTF-8"}
	}
	return m, true, nil
}
