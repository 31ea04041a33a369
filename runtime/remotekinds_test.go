package runtime

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Kinds that wrangler dev has remotely only work here: a namespace's members are the session's Workers, records go into
// a file, a client certificate is presented, also for a WebSocket, and a private service is reached by its URL
// (BIND-120, BIND-121, BIND-122, BIND-123, BIND-130).
func TestRemoteKinds(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL, body)
		if err != nil {
			t.Error(err)
		}
	}))
	defer plain.Close()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			fmt.Fprintf(w, "certificates: %d", len(r.TLS.PeerCertificates))
			return
		}
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		_, said, err := ws.Read(t.Context())
		if err == nil {
			err = ws.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, "%d certificate, %s",
				len(r.TLS.PeerCertificates), said))
		}
		if err != nil {
			t.Error(err)
		}
		_, _, _ = ws.Read(t.Context()) // until the client goes
	}))
	secure.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	secure.StartTLS()
	defer secure.Close()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	client, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, data []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
	}
	p := newProject(t, "client.pem", block("CERTIFICATE", client), "key.pem", block("EC PRIVATE KEY", der),
		"ca.pem", block("CERTIFICATE", secure.Certificate().Raw), "eddy.jsonc", fmt.Sprintf(`{ "bindings": {
			"CERT": { "cert": "client.pem", "key": "key.pem", "ca": "ca.pem" },
			"VPC": { "url": "%s/base" } } }`, plain.URL))
	for _, name := range []string{"app.jsonc", "app.js", "member.jsonc", "member.js"} {
		p.write(name, script("remotekinds", name))
	}
	s := p.serve(using("app", "member"))
	_, got := s.ask("GET", "/", "", "x-secure", secure.URL)
	if want := strings.TrimSuffix(script("remotekinds", "expect"), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	records, err := os.ReadFile(filepath.Join(p.dir, ".wrangler/state/v3/eddy/pipelines/PIPE.ndjson"))
	if err != nil || string(records) != "{\"a\":1}\n{\"b\":\"ü\"}\n" {
		t.Errorf("records: %s %v", records, err)
	}
}
