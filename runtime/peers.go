package runtime

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/runtime/control"
	"eddy/runtime/peer"
	"eddy/runtime/report"
)

// This file is a session's part in sharing a state directory with others; the sharing itself is package peer.

// door is what a session that owns the queues shows to commands and other sessions.
type door struct {
	token string
	mu    sync.Mutex // guards the rest
	// listening says that the session's start is over, open that control API and running file are there.
	listening, open bool
}

// peerOptions say how this session finds others, and they find it.
func (s *Server) peerOptions() (peer.Options, error) {
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		return peer.Options{}, err
	}
	s.door.token = hex.EncodeToString(token)
	o := peer.Options{
		OpenLog: s.openLog, Token: s.door.token, Session: peer.Session{PID: os.Getpid()}, Event: s.peerEvent,
		Took: func(*queues.Broker) error { return s.openDoor(false) },
		Serve: func(script, queue string) {
			s.whenConnected(func() error { return s.attachConsumer(script, queue) })
		},
		LaneSent: func(queue string) { s.whenConnected(func() error { return s.lanes.Ensure(queue) }) },
	}
	for _, name := range s.Workers() {
		o.Session.Workers = append(o.Session.Workers, peer.Worker{Name: name})
	}
	if !s.state.ephemeral {
		o.Find = func(ctx context.Context) (peer.Address, error) {
			_, owner, token, err := control.FindOwner(ctx, s.state.root)
			if err == nil && token == "" {
				err = fmt.Errorf("process %d at %s takes no other sessions", owner.PID, owner.URL)
			}
			return peer.Address{URL: owner.URL, Token: token}, err
		}
	}
	return o, nil
}

// whenConnected runs f once the Workers are attached. Not on a goroutine that must not wait.
func (s *Server) whenConnected(f func() error) {
	select {
	case <-s.connected:
	case <-s.stopping:
		return
	}
	if err := f(); err != nil {
		s.report.Line(report.Error, "queues", err.Error())
	}
}

// described is this session as the others see it.
func (s *Server) described() peer.Session {
	d := peer.Session{PID: os.Getpid(), URL: s.URL()}
	for _, script := range s.ownScripts() {
		d.Workers = append(d.Workers, peer.Worker{Name: script.Name, Producers: script.Producers, HasQueue: script.HasQueue})
	}
	for _, n := range s.objects.Namespaces(context.Background()) {
		if n.Served {
			d.Namespaces = append(d.Namespaces, n.Key)
		}
	}
	return d
}

// objectsElsewhere names the session that joined this one and runs a namespace's objects, "" if none does.
func (s *Server) objectsElsewhere(namespace string) string {
	for _, g := range s.queues.Guests() {
		if slices.Contains(g.Namespaces, namespace) {
			return g.String()
		}
	}
	return ""
}

// openDoor opens the control API and, once the session listens, lets commands and other sessions find it. Nothing of
// that happens while another session owns the queues; it is called again when this one becomes the owner.
func (s *Server) openDoor(listening bool) error {
	select {
	case <-s.connected:
	default:
		return nil // the start is not that far; it comes here itself
	}
	s.door.mu.Lock()
	defer s.door.mu.Unlock()
	s.door.listening = s.door.listening || listening
	b := s.queues.Broker()
	if b == nil {
		return nil
	}
	if s.control.Load() == nil {
		if err := s.openControl(b); err != nil {
			return err
		}
	}
	if !s.door.listening || s.door.open || s.state.ephemeral || s.URL() == "" {
		return nil
	}
	withdraw, err := control.Announce(s.session(), s.door.token)
	if err != nil {
		return err
	}
	s.door.open = true
	s.closers = append(s.closers, withdraw)
	return nil
}

func (s *Server) session() control.Session {
	d := control.Session{PID: os.Getpid(), URL: s.URL(), State: s.state.root, Started: s.started, Workers: s.Workers()}
	for _, g := range s.queues.Guests() {
		guest := control.Guest{PID: g.PID, URL: g.URL, Workers: []string{}}
		for _, w := range g.Workers {
			guest.Workers = append(guest.Workers, w.Name)
		}
		d.Guests = append(d.Guests, guest)
	}
	return d
}

// serveControl answers /cdn-cgi/eddy/: from this session's queues, or through the session that has them.
func (s *Server) serveControl(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == peer.Path {
		s.queues.ServeHTTP(w, r)
		return
	}
	if r.URL.Path == peer.CallPath {
		s.serveCall(w, r)
		return
	}
	if a := s.control.Load(); a != nil {
		a.ServeHTTP(w, r)
		return
	}
	owner, ok := s.queues.Owner()
	if !ok {
		http.Error(w, "The session that owns the queues has ended; try again.", http.StatusServiceUnavailable)
		return
	}
	target, err := url.Parse(owner.URL)
	if err != nil || target.Host == "" {
		http.Error(w, fmt.Sprintf("The session that owns the queues (%s) has no address.", owner), http.StatusBadGateway)
		return
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Host = "localhost"
		},
		// Events are streamed. The certificate is one that the owner made for itself.
		FlushInterval: -1, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, fmt.Sprintf("The session that owns the queues (%s) does not answer: %v", owner, err), http.StatusBadGateway)
		},
	}
	proxy.ServeHTTP(w, r)
}

// sharing is the banner's lines about other sessions.
func (s *Server) sharing() string {
	var b strings.Builder
	if owner, ok := s.queues.Owner(); ok {
		fmt.Fprintf(&b, "Joined %s, which runs %s\n", owner, owner.Names())
		fmt.Fprintf(&b, "%s\n", s.report.Paint("dim", "  shared: queues, dead letters and lanes; service bindings and Durable Objects of the other session are reached by fetch()"))
	}
	for _, g := range s.queues.Guests() {
		fmt.Fprintf(&b, "Shared with %s, which runs %s\n", g, g.Names())
	}
	return b.String()
}

// peerEvent tells of other sessions.
func (s *Server) peerEvent(e peer.Event) {
	fields := []report.Field{report.F("event", string(e.Kind)), report.F("pid", e.Session.PID), report.F("url", e.Session.URL), report.F("workers", e.Session.Names())}
	level, text := report.Info, ""
	switch e.Kind {
	case peer.Joined:
		text = fmt.Sprintf("Process %d joined with %s", e.Session.PID, e.Session.Names())
	case peer.Left:
		select {
		case <-s.stopping:
			return // it is this session that leaves
		default:
		}
		text = fmt.Sprintf("Process %d left with %s; messages for its consumers wait", e.Session.PID, e.Session.Names())
	case peer.Lost:
		level, text = report.Warn, fmt.Sprintf("The session that owns the queues (%s) has ended", e.Session)
	case peer.Took:
		text = "This session owns the queues now"
	case peer.Found:
		text = fmt.Sprintf("Joined %s, which owns the queues now", e.Session)
	case peer.Failed:
		level, text = report.Error, fmt.Sprintf("queues: %v", e.Err)
	}
	s.report.Line(level, "peer", text, fields...)
}

// runsAlready refuses a Worker that another session on the state directory runs.
func (s *Server) runsAlready(worker string, pid int) error {
	return fmt.Errorf("Worker %s runs already on the state directory %s, in %s\n  its Durable Objects cannot live in two sessions: end that one, or give this one a directory of its own: --persist-to DIR\n  to share queues between Workers of different names, give them different names", worker, s.state.root, s.holder(pid))
}

// inUse explains, when another process has the log and this session could not join it, which one it is and what can be
// done.
func (s *Server) inUse(err error) error {
	var refused *peer.Refused
	if errors.As(err, &refused) {
		return fmt.Errorf("the state directory %s is shared, and this session is refused: %w", s.state.root, err)
	}
	var locked *logstore.LockedError
	if !errors.As(err, &locked) {
		return fmt.Errorf("queues: %w", err)
	}
	return fmt.Errorf("the state directory %s is in use by %s, which takes no other sessions\n  to share its queues, run the Workers in one session: eddy dev -c ONE -c ANOTHER\n  to keep them apart, give this one a directory of its own: --persist-to DIR\n  %w", s.state.root, s.holder(locked.Pid), err)
}

// holder names the session of a process, as far as it can be found.
func (s *Server) holder(pid int) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, owner, err := control.Find(ctx, s.state.root); err == nil {
		for _, g := range append(owner.Guests, control.Guest{PID: owner.PID, URL: owner.URL, Workers: owner.Workers}) {
			if g.PID == pid {
				return fmt.Sprintf("process %d, which serves %s at %s", pid, strings.Join(g.Workers, ", "), g.URL)
			}
		}
	}
	return fmt.Sprintf("process %d", pid)
}
