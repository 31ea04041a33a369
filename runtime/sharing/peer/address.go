package peer

import (
	"crypto/tls"
	"net/http"

	"eddy/runtime/cluster/engine"
)

// Address is where an owner takes guests.
type Address struct {
	URL, Token string
	// Cert is the one certificate (DER) that the owner may have; "" if its address proves who it is.
	Cert string
}

// Transport makes connections to an address, each for one request.
func (a Address) Transport() *http.Transport {
	// Without a pinned certificate the owner has made its own. Its address and token come from a file that only this
	// user can write; that proves who it is.
	c := &tls.Config{InsecureSkipVerify: true}
	if a.Cert != "" {
		c.VerifyConnection = engine.Pinned(a.URL, a.Cert)
	}
	return &http.Transport{TLSClientConfig: c, DisableKeepAlives: true}
}

func (a Address) client() *http.Client { return &http.Client{Transport: a.Transport()} }
