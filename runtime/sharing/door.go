package sharing

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"time"

	"eddy/queues"
	"eddy/runtime/control"
	"eddy/runtime/report"
	"eddy/runtime/running"
	"eddy/runtime/sharing/peer"
)

// Connected says that all Workers of the start are attached. The control API answers from now on, if this session owns
// the queues. It is called once.
func (s *Sharing) Connected(started time.Time) error {
	s.mu.Lock()
	s.started = started
	s.mu.Unlock()
	close(s.connected)
	return s.openDoor()
}

// Listening says where the session answers: commands and other sessions find it from now on. "" is a session without a
// port, which nobody finds.
func (s *Sharing) Listening(url string) error {
	s.mu.Lock()
	s.url = url
	s.mu.Unlock()
	if err := s.openDoor(); err != nil {
		return err
	}
	s.Announce()
	if url != "" && s.o.Cluster == nil {
		s.register(s.Described())
	}
	return nil
}

// openDoor opens the control API and, once the session listens, writes the running file. It does nothing while another
// session owns the queues, and is called again when this one becomes the owner.
func (s *Sharing) openDoor() error {
	select {
	case <-s.connected:
	default:
		return nil // the start has not come this far, and will call this itself
	}
	var b *queues.Broker
	if s.hosting != nil {
		b = s.hosting.Broker()
	} else {
		b = s.Queues.Broker()
	}
	if b == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.control.Load() == nil {
		a, err := s.o.Session.OpenControl(b)
		if err != nil {
			return err
		}
		s.control.Store(a)
	}
	if s.url == "" || s.withdraw != nil || s.o.Ephemeral || s.o.Cluster != nil {
		return nil
	}
	var err error
	s.withdraw, err = running.Announce(s.described(), s.token)
	return err
}

// closeDoor ends the control API, because the queues go to another node of the cluster.
func (s *Sharing) closeDoor() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.control.Swap(nil); a != nil {
		if err := a.Close(); err != nil {
			s.o.Report.Line(report.Warn, "control", err.Error())
		}
	}
}

// Withdraw closes the door: nobody finds the session any more, and the control API ends.
func (s *Sharing) Withdraw() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.control.Load(); a != nil {
		if err := a.Close(); err != nil {
			return err
		}
	}
	if s.withdraw == nil {
		return nil
	}
	return s.withdraw()
}

// Control is the control API of this session's own queues, nil while another session owns them.
func (s *Sharing) Control() *control.API { return s.control.Load() }

// Described is this session as commands see it.
func (s *Sharing) Described() running.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.described()
}

// described is called with mu held.
func (s *Sharing) described() running.Process {
	d := running.Process{PID: os.Getpid(), URL: s.url, State: string(s.o.State), Started: s.started,
		Workers: s.o.Workers}
	if s.o.Cluster != nil {
		d.Node = s.o.Cluster.Name()
	}
	for _, g := range s.guests() {
		guest := running.Guest{PID: g.PID, URL: g.URL, Workers: []string{}}
		for _, w := range g.Workers {
			guest.Workers = append(guest.Workers, w.Name)
		}
		d.Guests = append(d.Guests, guest)
	}
	return d
}

// guests are the sessions that have joined this one, or the nodes whose queues it has.
func (s *Sharing) guests() []peer.Member {
	if s.hosting == nil {
		return s.Queues.Guests()
	}
	if h := s.hosting.Hub(); h != nil {
		return h.Nodes()
	}
	return nil
}

// Scripts are the Workers of this session and of those that have joined it.
func (s *Sharing) Scripts() []control.Script {
	list := s.o.Session.Scripts()
	if s.hosting != nil {
		return list // those of all nodes
	}
	for _, guest := range s.Queues.Guests() {
		for _, w := range guest.Workers {
			list = append(list, control.Script{Name: w.Name, Producers: w.Producers, HasQueue: w.HasQueue})
		}
	}
	return list
}

// Elsewhere names the session that joined this one and runs a namespace's objects, "" if none does.
func (s *Sharing) Elsewhere(namespace string) string {
	for _, g := range s.Queues.Guests() {
		if slices.Contains(g.Namespaces, namespace) {
			return g.String()
		}
	}
	return ""
}

// isConnected tells whether all Workers of the start are attached.
func (s *Sharing) isConnected() bool {
	select {
	case <-s.connected:
		return true
	default:
		return false
	}
}

// ServeHTTP answers /cdn-cgi/eddy/: from this session's queues, or through the session that has them.
func (s *Sharing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case peer.Path:
		if s.hosting != nil {
			s.hosting.ServeHTTP(w, r)
			return
		}
		s.Queues.ServeHTTP(w, r)
		return
	case peer.JournalPath:
		if s.o.Cluster != nil {
			s.serveJournal(w, r)
			return
		}
	case peer.TellPath:
		if s.o.Cluster != nil && !s.isConnected() {
			http.Error(w, "The node is starting.", http.StatusServiceUnavailable)
			return
		}
		if s.o.Cluster != nil {
			s.serveTell(w, r)
			return
		}
	case peer.WirePath:
		if s.hosting != nil && !s.isConnected() {
			// A node may have shards before its objects are there; whoever calls tries again.
			http.Error(w, "The node is starting.", http.StatusServiceUnavailable)
			return
		}
		s.wires.serve(w, r)
		return
	}
	if a := s.control.Load(); a != nil {
		a.ServeHTTP(w, r)
		return
	}
	if s.hosting != nil {
		s.forward(w, r)
		return
	}
	owner, ok := s.Queues.Owner()
	if !ok {
		http.Error(w, "The session that owns the queues has ended; try again.", http.StatusServiceUnavailable)
		return
	}
	target, err := url.Parse(owner.URL)
	if err != nil || target.Host == "" {
		http.Error(w, fmt.Sprintf("The session that owns the queues (%s) has no address.", owner),
			http.StatusBadGateway)
		return
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Host = "localhost"
		},
		// Events are streamed. The certificate is one that the owner made for itself.
		FlushInterval: -1,
		Transport:     &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, fmt.Sprintf("The session that owns the queues (%s) does not answer: %v", owner, err),
				http.StatusBadGateway)
		},
	}
	proxy.ServeHTTP(w, r)
}

// forward sends a request for the control API to the node that has the queues.
func (s *Sharing) forward(w http.ResponseWriter, r *http.Request) {
	at, ok := s.hosting.Where()
	forwardTo(at, ok && at.URL != s.o.Cluster.URL(), w, r)
}

// forwardTo sends it to the node at an address, if there is one.
func forwardTo(at peer.Address, there bool, w http.ResponseWriter, r *http.Request) {
	target, err := url.Parse(at.URL)
	if !there || err != nil {
		again(w)
		http.Error(w, "No node of the cluster has the queues now; try again.", http.StatusServiceUnavailable)
		return
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Host = "localhost"
			p.Out.Header.Set("Authorization", "Bearer "+at.Token)
		},
		FlushInterval: -1, // events are streamed
		Transport:     at.Transport(),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			again(w)
			http.Error(w, fmt.Sprintf("The node that has the queues does not answer: %v\n"+
				"If it is lost another one has them after a lease; try again.", err), http.StatusBadGateway)
		},
	}
	proxy.ServeHTTP(w, r)
}

// again lets a browser ask again: another node has the queues soon.
func again(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.Header().Set("Refresh", "1")
}

// AttachEverywhere connects a Worker to a queue whose consumer it has become, on all nodes of the cluster.
func (s *Sharing) AttachEverywhere(script, queue string) error {
	if h := s.hosting.Hub(); h != nil {
		h.Serve(script, queue)
	}
	return nil
}

// Hosts tells whether this node of a cluster has the queues.
func (s *Sharing) Hosts() bool { return s.hosting == nil || s.hosting.Hub() != nil }

// HandOver ends what this node serves of a cluster's queues, in order; the session goes on as a guest of the next node
// that has them.
func (s *Sharing) HandOver() { s.hosting.Stop() }
