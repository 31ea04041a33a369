package assets

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pattern is a path of a rule: * is anything (:splat), :name a part between slashes. A pattern may begin with an
// origin.
type pattern struct {
	re     *regexp.Regexp
	origin bool
}

var placeholder = regexp.MustCompile(`:[A-Za-z]\w*`)

func newPattern(p string) pattern {
	origin := strings.HasPrefix(p, "https://")
	var b strings.Builder
	b.WriteString("^")
	if origin {
		b.WriteString("https://")
		p = p[len("https://"):]
	}
	host, seen := origin, map[string]bool{}
	// A name that occurs twice counts once, with the value of the first place.
	group := func(name, class string) {
		if seen[name] {
			b.WriteString("(?:" + class + ")")
			return
		}
		seen[name] = true
		b.WriteString("(?P<" + name + ">" + class + ")")
	}
	for p != "" {
		star, name := strings.IndexByte(p, '*'), placeholder.FindStringIndex(p)
		next := len(p)
		if star >= 0 {
			next = star
		}
		if name != nil && name[0] < next {
			next = name[0]
		}
		if slash := strings.IndexByte(p[:next], '/'); slash >= 0 {
			host = false
		}
		b.WriteString(regexp.QuoteMeta(p[:next]))
		if p = p[next:]; p == "" {
			break
		}
		if p[0] == '*' {
			group("splat", ".*")
			p = p[1:]
			continue
		}
		end := placeholder.FindStringIndex(p)[1]
		class := "[^/]+"
		if host {
			class = "[^/.]+"
		}
		group(p[1:end], class)
		p = p[end:]
	}
	return pattern{regexp.MustCompile(b.String() + "$"), origin}
}

// match returns the values of a pattern's placeholders. target is a path, or a URL for a pattern with an origin.
func (p pattern) match(target string) (map[string]string, bool) {
	m := p.re.FindStringSubmatch(target)
	if m == nil {
		return nil, false
	}
	values := map[string]string{}
	for i, name := range p.re.SubexpNames() {
		if name != "" {
			values[name] = m[i]
		}
	}
	return values, true
}

// matchURL matches a request.
func (p pattern) matchURL(u *url.URL) (map[string]string, bool) {
	if p.origin {
		return p.match("https://" + u.Hostname() + u.EscapedPath())
	}
	return p.match(u.EscapedPath())
}

// fill puts the values of placeholders into a text.
func fill(text string, values map[string]string) string {
	names := make([]string, 0, len(values))
	for n := range values {
		names = append(names, n)
	}
	// Longer names first: :item is not :it followed by "em".
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, n := range names {
		text = strings.ReplaceAll(text, ":"+n, values[n])
	}
	return text
}

// headerRule is a block of _headers.
type headerRule struct {
	path  pattern
	set   [][2]string
	unset []string
}

// readHeaders reads _headers: a path, then indented lines "Name: value", or "! Name" to take one away.
func (s *Site) readHeaders() error {
	lines, err := s.rules("_headers")
	errs := []error{err}
	for i, l := range lines {
		text := strings.TrimSpace(l)
		wrong := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("%s/_headers:%d: %s", s.dir, i+1, fmt.Sprintf(format, args...)))
		}
		switch {
		case text == "" || strings.HasPrefix(text, "#"):
		case strings.HasPrefix(text, "/") || strings.HasPrefix(text, "https://"):
			s.headers = append(s.headers, headerRule{path: newPattern(text)})
		case len(s.headers) == 0:
			wrong("a path was expected before %q; write for example /*", text)
		case strings.HasPrefix(text, "! "):
			r := &s.headers[len(s.headers)-1]
			r.unset = append(r.unset, strings.TrimSpace(text[2:]))
		default:
			name, value, ok := strings.Cut(text, ":")
			if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(name, " \t") {
				wrong("%q is neither a path nor a header; write Name: value", text)
				continue
			}
			r := &s.headers[len(s.headers)-1]
			r.set = append(r.set, [2]string{name, strings.TrimSpace(value)})
		}
	}
	return errors.Join(errs...)
}

// redirect is a line of _redirects.
type redirect struct {
	from   pattern
	static string // the path of a rule without placeholders, "" for others
	to     string
	status int
}

// readRedirects reads _redirects: lines "from to [status]". 200 answers with another asset.
func (s *Site) readRedirects() error {
	lines, err := s.rules("_redirects")
	errs := []error{err}
	for i, l := range lines {
		text := strings.TrimSpace(l)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		wrong := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("%s/_redirects:%d: %s", s.dir, i+1, fmt.Sprintf(format, args...)))
		}
		f := strings.Fields(text)
		if len(f) < 2 || len(f) > 3 {
			wrong("%q has %d parts; write from, to and perhaps a status, with spaces between", text, len(f))
			continue
		}
		r := redirect{from: newPattern(f[0]), to: f[1], status: 302}
		if !strings.HasPrefix(f[0], "/") && !strings.HasPrefix(f[0], "https://") {
			wrong("%q is no path; it must begin with /", f[0])
			continue
		}
		if len(f) == 3 {
			n, err := strconv.Atoi(f[2])
			if err != nil || !slices.Contains([]int{200, 301, 302, 303, 307, 308}, n) {
				wrong("the status is %q; it can be 200, 301, 302, 303, 307 or 308", f[2])
				continue
			}
			r.status = n
		}
		if r.status == 200 && !strings.HasPrefix(r.to, "/") {
			wrong("a rule with status 200 goes to a path of this site, not to %q", r.to)
			continue
		}
		if !strings.Contains(f[0], "*") && !placeholder.MatchString(strings.TrimPrefix(f[0], "https://")) {
			r.static = f[0]
		}
		s.redirects = append(s.redirects, r)
	}
	return errors.Join(errs...)
}

// redirected finds the rule for a request; those without placeholders come first.
func (s *Site) redirected(u *url.URL) (to string, status int, ok bool) {
	p := u.EscapedPath()
	for _, r := range s.redirects {
		if r.static != "" && (r.static == p || r.static == "https://"+u.Host+p) {
			return r.to, r.status, true
		}
	}
	for _, r := range s.redirects {
		if r.static != "" {
			continue
		}
		if values, ok := r.from.matchURL(u); ok {
			return fill(r.to, values), r.status, true
		}
	}
	return "", 0, false
}
