package url

import (
	"strconv"
	"strings"
)

// URL is the standard's URL record. The zero value is not a valid URL; make one with [Parse].
type URL struct {
	scheme             string
	username, password string
	host               string // serialised
	hasHost            bool   // false is the null host
	port               int    // -1 is null
	// path is serialised: empty, or each segment after a slash; an opaque path stands as it is.
	path     string
	opaque   bool
	query    string
	hasQuery bool
	fragment string
	hasFrag  bool
}

// defaultPort is the port of a special scheme, 0 for file; ok tells whether the scheme is special.
func defaultPort(scheme string) (port int, ok bool) {
	switch scheme {
	case "http", "ws":
		return 80, true
	case "https", "wss":
		return 443, true
	case "ftp":
		return 21, true
	case "file":
		return 0, true
	}
	return -1, false
}

func special(scheme string) bool {
	_, ok := defaultPort(scheme)
	return ok
}

// Clone is an independent copy.
func (u *URL) Clone() *URL {
	c := *u
	return &c
}

// Href is the serialised URL.
func (u *URL) Href() string { return u.serialise(true) }

// HrefWithoutFragment is the serialised URL up to the fragment.
func (u *URL) HrefWithoutFragment() string { return u.serialise(false) }

func (u *URL) serialise(fragment bool) string {
	var b strings.Builder
	b.Grow(len(u.scheme) + len(u.host) + len(u.path) + len(u.query) + len(u.fragment) + len(u.username) +
		len(u.password) + 16)
	b.WriteString(u.scheme)
	b.WriteByte(':')
	switch {
	case u.hasHost:
		b.WriteString("//")
		if u.username != "" || u.password != "" {
			b.WriteString(u.username)
			if u.password != "" {
				b.WriteByte(':')
				b.WriteString(u.password)
			}
			b.WriteByte('@')
		}
		b.WriteString(u.host)
		if u.port >= 0 {
			b.WriteByte(':')
			b.WriteString(strconv.Itoa(u.port))
		}
	case !u.opaque && strings.HasPrefix(u.path, "//"):
		// Without it the path would read as an authority.
		b.WriteString("/.")
	}
	b.WriteString(u.path)
	if u.hasQuery {
		b.WriteByte('?')
		b.WriteString(u.query)
	}
	if fragment && u.hasFrag {
		b.WriteByte('#')
		b.WriteString(u.fragment)
	}
	return b.String()
}

// String is Href.
func (u *URL) String() string { return u.Href() }

// Scheme is the scheme without colon.
func (u *URL) Scheme() string { return u.scheme }

// Protocol is the scheme with its colon.
func (u *URL) Protocol() string { return u.scheme + ":" }

// Username is percent-encoded.
func (u *URL) Username() string { return u.username }

// Password is percent-encoded.
func (u *URL) Password() string { return u.password }

// Hostname is the serialised host, without port.
func (u *URL) Hostname() string { return u.host }

// Port is the port as text, empty for the scheme's default.
func (u *URL) Port() string {
	if u.port < 0 {
		return ""
	}
	return strconv.Itoa(u.port)
}

// Host is the hostname and, unless it is the default, the port.
func (u *URL) Host() string {
	if u.port < 0 {
		return u.host
	}
	return u.host + ":" + strconv.Itoa(u.port)
}

// Pathname is the serialised path.
func (u *URL) Pathname() string { return u.path }

// Search is the query with its question mark, empty when the query is null or empty.
func (u *URL) Search() string {
	if u.query == "" {
		return ""
	}
	return "?" + u.query
}

// Query is the query without question mark.
func (u *URL) Query() string { return u.query }

// Hash is the fragment with its number sign, empty when it is null or empty.
func (u *URL) Hash() string {
	if u.fragment == "" {
		return ""
	}
	return "#" + u.fragment
}

// OpaquePath tells whether the path is opaque, as in "mailto:x".
func (u *URL) OpaquePath() bool { return u.opaque }

// Credentials tells whether there is a username or password.
func (u *URL) Credentials() bool { return u.username != "" || u.password != "" }

// Origin is the serialised origin, "null" for an opaque one.
func (u *URL) Origin() string {
	switch u.scheme {
	case "http", "https", "ws", "wss", "ftp":
		return u.scheme + "://" + u.Host()
	case "blob":
		if inner, err := Parse(u.path, ""); err == nil && (inner.scheme == "http" || inner.scheme == "https") {
			return inner.Origin()
		}
	}
	return "null"
}

// shorten removes the last segment of the path, but not the drive letter of a file URL.
func (u *URL) shorten() {
	if u.scheme == "file" && len(u.path) == 3 && normalizedDrive(u.path[1:]) {
		return
	}
	if i := strings.LastIndexByte(u.path, '/'); i >= 0 {
		u.path = u.path[:i]
	}
}

func alpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// drive tells whether s is a Windows drive letter.
func drive(s string) bool { return len(s) == 2 && alpha(s[0]) && (s[1] == ':' || s[1] == '|') }

func normalizedDrive(s string) bool { return drive(s) && s[1] == ':' }

// startsWithDrive tells whether s starts with a Windows drive letter that is followed by a delimiter or the end.
func startsWithDrive(s string) bool {
	if len(s) < 2 || !drive(s[:2]) {
		return false
	}
	return len(s) == 2 || strings.IndexByte("/\\?#", s[2]) >= 0
}
