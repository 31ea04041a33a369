package front

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// overConnection tells whether a request came over a connection that a server of net/http serves. Any other request
// comes from a Go program itself: httptest.NewRequest, or a handler that was called.
func overConnection(r *http.Request) bool { return r.Context().Value(http.ServerContextKey) != nil }

// The reasons for refusing a request that somebody other than the developer may have caused.
var (
	// shown as it is
	errForeignPeer = errors.New("Only this machine is answered here: the request came from another address.")
	// shown as it is
	errForeignHost = errors.New("Only local requests are answered here: Host and Origin must be localhost.")
	// shown as it is
	errNoToken = errors.New("Only who brings the cluster's token is answered here: as a bearer, or once as ?token=.")
	// shown as it is
	errForeignPage = errors.New("Only local requests are answered here: a page of another site caused this one " +
		"(Sec-Fetch-Site).")
)

// checkLocal refuses requests that another machine sent, or that a page elsewhere could have caused: the peer must be
// this machine, Host and every Origin local, and a browser must not say that another site asked. A page cannot change
// what its browser says of it (Fetch Metadata, https://www.w3.org/TR/fetch-metadata/).
func checkLocal(r *http.Request) error {
	if !overConnection(r) {
		return nil
	}
	if !localPeer(r) {
		return errForeignPeer
	}
	if !namesHere(r, r.Host) {
		return errForeignHost
	}
	for _, o := range r.Header.Values("Origin") {
		if u, err := url.Parse(o); err != nil || !namesHere(r, u.Host) {
			return errForeignHost
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if strings.EqualFold(strings.TrimSpace(site), "cross-site") {
			return errForeignPage
		}
	}
	return nil
}

// localPeer tells whether the connection begins on this machine: at a loopback address, or at the address where it
// ends.
func localPeer(r *http.Request) bool {
	peer := ipOf(r.RemoteAddr)
	if peer == nil || peer.IsLoopback() {
		return peer != nil
	}
	return peer.Equal(endOf(r))
}

// endOf is the address where the connection of a request ends, nil if that is not known.
func endOf(r *http.Request) net.IP {
	if here, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return ipOf(here.String())
	}
	return nil
}

// namesHere tells whether the host of a request or of an origin is this machine: localhost, or the address that --ip
// gave. A name can be made to lead here by whoever owns it, an address cannot.
func namesHere(r *http.Request, hostport string) bool {
	if localHost(hostport) {
		return true
	}
	host := hostport
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && (ip.IsUnspecified() || ip.Equal(endOf(r)))
}

func ipOf(hostport string) net.IP {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil
	}
	host, _, _ = strings.Cut(host, "%") // the zone of an IPv6 address
	return net.ParseIP(host)
}

func localHost(hostport string) bool {
	h := hostport
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		h = host
	}
	h = strings.Trim(h, "[]")
	if h == "localhost" || strings.HasSuffix(h, ".localhost") {
		return true
	}
	ip := net.ParseIP(h)
	return ip != nil && ip.IsLoopback()
}
