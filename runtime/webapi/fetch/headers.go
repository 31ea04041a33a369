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
	// first finds the first line of a name in a long list, so that many names cost no walk each. It is nil for a short
	// list, and after a line was taken away, until it is needed again.
	first map[string]int
}

// longList is how many lines a walk is quicker for than a map.
const longList = 32

// find is where the first line of a name (in lower case) stands, -1 if there is none.
func (h *Headers) find(key string) int {
	if len(h.list) < longList {
		return slices.IndexFunc(h.list, func(f field) bool { return f.key == key })
	}
	if h.first == nil {
		h.first = make(map[string]int, len(h.list))
		for i := len(h.list) - 1; i >= 0; i-- {
			h.first[h.list[i].key] = i
		}
	}
	if i, ok := h.first[key]; ok {
		return i
	}
	return -1
}

// add appends a line; known tells that its name has one already.
func (h *Headers) add(f field, known bool) {
	if h.first != nil && !known {
		h.first[f.key] = len(h.list)
	}
	h.list = append(h.list, f)
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
	h.first = nil
	slices.SortStableFunc(h.list, func(a, b field) int { return strings.Compare(a.key, b.key) })
}

// Immutable tells whether scripts may not change the list.
func (h *Headers) Immutable() bool { return h.immutable }

// Clone copies the list. The copy can be changed.
func (h *Headers) Clone() *Headers { return &Headers{list: slices.Clone(h.list)} }

// Get joins the values of a name (in lower case) with ", ".
func (h *Headers) Get(key string) (string, bool) {
	i := h.find(key)
	if i < 0 {
		return "", false
	}
	f, more := h.list[i], false
	for j := i + 1; j < len(h.list) && !more; j++ {
		more = h.list[j].key == key
	}
	if !more {
		return f.value, true
	}
	return strings.Join(h.Values(key), ", "), true
}

// joined is the value of lines of one name.
func joined(lines []field) string {
	values := make([]string, len(lines))
	for i, f := range lines {
		values[i] = f.value
	}
	return strings.Join(values, ", ")
}

// Has tells whether a name (in lower case) is there.
func (h *Headers) Has(key string) bool {
	return h.find(key) >= 0
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
	i := h.find(key)
	if i < 0 {
		h.add(field{key, name, value}, false)
		return
	}
	h.list[i].value = value
	rest := slices.DeleteFunc(h.list[i+1:], func(f field) bool { return f.key == key })
	if i+1+len(rest) < len(h.list) {
		h.first = nil
		h.list = h.list[:i+1+len(rest)]
	}
}

// Append adds a value to a name. Name and value must be valid.
func (h *Headers) Append(name, value string) {
	key := lowerName(name)
	i := h.find(key)
	if i >= 0 {
		name = h.list[i].name
	}
	h.add(field{key, name, value}, i >= 0)
}

// Delete removes a name (in lower case).
func (h *Headers) Delete(key string) {
	if h.find(key) >= 0 {
		h.first = nil
		h.list = slices.DeleteFunc(h.list, func(f field) bool { return f.key == key })
	}
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
	lines := slices.Clone(h.list)
	slices.SortStableFunc(lines, func(a, b field) int { return strings.Compare(a.key, b.key) })
	out := lines[:0]
	for i := 0; i < len(lines); {
		f, end := lines[i], i+1
		for end < len(lines) && lines[end].key == f.key && f.key != "set-cookie" {
			end++
		}
		if end > i+1 {
			f.value = joined(lines[i:end])
		}
		out = append(out, f)
		i = end
	}
	return out
}

// lowerNames are the lower case forms of names that nearly every message has, so that these are not converted again.
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
