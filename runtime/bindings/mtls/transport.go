// Package mtls carries requests with a client certificate (BIND-122): env.CERT.fetch() presents the pair of PEM files
// that eddy's own settings name. A [Transport] may be used from any goroutine.
package mtls

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"sync"
)

// Transport presents a certificate. It implements [http.RoundTripper].
type Transport struct {
	// Cert and Key are PEM files; CA, if set, has authorities that are trusted beside the machine's.
	Cert, Key, CA string

	once sync.Once
	base http.RoundTripper
	err  error
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.once.Do(func() { t.base, t.err = t.open() })
	if t.err != nil {
		return nil, t.err
	}
	return t.base.RoundTrip(r)
}

func (t *Transport) open() (http.RoundTripper, error) {
	pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, fmt.Errorf("client certificate: %w", err)
	}
	conf := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("authorities: %w", err)
		}
		if conf.RootCAs, err = x509.SystemCertPool(); err != nil {
			return nil, err
		}
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("authorities: %s holds no certificate", t.CA)
		}
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSClientConfig, base.DisableCompression = conf, true
	return base, nil
}
