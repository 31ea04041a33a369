package fetch

import (
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

// Headers is a header list (https://fetch.spec.whatwg.org/#concept-header-list). Names keep the spelling they were
// first given in, and are looked up in lower case. The zero value is empty and can be changed.
type Headers struct {
	list []field
	// immutable is the guard of incoming requests and of responses that were received.
	immutable bool
}

// field is one header line; key is name in lower case.
type field struct{ key, name, value string }

// NewHeaders copies h, with the guard of received messages.
func NewHeaders(h http.Header) *Headers {
	out := &Headers{list: make([]field, 0, len(h)+1), immutable: true}
	for name, values := range h {
		key := lowerName(name)
		for _, v := range values {
			out.list = append(out.list, field{key, name, v})
		}
	}
	out.sort()
	return out
}

func (h *Headers) sort() {
	slices.SortStableFunc(h.list, func(a, b field) int { return strings.Compare(a.key, b.key) })
}

// Immutable tells whether scripts may not change the list.
func (h *Headers) Immutable() bool { return h.immutable }

// Clone copies the list. The copy can be changed.
func (h *Headers) Clone() *Headers { return &Headers{list: slices.Clone(h.list)} }

// Get joins the values of a name (in lower case) with ", ".
func (h *Headers) Get(key string) (string, bool) {
	value, found := "", false
	for i := range h.list {
		if h.list[i].key != key {
			continue
		}
		if found {
			value += ", " + h.list[i].value
		} else {
			value, found = h.list[i].value, true
		}
	}
	return value, found
}

// Has tells whether a name (in lower case) is there.
func (h *Headers) Has(key string) bool {
	return slices.ContainsFunc(h.list, func(f field) bool { return f.key == key })
}

// Values are the values of a name (in lower case), unjoined.
func (h *Headers) Values(key string) []string {
	var out []string
	for _, f := range h.list {
		if f.key == key {
			out = append(out, f.value)
		}
	}
	return out
}

// Set replaces all values of a name. Name and value must be valid.
func (h *Headers) Set(name, value string) {
	key := lowerName(name)
	i := slices.IndexFunc(h.list, func(f field) bool { return f.key == key })
	if i < 0 {
		h.list = append(h.list, field{key, name, value})
		return
	}
	h.list[i].value = value
	rest := slices.DeleteFunc(h.list[i+1:], func(f field) bool { return f.key == key })
	h.list = h.list[:i+1+len(rest)]
}

// Append adds a value to a name. Name and value must be valid.
func (h *Headers) Append(name, value string) {
	key := lowerName(name)
	if i := slices.IndexFunc(h.list, func(f field) bool { return f.key == key }); i >= 0 {
		name = h.list[i].name
	}
	h.list = append(h.list, field{key, name, value})
}

// Delete removes a name (in lower case).
func (h *Headers) Delete(key string) {
	h.list = slices.DeleteFunc(h.list, func(f field) bool { return f.key == key })
}

// HTTP is the list for net/http. Set-Cookie lines stay apart, as do repeated lines of other names.
func (h *Headers) HTTP() http.Header {
	out := make(http.Header, len(h.list))
	for _, f := range h.list {
		name := textproto.CanonicalMIMEHeaderKey(f.name)
		out[name] = append(out[name], f.value)
	}
	return out
}

// sorted is the list as scripts see it: names in lower case and in order, values joined, each set-cookie on its own.
func (h *Headers) sorted() []field {
	out := make([]field, 0, len(h.list))
	for _, f := range h.list {
		if f.key != "set-cookie" {
			if i := slices.IndexFunc(out, func(o field) bool { return o.key == f.key }); i >= 0 {
				out[i].value += ", " + f.value
				continue
			}
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b field) int { return strings.Compare(a.key, b.key) })
	return out
}

// lowerNames spares the conversion of names that nearly every message has.
var lowerNames = func() map[string]string {
	m := map[string]string{}
	for _, n := range []string{
		"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Accept-Ranges", "Age", "Allow",
		"Authorization",
		"Cache-Control", "Connection", "Content-Disposition", "Content-Encoding", "Content-Language", "Content-Length",
		"Content-Location", "Content-Range", "Content-Type", "Cookie", "Date", "Etag", "Expect", "Expires", "Host",
		"If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Last-Modified", "Link",
		"Location", "Origin", "Pragma", "Range", "Referer", "Retry-After", "Server", "Set-Cookie",
		"Strict-Transport-Security", "Transfer-Encoding", "Upgrade", "User-Agent", "Vary", "Via", "Www-Authenticate",
		"X-Forwarded-For", "X-Forwarded-Proto", "Cf-Connecting-Ip", "Cf-Ray", "Sec-Websocket-Key",
		"Sec-Websocket-Version",
	} {
		m[n] = strings.ToLower(n)
	}
	return m
}()

// lowerName converts ASCII letters only.
func lowerName(name string) string {
	if l, ok := lowerNames[name]; ok {
		return l
	}
	for i := range len(name) {
		if c := name[i]; 'A' <= c && c <= 'Z' {
			b := []byte(name)
			for j := i; j < len(b); j++ {
				if 'A' <= b[j] && b[j] <= 'Z' {
					b[j] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return name
}

// validName tells whether name is a token (https://www.rfc-editor.org/rfc/rfc9110#name-tokens).
func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c <= ' ' || c == 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return true
}

// trimValue removes HTTP whitespace around a value; ok is false when a character is left that would end the line.
func trimValue(v string) (value string, ok bool) {
	v = strings.Trim(v, " \t\r\n")
	return v, !strings.ContainsAny(v, "\x00\r\n")
}
