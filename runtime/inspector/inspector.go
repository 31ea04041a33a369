package inspector

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"eddy/runtime/clock"
)

// DefaultPort is the port of debuggers, the one of Node and of wrangler dev.
const DefaultPort = 9229

// Options configure an Inspector.
type Options struct {
	// IP is the address to listen at, "" for 127.0.0.1. Port 0 is the configuration's, else 9229, else the next that is
	// free; -1 is any that is free.
	IP   string
	Port int
	// Break lets the first script wait until a debugger has come, and pause at its first statement.
	Break bool
	// Opened, if set, is called with the address when the port is open.
	Opened func(addr string)
	// Waiting, if set, is called when a script begins to wait for a debugger.
	Waiting func()
}

// Inspector answers debuggers, see the package documentation. Make one with [New].
type Inspector struct {
	opts Options

	mu         sync.Mutex
	targets    []*target         // guarded by mu, in the order of their first start
	contexts   int               // guarded by mu
	scripts    int               // guarded by mu
	exceptions int64             // guarded by mu
	clocks     []*clock.Pausable // guarded by mu
	http       *http.Server
	listener   net.Listener

	// let is closed when a debugger has let the first script go.
	let     chan struct{}
	letOnce sync.Once
	closed  chan struct{}
	close   sync.Once
}

// New makes a server that does not listen yet.
func New(o Options) *Inspector {
	s := &Inspector{opts: o, let: make(chan struct{}), closed: make(chan struct{})}
	if !o.Break {
		s.release()
	}
	return s
}

// Open opens the port, if it is not open yet. The address and the port are those of the configuration where Options say
// nothing.
func (s *Inspector) Open(ip string, port int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		return nil
	}
	ip, port = cmp.Or(s.opts.IP, ip, "127.0.0.1"), cmp.Or(s.opts.Port, port)
	var err error
	switch {
	case port < 0:
		s.listener, err = net.Listen("tcp", net.JoinHostPort(ip, "0"))
	case port > 0:
		s.listener, err = net.Listen("tcp", net.JoinHostPort(ip, strconv.Itoa(port)))
	default:
		for port = DefaultPort; port < DefaultPort+ports; port++ {
			if s.listener, err = net.Listen("tcp", net.JoinHostPort(ip, strconv.Itoa(port))); err == nil {
				break
			}
		}
	}
	if err != nil {
		return fmt.Errorf("the debugger's port: %w; choose another with --inspect=PORT", err)
	}
	if s.opts.Opened != nil {
		s.opts.Opened(s.listener.Addr().String())
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.http.Serve(s.listener) }() // ends with Close
	return nil
}

// ports is how many ports are tried from the default one on.
const ports = 100

// Addr is what is listened to, "" before Open.
func (s *Inspector) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return ""
	}
	return s.listener.Addr().String()
}

// farewell is how long clients that do not read are waited for at the end, while this process does not stand still.
const farewell = time.Second

// Close ends all connections and pauses, after the answers that are owed. It may be called twice.
func (s *Inspector) Close() {
	s.close.Do(func() {
		close(s.closed)
		s.release()
		s.mu.Lock()
		var clients []*client
		for _, t := range s.targets {
			clients = append(clients, t.clients...)
		}
		s.mu.Unlock()
		ctx, cancel := clock.WithPatience(context.Background(), farewell)
		defer cancel()
		for _, c := range clients {
			c.finish(ctx)
		}
		if s.http != nil {
			_ = s.http.Close() // what it says of connections concerns nobody any more
		}
	})
}

// release lets the first script go.
func (s *Inspector) release() { s.letOnce.Do(func() { close(s.let) }) }

// await lets a realm wait for a debugger. Loop goroutine.
func (s *Inspector) await(r *realm) {
	select {
	case <-s.let:
		return
	default:
	}
	if s.opts.Waiting != nil {
		s.opts.Waiting()
	}
	goOn := s.stand()
	defer goOn()
	defer r.iso.Loop.Suspend()()
	select {
	case <-s.let:
		r.target.breakStart.Store(true)
	case <-s.closed:
	case <-r.stopped:
	}
}

// target is the one of a Worker's name, made at the first use.
func (s *Inspector) target(name string) *target {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.targets {
		if t.name == name {
			return t
		}
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	t := &target{server: s, name: name, id: hex.EncodeToString(id[:])}
	s.targets = append(s.targets, t)
	return t
}

// Describe is one Worker as /json lists it.
type Describe struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Type        string `json:"type"`
	Description string `json:"description"`
	URL         string `json:"url"`
	FaviconURL  string `json:"faviconUrl"`
	FrontendURL string `json:"devtoolsFrontendUrl"`
	Socket      string `json:"webSocketDebuggerUrl"`
}

// Targets are the Workers that can be debugged, at a host of this server.
func (s *Inspector) Targets(host string) []Describe {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []Describe{}
	for _, t := range s.targets {
		d := Describe{
			ID: t.id, Title: "eddy: " + t.name, Type: "node", Description: "Worker " + t.name,
			URL: "https://workers.dev", Socket: "ws://" + host + "/" + t.id,
			FaviconURL:  "https://workers.cloudflare.com/favicon.ico",
			FrontendURL: "devtools://devtools/bundled/js_app.html?experiments=true&v8only=true&ws=" + host + "/" + t.id,
		}
		if len(t.realms) > 0 {
			if files := t.realms[len(t.realms)-1].stops.Files; len(files) > 0 {
				d.URL = files[len(files)-1].URL
			}
		}
		list = append(list, d)
	}
	return list
}

// errForeign refuses what a page of another site may have caused.
var errForeign = errors.New("only debuggers on this machine are answered: Host must be an address or localhost, and " +
	"a " +
	"page must be a debugger's own")

// ServeHTTP answers /json and its like, and upgrades to the protocol.
func (s *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := check(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	switch strings.TrimSuffix(r.URL.Path, "/") {
	case "/json", "/json/list":
		answer(w, s.Targets(r.Host))
	case "/json/version":
		answer(w, map[string]string{"Browser": "eddy", "Protocol-Version": "1.3"})
	case "/json/protocol":
		answer(w, descriptor())
	default:
		t := s.named(strings.Trim(r.URL.Path, "/"))
		if t == nil {
			http.Error(w, "no such target; /json lists them", http.StatusNotFound)
			return
		}
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
			InsecureSkipVerify: true, // check has looked at the origin
			CompressionMode:    websocket.CompressionDisabled,
		})
		if err == nil {
			serveClient(r.Context(), t, conn)
		}
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.Header().Set("Cache-Control", "no-cache")
	_ = json.NewEncoder(w).Encode(v) // to a peer that is gone
}

// named is the target of an address: its id, its name, or the first one for an empty path and for /ws.
func (s *Inspector) named(path string) *target {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.targets, func(t *target) bool { return t.id == path }); i >= 0 {
		return s.targets[i]
	}
	if i := slices.IndexFunc(s.targets, func(t *target) bool { return t.name == path }); i >= 0 {
		return s.targets[i]
	}
	if (path == "" || path == "ws") && len(s.targets) > 0 {
		return s.targets[0]
	}
	return nil
}

// check refuses names that a foreign site could have bound to this machine, and pages that are no debugger's.
func check(r *http.Request) error {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if net.ParseIP(host) == nil && host != "localhost" && !strings.HasSuffix(host, ".localhost") {
		return errForeign
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil {
			return errForeign
		}
		name := u.Hostname()
		ip := net.ParseIP(name)
		if u.Scheme != "devtools" && u.Scheme != "vscode-webview" && name != "localhost" &&
			(ip == nil || !ip.IsLoopback()) && origin != "https://devtools.devprod.cloudflare.dev" {
			return errForeign
		}
	}
	return nil
}
