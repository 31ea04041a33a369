package assets

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"eddy/runtime/lazyregexp"
)

// pattern is a path of a rule: * is anything (:splat), :name a part between slashes. A pattern may begin with an
// origin.
type pattern struct {
	re     *regexp.Regexp
	origin bool
}

var placeholder = lazyregexp.New(`:[A-Za-z]\w*`)

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

var (
	withScheme = lazyregexp.New(`^\w+://`)
	slashes    = lazyregexp.New(`/+`)
)

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
			to = strings.TrimSpace(fill(r.to, values))
			if !withScheme.MatchString(to) {
				to = slashes.ReplaceAllString(to, "/")
			}
			return to, r.status, true
		}
	}
	return "", 0, false
}
