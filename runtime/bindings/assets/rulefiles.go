package assets

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	whatwg "eddy/runtime/webapi/url"

	"eddy/runtime/lazyregexp"
)

// Mistake is a line of _headers or _redirects that is left out. The others count: sites that came from elsewhere have
// such lines, and the platform takes them with a warning.
type Mistake struct {
	File string
	Line int // from 1
	Text string
	Why  string
}

// Mistakes are the lines of the rules that do not count.
func (s *Site) Mistakes() []Mistake { return s.mistakes }

// Limits of the files of rules.
const (
	maxLine      = 2000
	maxHeaders   = 100
	maxStatic    = 2000
	maxRedirects = 100 // with placeholders
)

// headerRule is a block of _headers.
type headerRule struct {
	line  int
	text  string // its path as written
	name  string // its path as it counts
	path  pattern
	set   [][2]string
	unset []string
}

// ruleLine is a line of a file of rules that has something on it.
type ruleLine struct {
	number int
	text   string
}

// ruleLines reads the lines of a file of rules, without comments, empty ones and those that are too long.
func (s *Site) ruleLines(name string) (list []ruleLine, wrong func(ruleLine, string, ...any), err error) {
	lines, err := s.rules(name)
	wrong = func(l ruleLine, format string, args ...any) {
		s.mistakes = append(s.mistakes, Mistake{filepath.Join(s.dir, name), l.number, l.text,
			fmt.Sprintf(format, args...)})
	}
	for i, text := range lines {
		l := ruleLine{i + 1, strings.TrimSpace(text)}
		switch {
		case l.text == "" || strings.HasPrefix(l.text, "#"):
		case len(l.text) > maxLine:
			l.text = l.text[:20] + "…"
			wrong(l, "Lines have at most %d characters.", maxLine)
		default:
			list = append(list, l)
		}
	}
	return list, wrong, err
}

var probablyPath = lazyregexp.New(`^(\S+://|/)`)

// readHeaders reads _headers: a path, then lines "Name: value", or "! Name" to take one away.
func (s *Site) readHeaders() error {
	lines, wrong, err := s.ruleLines("_headers")
	var rule *headerRule
	keep := func() {
		switch {
		case rule == nil:
		case len(rule.set)+len(rule.unset) == 0:
			wrong(ruleLine{rule.line, rule.text}, "No headers specified")
		default:
			// A later block of a path replaces the earlier one, in its place.
			same := func(r headerRule) bool { return r.name == rule.name }
			if i := slices.IndexFunc(s.headers, same); i >= 0 {
				s.headers[i] = *rule
			} else {
				s.headers = append(s.headers, *rule)
			}
		}
		rule = nil
	}
	skip := false // what belongs to a path that does not count
	for _, l := range lines {
		if !probablyPath.MatchString(l.text) {
			if !skip {
				headerLine(rule, l, wrong)
			}
			continue
		}
		keep()
		if len(s.headers) >= maxHeaders {
			wrong(l, "At most %d rules count. This line and those below it are left out.", maxHeaders)
			break
		}
		name, why := place(l.text, false, true, false)
		if why == "" {
			why = oneWildcard(name)
		}
		if skip = why != ""; skip {
			wrong(l, "%s", why)
			continue
		}
		rule = &headerRule{line: l.number, text: l.text, name: name, path: newPattern(name)}
	}
	keep()
	return err
}

// headerLine adds a line to a block; rule is nil above the first one.
func headerLine(rule *headerRule, l ruleLine, wrong func(ruleLine, string, ...any)) {
	name, value, ok := strings.Cut(l.text, ":")
	if !ok {
		rest, unset := strings.CutPrefix(l.text, "! ")
		switch {
		case rule == nil:
			wrong(l, "Expected a path beginning with at least one forward-slash")
		case unset:
			rule.unset = append(rule.unset, strings.TrimSpace(rest))
		default:
			wrong(l, "Expected a colon-separated header pair (e.g. name: value)")
		}
		return
	}
	name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
	switch {
	case strings.Contains(name, " "):
		wrong(l, "Header name cannot include spaces")
	case name == "":
		wrong(l, "No header name specified")
	case value == "":
		wrong(l, "No header value specified")
	case rule == nil:
		wrong(l, "Path should come before header (%s: %s)", name, value)
	default:
		same := func(h [2]string) bool { return h[0] == name }
		if i := slices.IndexFunc(rule.set, same); i >= 0 {
			rule.set[i][1] += ", " + value
			return
		}
		rule.set = append(rule.set, [2]string{name, value})
	}
}

// oneWildcard says why a path with several wildcards does not count, "" for others.
func oneWildcard(path string) string {
	switch n := strings.Count(path, "*"); {
	case n > 1:
		return "Only one wildcard is allowed per rule. Use a named placeholder (e.g. :project) instead."
	case n == 1 && splatName.MatchString(path):
		return "Cannot combine a wildcard * with a :splat placeholder because wildcards are converted to :splat at " +
			"runtime."
	}
	return ""
}

var splatName = lazyregexp.New(`:splat(?:\W|$)`)

// redirect is a line of _redirects.
type redirect struct {
	from   pattern
	static string // the path of a rule without placeholders, "" for others
	to     string
	status int
}

var (
	trailingComment = lazyregexp.New(`\s+#.*$`)
	toIndex         = lazyregexp.New(`/index(.html)?$`)
)

// readRedirects reads _redirects: lines "from to [status]". 200 answers with another asset.
func (s *Site) readRedirects() error {
	lines, wrong, err := s.ruleLines("_redirects")
	statics, dynamics, seen := 0, 0, map[string]bool{}
	for _, l := range lines {
		f := strings.Fields(trailingComment.ReplaceAllString(l.text, ""))
		if len(f) < 2 || len(f) > 3 {
			wrong(l, "Expected exactly 2 or 3 whitespace-separated tokens. Got %d.", len(f))
			continue
		}
		from, why := place(f[0], true, true, false)
		if why != "" {
			wrong(l, "%s", why)
			continue
		}
		// Below the first rule with placeholders all count among those.
		static := dynamics == 0 && !strings.Contains(from, "*") && !placeholder.MatchString(from)
		if static {
			if statics++; statics > maxStatic {
				wrong(l, "Maximum number of static rules supported is %d.", maxStatic)
				continue
			}
		} else if dynamics++; dynamics > maxRedirects {
			wrong(l, "At most %d dynamic rules count. This line and those below it are left out.", maxRedirects)
			break
		}
		to, why := place(f[1], false, false, true)
		status := 302
		if len(f) == 3 {
			n, err := strconv.Atoi(f[2])
			if status = n; why == "" && (err != nil || !slices.Contains([]int{200, 301, 302, 303, 307, 308}, n)) {
				why = "Valid status codes are 200, 301, 302 (default), 303, 307, or 308. Got " + f[2] + "."
			}
		}
		away := strings.HasPrefix(to, "https://")
		switch {
		case why != "":
		case !away && toIndex.MatchString(to) &&
			(strings.HasSuffix(from, "/*") || strings.HasSuffix(from, "/") && s.html != "none"):
			why = "Infinite loop detected in this rule. It would strip `.html` or `/index` and end up triggering " +
				"this rule again. For a single-page application set assets.not_found_handling."
		case strings.Count(from, "*") > 1:
			why = oneWildcard(from) // the platform says nothing
		case seen[from]:
			why = "There is a rule for the path " + from + " above."
		}
		if why == "" {
			if seen[from] = true; status == 200 && away {
				why = "Proxy (200) redirects can only point to relative paths. Got " + to
			}
		}
		if why != "" {
			wrong(l, "%s", why)
			continue
		}
		r := redirect{from: newPattern(from), to: to, status: status}
		if static {
			r.static = from
		}
		s.redirects = append(s.redirects, r)
	}
	return err
}

var absoluteURL = lazyregexp.New(`^https:///*([^/]+)/?(.*)`)

var withPort = lazyregexp.New(`:\d+$`)

// place is a path or URL of a rule as it counts, or why it does not. whole keeps the query and the fragment.
func place(token string, onlyRelative, noPorts, whole bool) (as, why string) {
	if m := absoluteURL.FindStringSubmatch(token); m != nil {
		switch {
		case onlyRelative:
			return "", "Only relative URLs are allowed. Got " + token + "."
		case noPorts && withPort.MatchString(m[1]):
			return "", "Specifying ports is not supported. Got " + token + "."
		}
		path, ok := pathOf(m[2], whole)
		if !ok {
			return "", "Error parsing URL segment " + token + "."
		}
		return "https://" + m[1] + path, ""
	}
	if onlyRelative && !strings.HasPrefix(token, "/") {
		token = "/" + token
	}
	if !strings.HasPrefix(token, "/") {
		return "", "URLs should either be relative (e.g. begin with a forward-slash), or use HTTPS (e.g. begin with " +
			"\"https://\")."
	}
	path, ok := pathOf(token, whole)
	if !ok {
		return "", "Error parsing URL segment " + token + "."
	}
	return path, ""
}

// pathOf is a path as a URL has it.
func pathOf(path string, whole bool) (string, bool) {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	u, err := whatwg.Parse("//"+path, "relative://")
	if err != nil {
		return "", false
	}
	if whole {
		return u.Pathname() + u.Search() + u.Hash(), true
	}
	return u.Pathname(), true
}
