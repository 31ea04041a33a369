package sharing

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/rpc/wire"
	"eddy/runtime/webapi/sockets"
)

// Connect implements [objectjs.Distant].
func (d *distantObject) Connect(j *sockets.Joint, hops eventloop.Hops) {
	if to := d.find(); to != nil {
		connectOver(to, j, hops)
		return
	}
	j.Refuse()
}

// Connect implements [objectjs.Distant].
func (p *placedObject) Connect(j *sockets.Joint, hops eventloop.Hops) {
	p.with(func(to rpc.Client) {
		switch to := to.(type) {
		case nil:
			j.Refuse()
		case *wire.Proxy:
			connectOver(to, j, hops)
		default: // the object has come to this node
			p.s.o.Session.ConnectObject(to, j, hops)
		}
	})
}

// lineBytes is how much one read of the other side's end of a connection asks for.
const lineBytes = 64 << 10

// connectOver carries a connection to an object on the other side of a wire. It does not wait.
func connectOver(to *wire.Proxy, j *sockets.Joint, hops eventloop.Hops) {
	a := asking{Connect: j.Address(), Cause: hops.Cause.String()}
	a.Objects, a.Workers, a.Calls = hops.Depth()
	head, err := json.Marshal(a)
	if err != nil {
		panic(err) // texts and numbers
	}
	wait := to.Ask(wire.Question{Head: head, Body: said{j.Line()}, Length: -1})
	go func() {
		_, reply, err := told(wait(context.Background())) // it ends with the wire
		if err != nil {
			j.Refuse()
			return
		}
		if reply.Body == nil {
			reply.Drop()
			j.Refuse()
			return
		}
		j.Opened()
		hear(j.Line(), reply.Body)
	}()
}

// takeConnection gives an object of this session a connection of another one.
func (s *Sharing) takeConnection(d wire.Asked, address string, hops eventloop.Hops) {
	accepted := make(chan bool, 1)
	j, line := sockets.Carried(s.o.Clock, address, func(ok bool) { accepted <- ok })
	s.o.Session.ConnectObject(d.To, j, hops)
	go func() {
		select {
		case ok := <-accepted:
			if ok {
				tell(d, telling{Length: -1}, said{line}, nil, nil)
				hear(line, d.Body)
				return
			}
		case <-d.Context.Done(): // nobody waits for it any more
			line.Lose()
		}
		_ = d.Body.Close() // nothing is read of it
		d.Answer(rpc.Disconnected(), nil)
	}()
}

// said is what one end of a connection says, for the other side.
type said struct{ line *sockets.Line }

func (s said) Read(p []byte) (int, error) { return s.line.Read(p) }

// Waiting implements streams.Patient: it may be long before it says something.
func (said) Waiting() bool { return true }

// Close implements [io.Closer].
func (s said) Close() error { return s.line.CloseRead() }

// hear gives one end of a connection what the other side says, until that ends or is lost.
func hear(line *sockets.Line, from io.ReadCloser) {
	defer func() { _ = from.Close() }() // all that counts was read
	for b := make([]byte, lineBytes); ; {
		n, err := from.Read(b)
		if n > 0 {
			if _, err := line.Write(b[:n]); err != nil {
				return // nobody listens any more, which does not keep it from speaking
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			_ = line.CloseWrite() // the other end hears it, or is gone
			return
		case err != nil:
			line.Lose()
			return
		}
	}
}
