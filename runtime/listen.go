package runtime

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
)

// listener is one HTTP server of the session.
type listener struct {
	server *http.Server
	addr   net.Addr
	url    string
}

// serverLog takes what net/http has to say about connections that never became requests (a TLS handshake with somebody
// who speaks plain HTTP): of use to whoever looks for it, noise to all others.
type serverLog struct{ report *report.Reporter }

func (l serverLog) Write(p []byte) (int, error) {
	l.report.Line(report.Debug, "server", strings.TrimRight(string(p), "\n"))
	return len(p), nil
}

// defaultPort is wrangler dev's.
const defaultPort = 8787

// listen opens the port of the first Worker, and of every other Worker whose configuration asks for one (dev.port).
func (s *Server) listen() error {
	for i, svc := range s.services {
		dev := svc.config.Dev
		ip, port, fixed := dev.IP, dev.Port, dev.Port != 0
		if i == 0 {
			if s.opts.IP != "" {
				ip = s.opts.IP
			}
			if s.opts.Port != 0 {
				port, fixed = max(s.opts.Port, 0), true
			}
			if port == 0 && !fixed {
				port = defaultPort
			}
		} else if port == 0 {
			continue
		}
		proto := s.opts.LocalProtocol
		if proto == "" {
			proto = dev.LocalProtocol
		}
		l, err := s.open(svc, ip, port, fixed, proto == "https")
		if err != nil {
			return err
		}
		svc.listener = l
	}
	return nil
}

func (s *Server) open(svc *service, ip string, port int, fixed, https bool) (*listener, error) {
	host := ip
	switch ip {
	case "", "localhost":
		host = "127.0.0.1"
	case "*":
		host = ""
	}
	if port > 65535 || port < 0 {
		return nil, fmt.Errorf("port %d: expected 1 to 65535, or 0 for any that is free: --port N", port)
	}
	var ln net.Listener
	var err error
	for try := 0; ; try++ {
		ln, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port+try)))
		if err == nil || fixed || !errors.Is(err, syscall.EADDRINUSE) || try == 20 {
			break
		}
	}
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("port %d is already in use on %s\n  choose another one: --port N (or dev.port in %s), or --port 0 for any that is free", port, host, svc.config.Path)
		}
		if errors.Is(err, os.ErrPermission) {
			return nil, fmt.Errorf("port %d: %w\n  ports below 1024 need rights; choose another one: --port N", port, err)
		}
		return nil, fmt.Errorf("listen on %q: %w\n  choose an address of this machine: --ip ADDRESS (127.0.0.1, or * for all)", ip, err)
	}
	shown := ip
	if shown == "" || shown == "*" || shown == "127.0.0.1" {
		shown = "localhost"
	}
	scheme := "http"
	if https {
		scheme = "https"
	}
	l := &listener{
		addr: ln.Addr(),
		url:  fmt.Sprintf("%s://%s", scheme, net.JoinHostPort(shown, strconv.Itoa(ln.Addr().(*net.TCPAddr).Port))),
		server: &http.Server{
			Handler: front{svc: svc, https: https}, ReadHeaderTimeout: 30 * time.Second, MaxHeaderBytes: 128 << 10,
			ErrorLog: log.New(serverLog{s.report}, "", 0),
		},
	}
	if https {
		cert, err := selfSigned(host)
		if err != nil {
			_ = ln.Close()
			return nil, fmt.Errorf("certificate for https: %w", err)
		}
		l.server.TLSConfig = cert
	}
	s.background.Add(1)
	go func() {
		defer s.background.Done()
		var err error
		if https {
			err = l.server.ServeTLS(ln, "", "")
		} else {
			err = l.server.Serve(ln)
		}
		if !errors.Is(err, http.ErrServerClosed) {
			s.serverFailed(svc, err)
		}
	}()
	return l, nil
}

// stop closes the port at once, lets requests in flight end until ctx does, and then closes their connections.
func (l *listener) stop(ctx context.Context) error {
	if err := l.server.Shutdown(ctx); err != nil {
		return l.server.Close()
	}
	return nil
}

// URL is where the first Worker answers, "" when nothing is listened on.
func (s *Server) URL() string {
	if len(s.services) == 0 || s.services[0].listener == nil {
		return ""
	}
	return s.services[0].listener.url
}

// Addr is the address of the first Worker's port.
func (s *Server) Addr() net.Addr {
	if len(s.services) == 0 || s.services[0].listener == nil {
		return nil
	}
	return s.services[0].listener.addr
}
