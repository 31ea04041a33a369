package engine

import (
	"crypto/tls"
	"fmt"
)

// Pinned takes connections to a node at url only from who has its certificate, [Node].Cert. It is what a
// tls.Config with InsecureSkipVerify verifies instead.
func Pinned(url, cert string) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 || string(s.PeerCertificates[0].Raw) != cert {
			return fmt.Errorf("%s has another certificate than the cluster knows", url)
		}
		return nil
	}
}
