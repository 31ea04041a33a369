package standin

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
)

// piped carries requests to a handler over a connection in memory, so that it can take the connection over. It
// implements [http.RoundTripper].
type piped struct{ http.Handler }

// RoundTrip implements [http.RoundTripper].
func (p piped) RoundTrip(r *http.Request) (*http.Response, error) {
	near, far := net.Pipe()
	server := &http.Server{Handler: p.Handler}
	go server.Serve(&single{conn: far}) //nolint:errcheck // it ends with its only connection
	t := &http.Transport{DisableKeepAlives: r.Header.Get("Upgrade") == "",
		DialContext:    func(context.Context, string, string) (net.Conn, error) { return near, nil },
		DialTLSContext: func(context.Context, string, string) (net.Conn, error) { return near, nil },
	}
	res, err := t.RoundTrip(r)
	if err != nil {
		return nil, errors.Join(err, near.Close())
	}
	return res, nil
}

// single is a listener with one connection.
type single struct {
	conn net.Conn
	once sync.Once
}

// Accept implements [net.Listener].
func (s *single) Accept() (conn net.Conn, err error) {
	err = net.ErrClosed
	s.once.Do(func() { conn, err = s.conn, nil })
	return conn, err
}

// Close implements [net.Listener]. The connection goes on.
func (s *single) Close() error { return nil }

// Addr implements [net.Listener].
func (s *single) Addr() net.Addr { return s.conn.LocalAddr() }
