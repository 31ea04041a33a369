package url

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// ErrInvalid is what Parse answers for everything that is not a valid URL.
var ErrInvalid = errors.New("invalid URL")

// Parse parses input, against base unless base is empty.
func Parse(input, base string) (*URL, error) {
	if base == "" {
		return ParseRelative(input, nil)
	}
	b, err := ParseRelative(base, nil)
	if err != nil {
		return nil, err
	}
	return ParseRelative(input, b)
}

// ParseRelative parses input against base, which may be nil and is not changed. It is the basic URL parser without
// state override; it walks by sections where the standard walks by code points.
func ParseRelative(input string, base *URL) (*URL, error) {
	u := &URL{port: -1}
	if err := u.parse(withoutTabs(strings.TrimFunc(input, func(r rune) bool { return r <= ' ' })), base); err != nil {
		return nil, err
	}
	return u, nil
}

// withoutTabs removes ASCII tab and newline.
func withoutTabs(s string) string {
	if !strings.ContainsAny(s, "\t\n\r") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, s)
}

// scheme splits "name:" off and lowercases it; ok is false when s has none.
func scheme(s string) (name, rest string, ok bool) {
	if s == "" || !alpha(s[0]) {
		return "", s, false
	}
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == ':':
			return strings.ToLower(s[:i]), s[i+1:], true
		case alpha(c), digit(c), c == '+', c == '-', c == '.':
		default:
			return "", s, false
		}
	}
	return "", s, false
}

func (u *URL) parse(s string, base *URL) error {
	name, rest, ok := scheme(s)
	if !ok {
		switch {
		case base == nil, base.opaque && !strings.HasPrefix(s, "#"):
			return ErrInvalid
		case base.opaque:
			u.scheme, u.path, u.opaque, u.query, u.hasQuery = base.scheme, base.path, true, base.query, base.hasQuery
			u.setFragment(s[1:])
			return nil
		case base.scheme == "file":
			u.scheme = "file"
			return u.parseFile(s, base)
		}
		return u.parseRelative(s, base)
	}
	u.scheme = name
	switch {
	case name == "file":
		return u.parseFile(rest, base)
	case special(name):
		if base != nil && base.scheme == name && !strings.HasPrefix(rest, "//") {
			return u.parseRelative(rest, base)
		}
		return u.parseAuthority(strings.TrimLeft(rest, "/\\"))
	case strings.HasPrefix(rest, "//"):
		return u.parseAuthority(rest[2:])
	case strings.HasPrefix(rest, "/"):
		u.parsePath(rest[1:])
		return nil
	}
	u.opaque = true
	path, tail := cut(rest, "?#")
	u.path = opaquePath(path, tail != "")
	u.parseTail(tail)
	return nil
}

// opaquePath encodes an opaque path. A space before the query or fragment is encoded, so that it survives their
// removal.
func opaquePath(path string, more bool) string {
	path = encoded(path, &setC0)
	if more && strings.HasSuffix(path, " ") {
		path = path[:len(path)-1] + "%20"
	}
	return path
}

// cut splits s before the first byte that is in stops.
func cut(s, stops string) (before, from string) {
	if i := strings.IndexAny(s, stops); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// slash tells whether c separates path segments of u.
func (u *URL) slash(c byte) bool { return c == '/' || c == '\\' && special(u.scheme) }

// ends are the bytes that end an authority.
func (u *URL) ends() string {
	if special(u.scheme) {
		return "/\\?#"
	}
	return "/?#"
}

// parseRelative is the relative state: s has no scheme, and base is neither opaque nor a file URL.
func (u *URL) parseRelative(s string, base *URL) error {
	u.scheme = base.scheme
	if s != "" && u.slash(s[0]) {
		s = s[1:]
		if s != "" && u.slash(s[0]) {
			if special(u.scheme) {
				return u.parseAuthority(strings.TrimLeft(s, "/\\"))
			}
			return u.parseAuthority(s[1:])
		}
		u.username, u.password, u.host, u.hasHost, u.port = base.username, base.password, base.host, base.hasHost,
			base.port
		u.parsePath(s)
		return nil
	}
	*u = *base
	u.fragment, u.hasFrag = "", false
	u.continueBase(s)
	return nil
}

// continueBase is called when u has the base's path and query. If s has one of the two, or both, it replaces them.
func (u *URL) continueBase(s string) {
	switch {
	case s == "":
	case s[0] == '?' || s[0] == '#':
		u.parseTail(s)
	default:
		u.query, u.hasQuery = "", false
		u.shorten()
		u.parsePath(s)
	}
}

// parseAuthority is the authority state and what follows it.
func (u *URL) parseAuthority(s string) error {
	authority, rest := cut(s, u.ends())
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		name, password, _ := strings.Cut(authority[:at], ":")
		u.username, u.password = encoded(name, &setUserinfo), encoded(password, &setUserinfo)
		authority = authority[at+1:]
		if authority == "" {
			return ErrInvalid
		}
	}
	host, port, hasPort := splitPort(authority)
	if host == "" && (hasPort || special(u.scheme)) {
		return ErrInvalid
	}
	if err := u.setHost(host); err != nil {
		return err
	}
	if port != "" {
		if !digits(port) || !u.setPort(port) {
			return ErrInvalid
		}
	}
	u.parsePathStart(rest)
	return nil
}

// splitPort splits at the first colon outside brackets.
func splitPort(s string) (host, port string, ok bool) {
	brackets := false
	for i := range len(s) {
		switch s[i] {
		case '[':
			brackets = true
		case ']':
			brackets = false
		case ':':
			if !brackets {
				return s[:i], s[i+1:], true
			}
		}
	}
	return s, "", false
}

func (u *URL) setHost(host string) error {
	h, err := parseHost(host, special(u.scheme))
	if err != nil {
		return ErrInvalid
	}
	u.host, u.hasHost = h, true
	return nil
}

// setPort takes decimal digits; it reports false when the number is too large.
func (u *URL) setPort(port string) bool {
	port = strings.TrimLeft(port, "0")
	if port == "" {
		port = "0"
	}
	if len(port) > 5 {
		return false
	}
	n, err := strconv.Atoi(port)
	if err != nil || n > 65535 {
		return false
	}
	if def, ok := defaultPort(u.scheme); ok && n == def && u.scheme != "file" {
		n = -1
	}
	u.port = n
	return true
}

// parsePathStart is the path start state.
func (u *URL) parsePathStart(s string) {
	switch {
	case s != "" && u.slash(s[0]):
		u.parsePath(s[1:])
	case special(u.scheme), s != "" && s[0] != '?' && s[0] != '#':
		u.parsePath(s)
	default:
		u.parseTail(s)
	}
}

// parsePath is the path state: s begins with the first segment, whose slash has been eaten.
func (u *URL) parsePath(s string) {
	path, tail := cut(s, "?#")
	u.appendPath(path)
	u.parseTail(tail)
}

// appendPath adds the segments of s to the path; the number sign and question mark are ordinary here.
func (u *URL) appendPath(s string) {
	b := make([]byte, len(u.path), len(u.path)+len(s)+1)
	copy(b, u.path)
	file := u.scheme == "file"
	for {
		end := 0
		for end < len(s) && !u.slash(s[end]) {
			end++
		}
		segment, last := s[:end], end == len(s)
		n := dots(segment)
		switch {
		case n == 2 && file && len(b) == 3 && normalizedDrive(string(b[1:])):
		case n == 2:
			b = b[:max(bytes.LastIndexByte(b, '/'), 0)]
		case n == 0 && file && len(b) == 0 && drive(segment):
			b = append(b, '/', segment[0], ':')
		case n == 0:
			b = encode(append(b, '/'), segment, &setPath)
		}
		if last {
			if n != 0 {
				b = append(b, '/')
			}
			u.path = string(b)
			return
		}
		s = s[end+1:]
	}
}

// dots tells a single-dot (1) and a double-dot (2) segment from others (0); %2e counts as a dot.
func dots(s string) int {
	if len(s) > 6 {
		return 0
	}
	n := 0
	for s != "" {
		switch {
		case s[0] == '.':
			s = s[1:]
		case len(s) >= 3 && s[0] == '%' && s[1] == '2' && s[2]|0x20 == 'e':
			s = s[3:]
		default:
			return 0
		}
		n++
	}
	if n > 2 {
		return 0
	}
	return n
}

// parseTail takes what follows the path: nothing, a query, a fragment or both.
func (u *URL) parseTail(s string) {
	if strings.HasPrefix(s, "?") {
		var query string
		query, s = cut(s[1:], "#")
		u.setQuery(query)
	}
	if strings.HasPrefix(s, "#") {
		u.setFragment(s[1:])
	}
}

func (u *URL) setQuery(s string) {
	enc := &setQuery
	if special(u.scheme) {
		enc = &setSpecialQuery
	}
	u.query, u.hasQuery = encoded(s, enc), true
}

func (u *URL) setFragment(s string) { u.fragment, u.hasFrag = encoded(s, &setFragment), true }

// parseFile is the file state and what follows it.
func (u *URL) parseFile(s string, base *URL) error {
	u.hasHost = true
	if base != nil && base.scheme != "file" {
		base = nil
	}
	if s == "" || !u.slash(s[0]) {
		if base == nil {
			u.parsePath(s)
			return nil
		}
		u.host, u.hasHost, u.path, u.query, u.hasQuery = base.host, base.hasHost, base.path, base.query, base.hasQuery
		if startsWithDrive(s) {
			u.path, u.query, u.hasQuery = "", "", false
			u.parsePath(s)
			return nil
		}
		u.continueBase(s)
		return nil
	}
	s = s[1:]
	if s == "" || !u.slash(s[0]) {
		if base != nil {
			u.host, u.hasHost = base.host, base.hasHost
			if !startsWithDrive(s) {
				if len(base.path) >= 3 && normalizedDrive(base.path[1:3]) &&
					(len(base.path) == 3 || base.path[3] == '/') {
					u.path = base.path[:3]
				}
			}
		}
		u.parsePath(s)
		return nil
	}
	s = s[1:]
	host, rest := cut(s, "/\\?#")
	switch {
	case drive(host):
		u.parsePath(s)
		return nil
	case host != "":
		if err := u.setFileHost(host); err != nil {
			return err
		}
	}
	u.parsePathStart(rest)
	return nil
}

func (u *URL) setFileHost(host string) error {
	if err := u.setHost(host); err != nil {
		return err
	}
	if u.host == "localhost" {
		u.host = ""
	}
	return nil
}
