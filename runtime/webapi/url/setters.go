package url

import "strings"

// The setters follow the attributes of the JavaScript class: what is not valid changes nothing.

// SetHref replaces the whole URL.
func (u *URL) SetHref(s string) error {
	n, err := ParseRelative(s, nil)
	if err == nil {
		*u = *n
	}
	return err
}

// SetProtocol changes the scheme, but never from a special scheme to another one or back.
func (u *URL) SetProtocol(s string) {
	name, _, ok := scheme(withoutTabs(s) + ":")
	if !ok || special(name) != special(u.scheme) {
		return
	}
	if name == "file" && (u.Credentials() || u.port >= 0) || u.scheme == "file" && u.host == "" {
		return
	}
	u.scheme = name
	if def, ok := defaultPort(name); ok && u.port == def {
		u.port = -1
	}
}

// bare tells whether a URL cannot have a username, password or port.
func (u *URL) bare() bool { return u.host == "" || u.scheme == "file" }

// SetUsername encodes and sets the username.
func (u *URL) SetUsername(s string) {
	if !u.bare() {
		u.username = encoded(s, &setUserinfo)
	}
}

// SetPassword encodes and sets the password.
func (u *URL) SetPassword(s string) {
	if !u.bare() {
		u.password = encoded(s, &setUserinfo)
	}
}

// SetHost sets the hostname and, if s has one, the port.
func (u *URL) SetHost(s string) { u.changeHost(s, true) }

// SetHostname sets the hostname; a hostname with a colon behind it changes nothing.
func (u *URL) SetHostname(s string) { u.changeHost(s, false) }

func (u *URL) changeHost(s string, withPort bool) {
	if u.opaque {
		return
	}
	authority, _ := cut(withoutTabs(s), u.ends())
	c := *u
	if u.scheme == "file" {
		if authority == "" {
			u.host, u.hasHost = "", true
		} else if c.setFileHost(authority) == nil {
			*u = c
		}
		return
	}
	host, port, hasPort := splitPort(authority)
	switch {
	case hasPort && (host == "" || !withPort):
		return
	case host == "" && (special(u.scheme) || u.Credentials() || u.port >= 0):
		return
	}
	if c.setHost(host) != nil {
		return
	}
	if hasPort {
		c.leadingPort(port)
	}
	*u = c
}

// leadingPort sets the port from the digits that s starts with.
func (u *URL) leadingPort(s string) {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	if n > 0 {
		u.setPort(s[:n])
	}
}

// SetPort sets the port from the digits that s starts with; an empty s removes it.
func (u *URL) SetPort(s string) {
	if u.bare() {
		return
	}
	if s == "" {
		u.port = -1
		return
	}
	u.leadingPort(withoutTabs(s))
}

// SetPathname sets the path, unless it is opaque.
func (u *URL) SetPathname(s string) {
	if u.opaque {
		return
	}
	s = withoutTabs(s)
	u.path = ""
	switch {
	case s != "" && u.slash(s[0]):
		u.appendPath(s[1:])
	case s != "" || special(u.scheme):
		u.appendPath(s)
	case !u.hasHost:
		u.path = "/"
	}
}

// SetSearch sets the query, with or without its question mark; an empty s removes it.
func (u *URL) SetSearch(s string) {
	if s == "" {
		u.query, u.hasQuery = "", false
		return
	}
	u.setQuery(withoutTabs(strings.TrimPrefix(s, "?")))
}

// SetQuery sets a query that is already encoded; an empty one removes it.
func (u *URL) SetQuery(s string) { u.query, u.hasQuery = s, s != "" }

// SetHash sets the fragment, with or without its number sign; an empty s removes it.
func (u *URL) SetHash(s string) {
	if s == "" {
		u.fragment, u.hasFrag = "", false
		return
	}
	u.setFragment(withoutTabs(strings.TrimPrefix(s, "#")))
}
