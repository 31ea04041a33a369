package front

import (
	"net"
	"net/http"
	"net/url"

	"github.com/dop251/goja"

	"eddy/runtime/worker"
)

// incoming is the request as the handler sees it (RT9): absolute URL, host line, rewritten accept-encoding and the
// client's address. The caller's own request stays as it is.
func incoming(r *http.Request) *http.Request {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	in := &http.Request{
		Method: r.Method, Header: r.Header.Clone(), Body: r.Body, ContentLength: r.ContentLength, Host: r.Host,
		URL: &url.URL{
			Scheme: scheme, Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath,
			RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery,
		},
	}
	if r.ContentLength == 0 && len(r.TransferEncoding) == 0 {
		in.Body = nil
	}
	if in.Header == nil {
		in.Header = http.Header{}
	}
	if in.Header["Upgrade"] == nil { // what concerns the client's connection stays there, as with the reference
		for _, name := range [...]string{"Connection", "Keep-Alive", "Te"} {
			delete(in.Header, name)
		}
	}
	values := [3]string{r.Host, "br, gzip"} // one allocation for the three
	in.Header["Host"], in.Header["Accept-Encoding"] = values[0:1:1], values[1:2:2]
	if ip, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		// A client on this machine may claim to come from another address, as with the reference.
		if from := net.ParseIP(ip); from == nil || !from.IsLoopback() || in.Header.Get("Cf-Connecting-Ip") == "" {
			values[2] = ip
			in.Header["Cf-Connecting-Ip"] = values[2:3:3]
		}
	}
	return in
}

// placeholderCF makes request.cf as the reference fills it offline (RT9): a fixed one, with what the client accepts.
func placeholderCF(acceptEncoding string) func(iso *worker.Isolate) goja.Value {
	return func(iso *worker.Isolate) goja.Value {
		parse, _ := goja.AssertFunction(iso.Runtime().Get("JSON").ToObject(iso.Runtime()).Get("parse"))
		v, err := parse(nil, iso.Runtime().ToValue(cfJSON))
		if err == nil {
			err = v.ToObject(iso.Runtime()).Set("clientAcceptEncoding", acceptEncoding)
		}
		if err != nil {
			panic(err)
		}
		return v
	}
}

const cfJSON = `{"asOrganization":"","asn":395747,"colo":"DFW","city":"Austin","region":"Texas","regionCode":"TX",` +
	`"metroCode":"635","postalCode":"78701","country":"US","continent":"NA","timezone":"America/Chicago",` +
	`"latitude":"30.27130","longitude":"-97.74260","clientTcpRtt":0,"httpProtocol":"HTTP/1.1",` +
	`"requestPriority":"weight=192;exclusive=0","tlsCipher":"AEAD-AES128-GCM-SHA256","tlsVersion":"TLSv1.3",` +
	`"tlsClientAuth":{"certPresented":"0","certVerified":"NONE","certRevoked":"0","certIssuerDN":"",` +
	`"certSubjectDN":"","certIssuerDNRFC2253":"","certSubjectDNRFC2253":"","certIssuerDNLegacy":"",` +
	`"certSubjectDNLegacy":"","certSerial":"","certIssuerSerial":"","certSKI":"","certIssuerSKI":"",` +
	`"certFingerprintSHA1":"","certFingerprintSHA256":"","certNotBefore":"","certNotAfter":"","certRFC9440":"",` +
	`"certRFC9440TooLarge":false,"certChainRFC9440":"","certChainRFC9440TooLarge":false},` +
	`"edgeRequestKeepAliveStatus":0,"clientTrustScore":99,"botManagement":{"corporateProxy":false,` +
	`"verifiedBot":false,"ja3Hash":"25b4882c2bcb50cd6b469ff28c596742","staticResource":false,"detectionIds":[],` +
	`"score":99}}`
