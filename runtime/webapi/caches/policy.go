package caches

import (
	"fmt"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"eddy/runtime/webapi/fetch"
)

// lifetime is how long a shared cache may use a response (RFC 9111); storable is false when it may not keep it at all.
// What a request says about caching does not count here, as on the platform. The header is changed:
// "private=set-cookie" takes Set-Cookie out.
func lifetime(status int, header http.Header, now time.Time) (d time.Duration, storable bool) {
	if cc := header.Get("Cache-Control"); strings.Contains(strings.ToLower(cc), "private=set-cookie") {
		i := strings.Index(strings.ToLower(cc), "private=set-cookie")
		header.Set("Cache-Control",
			strings.Trim(cc[:i]+strings.TrimLeft(cc[i+len("private=set-cookie"):], ";, "), "; ,"))
		header.Del("Set-Cookie")
	}
	control := directives(header.Values("Cache-Control"))
	_, noStore := control["no-store"]
	_, private := control["private"]
	if noStore || private || header.Get("Set-Cookie") != "" {
		return 0, false
	}
	_, public := control["public"]
	expires := header.Get("Expires")
	explicit := false
	for _, name := range []string{"s-maxage", "max-age"} {
		if v, ok := control[name]; ok {
			explicit = true
			if s, err := strconv.ParseInt(v, 10, 32); err == nil && d == 0 {
				d = time.Duration(max(s, 0)) * time.Second
			}
			if name == "s-maxage" {
				break
			}
		}
	}
	switch status {
	case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501:
	case 302, 303, 307:
		if !explicit && expires == "" && !public {
			return 0, false
		}
	default:
		return 0, false
	}
	if _, no := control["no-cache"]; no {
		return 0, true
	}
	if explicit {
		return d, true
	}
	base := now
	if t, err := http.ParseTime(header.Get("Date")); err == nil {
		base = t
	}
	if expires != "" {
		if t, err := http.ParseTime(expires); err == nil && t.After(base) {
			return t.Sub(base), true
		}
		return 0, true
	}
	if t, err := http.ParseTime(header.Get("Last-Modified")); err == nil && base.After(t) {
		// This is the usual heuristic: a tenth of the age.
		return base.Sub(t) / 10, true
	}
	return 0, true
}

// directives reads Cache-Control; names are in lower case.
func directives(values []string) map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split(strings.Join(values, ","), ",") {
		name, value, _ := strings.Cut(part, "=")
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			out[name] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return out
}

// conditional turns a stored response into the answer to a conditional or range request: 304, 206, 416, or itself.
func (e *StoredResponse) conditional(request *fetch.Headers) *StoredResponse {
	out := *e
	out.Header = e.Header.Clone()
	out.Header.Set("Cf-Cache-Status", "HIT")
	if e.Status != http.StatusOK {
		return &out
	}
	notModified := false
	if want, ok := request.Get("if-none-match"); ok {
		notModified = tagMatches(want, e.Header.Get("Etag"))
	} else if want, ok := request.Get("if-modified-since"); ok {
		since, err1 := http.ParseTime(want)
		last, err2 := http.ParseTime(e.Header.Get("Last-Modified"))
		notModified = err1 == nil && err2 == nil && !last.After(since)
	}
	if notModified {
		out.Status, out.StatusText, out.Body = http.StatusNotModified, "", nil
		return &out
	}
	want, ok := request.Get("range")
	if !ok {
		return &out
	}
	start, end, ok := byteRange(want, len(e.Body))
	switch {
	case !ok:
	case start >= end:
		out.Status, out.StatusText, out.Body = http.StatusRequestedRangeNotSatisfiable, "", nil
		out.Header.Set("Content-Range", fmt.Sprintf("bytes */%d", len(e.Body)))
	default:
		out.Status, out.StatusText, out.Body = http.StatusPartialContent, "", e.Body[start:end]
		out.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, end-1, len(e.Body)))
	}
	out.Header.Set("Content-Length", strconv.Itoa(len(out.Body)))
	return &out
}

// tagMatches compares entity tags weakly.
func tagMatches(list, tag string) bool {
	if tag == "" {
		return false
	}
	for want := range strings.SplitSeq(list, ",") {
		want = textproto.TrimString(want)
		if want == "*" || strings.TrimPrefix(want, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// byteRange reads a range of one part; ok is false when it is to be ignored. An empty range cannot be satisfied.
func byteRange(s string, size int) (start, end int, ok bool) {
	spec, isBytes := strings.CutPrefix(strings.TrimSpace(s), "bytes=")
	from, to, dash := strings.Cut(spec, "-")
	if !isBytes || !dash || strings.Contains(spec, ",") {
		return 0, 0, false
	}
	if from == "" {
		n, err := strconv.Atoi(to)
		if err != nil || n < 0 {
			return 0, 0, false
		}
		return max(size-n, 0), size, true
	}
	start, err := strconv.Atoi(from)
	if err != nil || start < 0 {
		return 0, 0, false
	}
	end = size
	if to != "" {
		last, err := strconv.Atoi(to)
		if err != nil || last < start {
			return 0, 0, false
		}
		end = min(size, last+1)
	}
	return min(start, size), end, true
}
