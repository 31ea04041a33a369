package nodecrypto

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
)

// certificateFunctions read X.509 certificates.
func certificateFunctions(h *host.Host) map[string]func(goja.FunctionCall) goja.Value {
	rt := h.Runtime()
	return map[string]func(goja.FunctionCall) goja.Value{
		// certificate(PEM or DER) is an object of the certificate's fields.
		"certificate": func(fc goja.FunctionCall) goja.Value {
			der := bridge.CopyBytes(h, fc.Argument(0))
			if block, _ := pem.Decode(der); block != nil {
				der = block.Bytes
			}
			c, err := x509.ParseCertificate(der)
			if err != nil {
				bridge.ThrowCode(h, "Error", "ERR_OSSL_PEM_NO_START_LINE", "error:0480006C:PEM routines::no start line")
			}
			return certificateObject(h, c)
		},
		// certificateVerify(certificate bytes, key)
		"certificateVerify": func(fc goja.FunctionCall) goja.Value {
			c, err := x509.ParseCertificate(bridge.CopyBytes(h, fc.Argument(0)))
			bridge.OrThrow(h, err)
			parent := &x509.Certificate{PublicKey: handleOf(h, fc.Argument(1)).public}
			return rt.ToValue(parent.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) == nil)
		},
		// certificateHost(certificate bytes, name)
		"certificateHost": func(fc goja.FunctionCall) goja.Value {
			c, err := x509.ParseCertificate(bridge.CopyBytes(h, fc.Argument(0)))
			bridge.OrThrow(h, err)
			return rt.ToValue(c.VerifyHostname(fc.Argument(1).String()) == nil)
		},
	}
}

func certificateObject(h *host.Host, c *x509.Certificate) goja.Value {
	o := h.Runtime().NewObject()
	set := func(name string, v any) { _ = o.Set(name, v) }
	set("subject", distinguished(c.Subject))
	set("issuer", distinguished(c.Issuer))
	if names := alternatives(c); names != "" {
		set("subjectAltName", names)
	}
	const layout = "Jan _2 15:04:05 2006 GMT"
	set("validFrom", c.NotBefore.UTC().Format(layout))
	set("validTo", c.NotAfter.UTC().Format(layout))
	one, two, five := sha1.Sum(c.Raw), sha256.Sum256(c.Raw), sha512.Sum512(c.Raw)
	set("fingerprint", colons(one[:]))
	set("fingerprint256", colons(two[:]))
	set("fingerprint512", colons(five[:]))
	set("serialNumber", strings.ToUpper(fmt.Sprintf("%x", c.SerialNumber.Bytes())))
	set("ca", c.IsCA)
	set("raw", h.Realm.ArrayBuffer(c.Raw))
	set("pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})))
	set("key", h.Runtime().ToValue(&keyHandle{public: c.PublicKey}))
	return o
}

func colons(b []byte) string {
	parts := make([]string, len(b))
	for i, x := range b {
		parts[i] = fmt.Sprintf("%02X", x)
	}
	return strings.Join(parts, ":")
}

// shortNames are those of OpenSSL.
var shortNames = map[string]string{
	"2.5.4.3": "CN", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.10": "O", "2.5.4.11": "OU",
	"1.2.840.113549.1.9.1": "emailAddress",
}

func distinguished(n pkix.Name) string {
	var lines []string
	for _, a := range n.Names {
		name := shortNames[a.Type.String()]
		if name == "" {
			name = a.Type.String()
		}
		lines = append(lines, fmt.Sprintf("%s=%v", name, a.Value))
	}
	return strings.Join(lines, "\n")
}

func alternatives(c *x509.Certificate) string {
	var list []string
	for _, d := range c.DNSNames {
		list = append(list, "DNS:"+d)
	}
	for _, ip := range c.IPAddresses {
		list = append(list, "IP Address:"+ip.String())
	}
	for _, m := range c.EmailAddresses {
		list = append(list, "email:"+m)
	}
	for _, u := range c.URIs {
		list = append(list, "URI:"+u.String())
	}
	return strings.Join(list, ", ")
}
