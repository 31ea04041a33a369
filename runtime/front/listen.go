package front

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"eddy/runtime/report"
	"eddy/runtime/webapi/fetch"
)

// Listener is an open port. Connections wait until [Listener.Serve].
type Listener struct {
	port   net.Listener
	server *http.Server
	url    string
	https  bool
	closed func()
}

// URL is where the Worker answers.
func (l *Listener) URL() string { return l.url }

// Addr is the address of the port.
func (l *Listener) Addr() net.Addr { return l.port.Addr() }

// serverLog takes net/http's messages about connections that never became requests, such as a TLS handshake with
// somebody who speaks plain HTTP. Few people want them, so they are shown at level debug only.
type serverLog struct{ report *report.Reporter }

func (l serverLog) Write(p []byte) (int, error) {
	l.report.Line(report.Debug, "server", strings.TrimRight(string(p), "\n"))
	return len(p), nil
}

// Listen opens a port. The error says what to do about it.
func (f Front) Listen(p Port) (*Listener, error) {
	host := p.IP
	switch p.IP {
	case "", "localhost":
		host = "127.0.0.1"
	case "*":
		host = ""
	}
	if p.Number > 65535 || p.Number < 0 {
		return nil, fmt.Errorf("port %d: expected 1 to 65535, or 0 for any that is free", p.Number)
	}
	var ln net.Listener
	var err error
	for try := 0; ; try++ {
		ln, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(p.Number+try)))
		if err == nil || p.Fixed || !errors.Is(err, syscall.EADDRINUSE) || try == 20 {
			break
		}
	}
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("port %d is already in use on %s\n"+
				"  choose another one: --port N (or dev.port in %s), or --port 0 for any that is free", p.Number, host,
				p.Config)
		}
		if errors.Is(err, os.ErrPermission) {
			return nil, fmt.Errorf("port %d: %w\n  ports below 1024 need rights; choose another one: --port N",
				p.Number, err)
		}
		var unknown *net.DNSError
		if errors.As(err, &unknown) || errors.Is(err, syscall.EADDRNOTAVAIL) {
			return nil, fmt.Errorf("%q is no address of this machine\n  choose another one: --ip ADDRESS (127.0.0.1, "+
				"or * for all)", p.IP)
		}
		return nil, fmt.Errorf("listen on %q: %w\n  choose an address of this machine: --ip ADDRESS (127.0.0.1, or "+
			"* for all)", p.IP, err)
	}
	shown := p.IP
	if shown == "" || shown == "*" || shown == "127.0.0.1" {
		shown = "localhost"
	}
	scheme := "http"
	if p.HTTPS {
		scheme = "https"
	}
	f.port = true
	number := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	l := &Listener{
		closed: fetch.ServesPort(number),
		port:   ln, https: p.HTTPS,
		url: fmt.Sprintf("%s://%s", scheme, net.JoinHostPort(shown, number)),
		server: &http.Server{
			Handler: f, ReadHeaderTimeout: 30 * time.Second, MaxHeaderBytes: 128 << 10,
			ErrorLog: log.New(serverLog{f.o.Report}, "", 0),
		},
	}
	if p.HTTPS {
		cert, err := p.certificate(host)
		if err != nil {
			l.closed()
			return nil, errors.Join(fmt.Errorf("certificate for https: %w", err), ln.Close())
		}
		l.server.TLSConfig = cert
	}
	return l, nil
}

// Serve answers requests until Stop. An error says why the port stopped serving by itself.
func (l *Listener) Serve() error {
	var err error
	if l.https {
		err = l.server.ServeTLS(l.port, "", "")
	} else {
		err = l.server.Serve(l.port)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Stop closes the port at once, lets requests in flight end until ctx does, and then closes their connections.
func (l *Listener) Stop(ctx context.Context) error {
	defer l.closed()
	err := l.server.Shutdown(ctx)
	_ = l.port.Close() // it is closed already, unless nobody served it yet
	if err != nil {
		return l.server.Close()
	}
	return nil
}
