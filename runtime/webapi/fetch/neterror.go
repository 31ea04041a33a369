package fetch

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/dop251/goja"
)

// Refusal says why something that stands in the place of the network did not send a request. Scripts see its text.
type Refusal struct{ Text string }

// Error implements error.
func (r *Refusal) Error() string { return r.Text }

// networkError is what a failed connection or body looks like to scripts (RT10): a lost connection says so and may be
// tried again; anything else, also an unknown host, is an internal error with a reference. tellWhy tells a person what
// really happened.
func (k *classes) networkError(err error) goja.Value {
	if errors.Is(err, errTooLarge) {
		return k.h.Realm.TypeError("%s", errTooLarge)
	}
	var refused *Refusal
	if errors.As(err, &refused) {
		return k.h.Realm.NewError("Error", refused.Text)
	}
	text, marks := "internal error; reference = "+k.reference(), []string{"remote"}
	var dns *net.DNSError
	var op *net.OpError
	lost := errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed)
	if lost && !errors.As(err, &dns) {
		text, marks = "Network connection lost.", []string{"remote", "retryable"}
	}
	v := k.h.Realm.NewError("Error", text)
	for _, name := range marks {
		if err := v.Set(name, true); err != nil {
			panic(k.h.Realm.ErrorValue(err))
		}
	}
	return v
}

// reference makes 24 characters, as the platform does.
func (k *classes) reference() string {
	var b [12]byte
	if _, err := io.ReadFull(k.h.Rand(), b[:]); err != nil {
		_, _ = rand.Read(b[:])
	}
	return hex.EncodeToString(b[:])
}

// tellWhy tells a person why a request did not get through: the platform's text hides that from the script.
func (k *classes) tellWhy(req *http.Request, err error) {
	if k.h.Notice != nil && req.Context().Err() == nil {
		k.h.Notice(fmt.Sprintf("%s %s://%s failed: %s", req.Method, req.URL.Scheme, req.URL.Host, reason(err)))
	}
}

// reason is the cause of a failed connection in plain words, with what to look at.
func reason(err error) string {
	var (
		dns         *net.DNSError
		authority   x509.UnknownAuthorityError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		timeout     net.Error
	)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("no address is known for %s (DNS)", dns.Name)
	case errors.As(err, &dns):
		return fmt.Sprintf("the address of %s could not be looked up (DNS): %s", dns.Name, dns.Err)
	case errors.As(err, &authority):
		return "this machine does not trust the signer of the certificate (TLS)"
	case errors.As(err, &certificate):
		return fmt.Sprintf("the certificate is not valid (TLS): %v", certificate.Err)
	case errors.As(err, &record):
		return "the other side does not speak TLS; is it http://?"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nobody listens there (connection refused)"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the other side closed the connection before it answered"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time"
	}
	return err.Error()
}
