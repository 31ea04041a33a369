package testconfig

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/worker"
)

//go:embed netserver.js
var netServerSource string

// listen is listen(host, port, connected) for servers of node:net that a global setup starts (TEST-63). It gives the
// address, and a function that ends it; connected is called with a port for each connection. An isolate can connect but
// not accept, so it connects to that port, and this process copies between the two connections. The isolate's end is
// the listener's.
func (m *machine) listen(fc goja.FunctionCall) (any, error) {
	port := int(fc.Argument(1).ToInteger())
	connected, _ := goja.AssertFunction(fc.Argument(2))
	l, err := net.Listen("tcp", net.JoinHostPort(fc.Argument(0).String(), strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	stopped := m.iso.Loop.Stopped()
	over := make(chan struct{})
	end := sync.OnceFunc(func() {
		close(over)
		_ = l.Close() // it accepts no more
	})
	go func() {
		select {
		case <-stopped:
			end()
		case <-over:
		}
	}()
	go func() {
		for {
			outer, err := l.Accept()
			if err != nil {
				end()
				return
			}
			go m.bridge(outer.(*net.TCPConn), connected)
		}
	}()
	at := l.Addr().(*net.TCPAddr)
	family := "IPv4"
	if at.IP.To4() == nil {
		family = "IPv6"
	}
	return map[string]any{"address": at.IP.String(), "port": at.Port, "family": family, "close": end}, nil
}

// bridgeGrace is how long an isolate may take to connect.
const bridgeGrace = time.Minute

// bridge copies between a connection and the one that the isolate makes for it, until both have ended.
func (m *machine) bridge(outer *net.TCPConn, connected goja.Callable) {
	defer outer.Close()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return
	}
	defer l.Close()
	t := &task{done: make(chan struct{}), run: func(iso *worker.Isolate) goja.Value {
		v, err := connected(goja.Undefined(), iso.Runtime().ToValue(l.Addr().(*net.TCPAddr).Port))
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		return v
	}}
	if l.SetDeadline(time.Now().Add(bridgeGrace)) != nil ||
		!m.iso.Dispatch(context.Background(), t, worker.DispatchOptions{Unlimited: true}) {
		return
	}
	inner, err := l.AcceptTCP()
	if err != nil {
		return
	}
	defer inner.Close()
	_ = l.Close() // one connection is all
	var both sync.WaitGroup
	for _, way := range [][2]*net.TCPConn{{outer, inner}, {inner, outer}} {
		both.Go(func() {
			_, err := io.Copy(way[0], way[1])
			if err == nil {
				_ = way[0].CloseWrite() // the other side hears of the end
				return
			}
			_, _ = way[0].Close(), way[1].Close() // nothing goes either way any more
		})
	}
	both.Wait()
}

// inUse tells whether an address is taken already.
func inUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
