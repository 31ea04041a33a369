package worker

import (
	"sync/atomic"

	"github.com/dop251/goja"
)

// lastCF is what PlaceholderCF has returned last: clients mostly accept what the one before did.
var lastCF atomic.Pointer[placeholder]

type placeholder struct {
	acceptEncoding string
	make           func(iso *Isolate) goja.Value
}

// PlaceholderCF makes request.cf as the reference fills it offline (RT9): a fixed one, with what the client accepts.
func PlaceholderCF(acceptEncoding string) func(iso *Isolate) goja.Value {
	if last := lastCF.Load(); last != nil && last.acceptEncoding == acceptEncoding {
		return last.make
	}
	made := &placeholder{acceptEncoding, placeholderCF(acceptEncoding)}
	lastCF.Store(made)
	return made.make
}

func placeholderCF(acceptEncoding string) func(iso *Isolate) goja.Value {
	return func(iso *Isolate) goja.Value {
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
