package fetch

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/url"
	"sync"

	"eddy/runtime/cause"
	"eddy/runtime/engine/eventloop"
)

// hopsHeader is on a request that a Worker sends to a port of its own process. It names the hops of the event that
// sends it, so that a Worker that fetches its own address is no deeper than one that calls itself. The Worker that gets
// the request does not see it.
const hopsHeader = "Eddy-Hops"

// ownPorts are the ports on which this process serves Workers, and the requests that are on their way to one.
var ownPorts struct {
	sync.Mutex // guards all below
	open       map[string]int
	sent       map[string]eventloop.Hops
}

// ServesPort says that Workers of this process answer on a port. closed takes it back.
func ServesPort(port string) (closed func()) {
	o := &ownPorts
	o.Lock()
	defer o.Unlock()
	if o.open == nil {
		o.open, o.sent = map[string]int{}, map[string]eventloop.Hops{}
	}
	o.open[port]++
	return sync.OnceFunc(func() {
		o.Lock()
		defer o.Unlock()
		if o.open[port]--; o.open[port] == 0 {
			delete(o.open, port)
		}
	})
}

// ownAddress tells whether an address is one of this process.
func ownAddress(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		return false // a session's port has no name of its own
	}
	o := &ownPorts
	o.Lock()
	open := o.open[port] > 0
	o.Unlock()
	if !open {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// carry makes a request to an own port name the hops. arrived is called when nobody needs them any more.
func carry(req *http.Request, hops eventloop.Hops) (arrived func()) {
	hops.Cause = cause.Cause{} // the request itself says what caused it
	id := rand.Text()
	o := &ownPorts
	o.Lock()
	o.sent[id] = hops
	o.Unlock()
	req.Header = req.Header.Clone()
	req.Header.Set(hopsHeader, id)
	return func() {
		o.Lock()
		defer o.Unlock()
		delete(o.sent, id)
	}
}

// Arrived returns the hops of a request that has come to an own port, those of a first event if a Worker of this
// process did not send it, and takes their name off the request.
func Arrived(r *http.Request) eventloop.Hops {
	id := r.Header.Get(hopsHeader)
	if id == "" {
		return eventloop.Hops{}
	}
	o := &ownPorts
	o.Lock()
	defer o.Unlock()
	hops, ok := o.sent[id]
	if ok {
		r.Header.Del(hopsHeader)
	}
	return hops
}
