package nodecrypto

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"
	"slices"
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
		// certificateName(certificate bytes, "host", "ip" or "email", name) is the certificate's own form of the
		// name, undefined if it is not the certificate's.
		"certificateName": func(fc goja.FunctionCall) goja.Value {
			c, err := x509.ParseCertificate(bridge.CopyBytes(h, fc.Argument(0)))
			bridge.OrThrow(h, err)
			kind, asked := fc.Argument(1).String(), fc.Argument(2).String()
			if kind == "ip" && net.ParseIP(asked) == nil {
				bridge.OrThrow(h, bridge.Coded("Error", "", "Invalid IP"))
			}
			name, ok := nameOf(c, kind, asked)
			if !ok {
				return goja.Undefined()
			}
			return rt.ToValue(name)
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
		lines = append(lines, name+"="+escaped(fmt.Sprint(a.Value)))
	}
	return strings.Join(lines, "\n")
}

// escaped is the value of a name's attribute as OpenSSL prints it: with the escapes of RFC 2253, and control characters
// in hexadecimal.
func escaped(value string) string {
	var b strings.Builder
	for i, c := range value {
		switch {
		case strings.ContainsRune(`,+"\<>;`, c), c == '#' && i == 0, c == ' ' && (i == 0 || i == len(value)-1):
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, "\\%02X", c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// nameOf looks a name up among a certificate's alternative names of a kind. A certificate without names of hosts has
// the common name of its subject in their place.
func nameOf(c *x509.Certificate, kind, name string) (string, bool) {
	switch kind {
	case "ip":
		return name, slices.ContainsFunc(c.IPAddresses, net.ParseIP(name).Equal)
	case "email":
		return name, slices.ContainsFunc(c.EmailAddresses, func(e string) bool { return sameEmail(e, name) })
	}
	names := c.DNSNames
	if len(names) == 0 && c.Subject.CommonName != "" {
		names = []string{c.Subject.CommonName}
	}
	for _, n := range names {
		if hostMatches(n, name) {
			return n, true
		}
	}
	return "", false
}

// sameEmail compares addresses: only the host's case does not count.
func sameEmail(a, b string) bool {
	i := strings.LastIndexByte(a, '@')
	return i >= 0 && len(a) == len(b) && a[:i] == b[:i] && strings.EqualFold(a[i:], b[i:])
}

// hostMatches tells whether a name of a certificate stands for a host. A star stands for one whole label, the first
// (RFC 6125, 6.4.3).
func hostMatches(pattern, host string) bool {
	rest, wild := strings.CutPrefix(pattern, "*.")
	if !wild {
		return strings.EqualFold(pattern, host)
	}
	label, tail, _ := strings.Cut(host, ".")
	return label != "" && strings.Contains(rest, ".") && strings.EqualFold(rest, tail)
}

// address is an IP address as OpenSSL prints it: without the short form of IPv6.
func address(ip net.IP) string {
	if four := ip.To4(); four != nil || len(ip) != net.IPv6len {
		return ip.String()
	}
	groups := make([]string, 8)
	for i := range groups {
		groups[i] = fmt.Sprintf("%X", int(ip[2*i])<<8|int(ip[2*i+1]))
	}
	return strings.Join(groups, ":")
}

func alternatives(c *x509.Certificate) string {
	var list []string
	for _, d := range c.DNSNames {
		list = append(list, "DNS:"+d)
	}
	for _, ip := range c.IPAddresses {
		list = append(list, "IP Address:"+address(ip))
	}
	for _, m := range c.EmailAddresses {
		list = append(list, "email:"+m)
	}
	for _, u := range c.URIs {
		list = append(list, "URI:"+u.String())
	}
	return strings.Join(list, ", ")
}
