package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/coder/websocket"
)

// pipe is one end of a link: packets out without waiting, packets in one by one.
type pipe struct {
	ws   *websocket.Conn
	wake chan struct{} // capacity 1
	// written is closed when the goroutine that writes has ended.
	written chan struct{}

	mu     sync.Mutex // guards the rest
	out    []parcel
	closed bool // nothing is added any more; what is there still goes out
	cut    bool // nothing goes out any more
}

// maxActivities is how many packets may wait before activities are left out: they are for people to read.
const maxActivities = 10_000

func newPipe(ws *websocket.Conn) *pipe {
	ws.SetReadLimit(maxPacket)
	p := &pipe{ws: ws, wake: make(chan struct{}, 1), written: make(chan struct{})}
	go p.write()
	return p
}

// put queues a packet, which is encoded later, by the goroutine that writes; after close it is dropped. It never
// blocks. The packet belongs to the pipe then, and what it points at must not change.
func (p *pipe) put(f *packet) { p.add(parcel{packet: f}) }

// putEncoded is put for what encode has encoded.
func (p *pipe) putEncoded(b []byte) { p.add(parcel{bytes: b}) }

func (p *pipe) add(x parcel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || x.packet != nil && x.packet.Kind == kindActivity && len(p.out) >= maxActivities {
		return
	}
	p.out = append(p.out, x)
	p.signal()
}

// parcel is a packet, or one that is encoded already.
type parcel struct {
	packet *packet
	bytes  []byte
}

func encode(f *packet) ([]byte, error) {
	b, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("peer: %s: %w", f.Kind, err)
	}
	if len(b) > maxPacket {
		return nil, fmt.Errorf("%d bytes are more than sessions that share a state directory exchange at once, "+
			"which is %d", len(b), maxPacket)
	}
	return b, nil
}

func (p *pipe) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// write is the goroutine that owns the connection's writing side.
func (p *pipe) write() {
	defer close(p.written)
	for range p.wake {
		p.mu.Lock()
		out, closed, cut := p.out, p.closed, p.cut
		p.out = nil
		p.mu.Unlock()
		if cut {
			return
		}
		for _, x := range out {
			b := x.bytes
			var err error
			if x.packet != nil {
				b, err = encode(x.packet)
			}
			if err == nil {
				err = p.ws.Write(context.Background(), websocket.MessageText, b)
			}
			if err != nil {
				_ = p.ws.CloseNow() // the reading side reports that the link is gone
				return
			}
		}
		if closed {
			return
		}
	}
}

// read waits for the next packet. It is for one goroutine.
func (p *pipe) read(ctx context.Context) (*packet, error) {
	_, b, err := p.ws.Read(ctx)
	if err != nil {
		return nil, err
	}
	return decode(b)
}

// close lets out what was put before, and nothing more.
func (p *pipe) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.signal()
}

// end closes the connection at once and waits for the goroutine that writes.
func (p *pipe) end() {
	p.mu.Lock()
	p.closed, p.cut = true, true
	p.signal()
	p.mu.Unlock()
	_ = p.ws.CloseNow() // it may be closed already
	<-p.written
}
