package sockets

import (
	"math"
	"net/netip"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// address reads {hostname, port} or "hostname:port", with workerd's checks and texts (observed): names are not looked
// at beyond their characters, so that what is no name fails like one that nobody knows.
func address(h *host.Host, v goja.Value) (hostname, port string) {
	o, ok := v.(*goja.Object)
	switch {
	case ok:
		hostname = "undefined"
		if name := webidl.Option(o, "hostname"); name != nil {
			hostname = webidl.ToString(name)
		}
		port = portNumber(h, webidl.Option(o, "port"))
		checkAddress(h, hostname+":"+port)
	case goja.IsUndefined(v) || goja.IsNull(v):
		h.Realm.ThrowType("Cannot initialize N7workerd3api13SocketAddressE with required members from an " +
			"undefined or null value.")
	default:
		text := webidl.ToString(v)
		hostname, port, ok = splitAddress(text)
		switch {
		case !ok:
			h.Realm.ThrowType("Specified address could not be parsed.")
		case hostname == "":
			h.Realm.ThrowType("Specified address is missing hostname.")
		case port == "":
			h.Realm.ThrowType("Specified address is missing port.")
		}
		checkAddress(h, text)
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostname, "["), "]"), port
}

// portNumber is the member port as workerd converts it to 16 bits.
func portNumber(h *host.Host, v goja.Value) string {
	f := math.NaN()
	if v != nil {
		f = v.ToNumber().ToFloat()
	}
	switch f = math.Trunc(f); {
	case math.IsNaN(f) || math.IsInf(f, 0):
		h.Realm.ThrowType("The value cannot be converted because it is not an integer.")
	case f < 0:
		h.Realm.ThrowType("The value cannot be converted because it is negative and this API expects a positive " +
			"number.")
	case f > math.MaxUint16:
		h.Realm.ThrowType("Value out of range. Must be less than or equal to 65535.")
	}
	return strconv.Itoa(int(f))
}

// splitAddress reads text as the authority of a URL, of which user and path are allowed here. Both parts may be empty.
func splitAddress(text string) (hostname, port string, ok bool) {
	if i := strings.IndexAny(text, "/?#"); i >= 0 {
		text = text[:i]
	}
	text = text[strings.LastIndexByte(text, '@')+1:]
	if text == "" {
		return "", "", true
	}
	end := strings.IndexByte(text, ':')
	if strings.HasPrefix(text, "[") {
		end = strings.IndexByte(text, ']') + 1
		if end == 0 {
			return "", "", false
		}
		if ip, err := netip.ParseAddr(text[1 : end-1]); err != nil || !ip.Is6() || ip.Zone() != "" {
			return "", "", false
		}
	} else if end < 0 {
		end = len(text)
	}
	hostname, port = text[:end], strings.TrimPrefix(text[end:], ":")
	named := text[0] != '['
	if hostname == "" || text[end:] == port && port != "" || named && strings.ContainsAny(hostname, "\x00 <>[\\]^|") {
		return "", "", false
	}
	if n, err := strconv.ParseUint(port, 10, 16); port != "" {
		return hostname, strconv.FormatUint(n, 10), err == nil
	}
	return hostname, "", true
}

// checkAddress refuses what no host and port have.
func checkAddress(h *host.Host, text string) {
	bad := func(r rune) bool {
		return !strings.ContainsRune("-._[]:", r) && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}
	if text == "" || len(text) > 255 || strings.ContainsFunc(text, bad) {
		h.Realm.ThrowType("Specified address is empty string, contains unsupported characters or is too long.")
	}
}
