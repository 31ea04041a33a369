package caches

import (
	"container/list"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds of the cache in front of a Worker, in bytes: of all bodies together, and of one.
const (
	maxResponses = 256 << 20
	maxResponse  = 64 << 20
)

// Responses is the cache in front of a Worker: what its entrypoints have answered to GET requests and said may be kept.
// Any goroutine.
type Responses struct {
	mu struct { // guards all below
		sync.Mutex
		entries map[string][]*list.Element // by key; those of one key differ in what they vary by
		order   list.List                  // of *kept, the newest in front
		size    int
		purges  map[string]int // by entrypoint
	}
}

// Lookup is a request on its way to a Worker.
type Lookup struct {
	// Entrypoint is the export, "" the default one, Props its encoded ctx.props.
	Entrypoint, Props string
	URL               *url.URL
	Header            http.Header
}

func (l Lookup) key() string {
	return strings.Join([]string{l.Entrypoint, l.Props, l.URL.EscapedPath(), l.URL.RawQuery}, "\x00")
}

// Retained is a response that the cache keeps. It is not changed.
type Retained struct {
	Status           int
	StatusText       string
	Header           http.Header
	Body             []byte
	Null             bool
	Encoding, Encode string
	kept, expires    time.Time
}

// kept is a Retained and what it was the answer to.
type kept struct {
	*Retained
	key, entrypoint, path string
	vary                  map[string]string // the request's headers that the answer depends on
	tags                  []string
}

// Find gives the answer that is kept for a request, with the headers that a cache adds; nil if there is none. status is
// what Cf-Cache-Status says of it: HIT, MISS or EXPIRED.
func (r *Responses) Find(l Lookup, now time.Time) (a *Retained, status string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	status = "MISS"
	for _, el := range r.mu.entries[l.key()] {
		k := el.Value.(*kept)
		if !k.matches(l.Header) {
			continue
		}
		if !now.Before(k.expires) {
			r.drop(el)
			return nil, "EXPIRED"
		}
		out := *k.Retained
		out.Header = k.Header.Clone()
		out.Header.Set("Cf-Cache-Status", "HIT")
		out.Header.Set("Age", strconv.Itoa(int(now.Sub(k.Retained.kept)/time.Second)))
		return &out, "HIT"
	}
	return nil, status
}

func (k *kept) matches(h http.Header) bool {
	for name, value := range k.vary {
		if strings.Join(h.Values(name), ",") != value {
			return false
		}
	}
	return true
}

// Pass is a request that goes on to the Worker, and whose answer may be kept.
type Pass struct {
	r      *Responses
	l      Lookup
	purges int
	// Status is Cf-Cache-Status; Keeps says that the answer's body is wanted.
	Status string
	Keeps  bool
	held   Retained
}

// Pass begins a request that has found nothing.
func (r *Responses) Pass(l Lookup, status string) *Pass {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Pass{r: r, l: l, purges: r.mu.purges[l.Entrypoint], Status: status}
}

// Head looks at the head of the Worker's answer: afterwards it is known whether the answer is kept, and its header
// says what the cache did. What is kept of it is a copy.
func (p *Pass) Head(a Retained, now time.Time) {
	tags := a.Header.Values("Cache-Tag")
	a.Header.Del("Cache-Tag")
	d, ok := p.lifetime(a.Status, a.Header, now)
	switch {
	case !ok:
		p.Status = "BYPASS"
	case d <= 0 || a.Header.Get("Vary") == "*":
		p.Status = "DYNAMIC"
	default:
		p.Keeps = true
	}
	if p.Keeps {
		p.held = a
		p.held.Header = a.Header.Clone()
		for _, list := range tags {
			p.held.Header.Add("Cache-Tag", list)
		}
		p.held.kept, p.held.expires = now, now.Add(d)
	}
	a.Header.Set("Cf-Cache-Status", p.Status)
}

// lifetime is that of the Cache API; the headers for the platform's own caches go before Cache-Control, and nothing is
// kept that says nothing of caching, or that answers a request with credentials without saying so.
func (p *Pass) lifetime(status int, header http.Header, now time.Time) (time.Duration, bool) {
	h := header.Clone()
	for _, name := range []string{"Cloudflare-CDN-Cache-Control", "CDN-Cache-Control"} {
		if v := header.Values(name); len(v) > 0 {
			h["Cache-Control"] = v
			break
		}
	}
	control := directives(h.Values("Cache-Control"))
	if len(control) == 0 && h.Get("Expires") == "" {
		return 0, true
	}
	if p.l.Header.Get("Authorization") != "" {
		shared := false
		for _, name := range []string{"public", "s-maxage", "must-revalidate"} {
			_, has := control[name]
			shared = shared || has
		}
		if !shared {
			return 0, false
		}
	}
	return lifetime(status, h, now)
}

// Body keeps the answer: its whole body was read.
func (p *Pass) Body(b []byte) {
	r := p.r
	r.mu.Lock()
	defer r.mu.Unlock()
	if !p.Keeps || len(b) > maxResponse || r.mu.purges[p.l.Entrypoint] != p.purges {
		return
	}
	k := &kept{Retained: &p.held, key: p.l.key(), entrypoint: p.l.Entrypoint, path: p.l.URL.EscapedPath(),
		vary: map[string]string{}}
	p.held.Body = b
	for _, list := range p.held.Header.Values("Cache-Tag") {
		for tag := range strings.SplitSeq(list, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				k.tags = append(k.tags, strings.ToLower(tag))
			}
		}
	}
	p.held.Header.Del("Cache-Tag")
	for _, list := range p.held.Header.Values("Vary") {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				k.vary[name] = strings.Join(p.l.Header.Values(name), ",")
			}
		}
	}
	for _, el := range r.mu.entries[k.key] {
		if el.Value.(*kept).matches(p.l.Header) {
			r.drop(el)
			break
		}
	}
	if r.mu.entries == nil {
		r.mu.entries = map[string][]*list.Element{}
	}
	r.mu.entries[k.key] = append(r.mu.entries[k.key], r.mu.order.PushFront(k))
	for r.mu.size += len(b); r.mu.size > maxResponses; {
		r.drop(r.mu.order.Back())
	}
}

// drop removes an entry. Call it with mu held.
func (r *Responses) drop(el *list.Element) {
	k := r.mu.order.Remove(el).(*kept)
	r.mu.size -= len(k.Body)
	rest := slices.DeleteFunc(slices.Clone(r.mu.entries[k.key]), func(e *list.Element) bool { return e == el })
	if r.mu.entries[k.key] = rest; len(rest) == 0 {
		delete(r.mu.entries, k.key)
	}
}

// Purge is what ctx.cache.purge() takes away: what has one of the tags, what a path begins so, or everything.
type Purge struct {
	Tags, PathPrefixes []string
	Everything         bool
}

// Purge takes away what an entrypoint has answered, also what is still being written.
func (r *Responses) Purge(entrypoint string, p Purge) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.purges == nil {
		r.mu.purges = map[string]int{}
	}
	r.mu.purges[entrypoint]++
	for el := r.mu.order.Front(); el != nil; {
		k, this := el.Value.(*kept), el
		el = el.Next()
		if k.entrypoint != entrypoint {
			continue
		}
		if p.Everything ||
			slices.ContainsFunc(p.Tags, func(t string) bool { return slices.Contains(k.tags, strings.ToLower(t)) }) ||
			slices.ContainsFunc(p.PathPrefixes, func(x string) bool {
				return strings.HasPrefix(k.path, "/"+strings.TrimPrefix(x, "/"))
			}) {
			r.drop(this)
		}
	}
}
