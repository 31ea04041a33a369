package main

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// tcpProxy passes connections on, unless it is cut. Each direction may stand still, or be late.
type tcpProxy struct {
	l net.Listener

	mu     sync.Mutex // guards the rest
	target string
	cut    bool
	conns  map[net.Conn]bool
	there  way // to the target
	back   way
}

// way is what happens to what goes in one direction.
type way struct {
	late  time.Duration
	still chan struct{} // closed when it goes on; nil while it does
}

func newProxy(t *testing.T) *tcpProxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &tcpProxy{l: l, conns: map[net.Conn]bool{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	t.Cleanup(func() { _ = l.Close(); p.heal(); p.setCut(true) })
	return p
}

func (p *tcpProxy) addr() string { return p.l.Addr().String() }

func (p *tcpProxy) to(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}

// setCut ends all connections and refuses new ones, or takes them again.
func (p *tcpProxy) setCut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	if cut {
		for c := range p.conns {
			_ = c.Close()
		}
	}
}

// stall lets nothing through any more in one direction; connections stay, and their ends do not notice.
func (p *tcpProxy) stall(w *way) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.still == nil {
		w.still = make(chan struct{})
	}
}

// delay makes what goes in one direction late.
func (p *tcpProxy) delay(w *way, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.late = d
}

// heal ends stalls and delays: what was held back arrives.
func (p *tcpProxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range []*way{&p.there, &p.back} {
		if w.still != nil {
			close(w.still)
		}
		*w = way{}
	}
}

func (p *tcpProxy) serve(c net.Conn) {
	p.mu.Lock()
	target, cut := p.target, p.cut
	p.mu.Unlock()
	defer func() { _ = c.Close() }()
	if cut {
		return
	}
	to, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	p.mu.Lock()
	p.conns[c], p.conns[to] = true, true
	cut = p.cut
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, c)
		delete(p.conns, to)
	}()
	if cut {
		return
	}
	go func() {
		p.pass(to, c, &p.there)
		_ = to.Close()
		_ = c.Close()
	}()
	p.pass(c, to, &p.back)
}

// pass carries bytes until either side ends it.
func (p *tcpProxy) pass(to io.Writer, from io.Reader, w *way) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if n > 0 {
			p.mu.Lock()
			late, still := w.late, w.still
			p.mu.Unlock()
			if late > 0 {
				<-time.After(late)
			}
			if still != nil {
				<-still
			}
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
