package url

import "strings"

// purpose says why a URLPatternInit is processed: as a pattern, which is kept as it is written, or as an input, which
// is made canonical.
type purpose bool

const (
	forPattern purpose = false
	forInput   purpose = true
)

// process fills in what the base URL gives and brings the members into their form
// (https://urlpattern.spec.whatwg.org/#process-a-urlpatterninit).
func (p *patternInit) process(to purpose) (*patternInit, error) {
	out := &patternInit{}
	if to == forInput {
		for c := range componentCount {
			out.set(c, "")
		}
	}
	base, err := p.inherit(out, to)
	if err != nil {
		return nil, err
	}
	for c := range componentCount {
		if p.part[c] == nil {
			continue
		}
		value := *p.part[c]
		switch c {
		case cProtocol:
			value = strings.TrimSuffix(value, ":")
		case cSearch:
			value = strings.TrimPrefix(value, "?")
		case cHash:
			value = strings.TrimPrefix(value, "#")
		case cPathname:
			if base != nil && !base.opaque && !absolutePath(value, to) {
				dir := written(base.path, to)
				value = dir[:strings.LastIndexByte(dir, '/')+1] + value
			}
		}
		if to == forInput {
			if value, err = canonical(c, value, *out.part[cProtocol]); err != nil {
				return nil, err
			}
		}
		out.set(c, value)
	}
	return out, nil
}

// inherit copies from the base URL all parts that stand before the first member that was given.
func (p *patternInit) inherit(out *patternInit, to purpose) (*URL, error) {
	if p.base == nil {
		return nil, nil
	}
	base, err := ParseRelative(*p.base, nil)
	if err != nil {
		return nil, errPattern
	}
	if p.missing(cProtocol) {
		out.set(cProtocol, written(base.scheme, to))
	}
	if to == forInput && p.missing(cProtocol, cHostname, cPort, cUsername) {
		out.set(cUsername, base.username)
		if p.missing(cPassword) {
			out.set(cPassword, base.password)
		}
	}
	if !p.missing(cProtocol, cHostname) {
		return base, nil
	}
	out.set(cHostname, written(base.host, to))
	if !p.missing(cPort) {
		return base, nil
	}
	out.set(cPort, base.Port())
	if !p.missing(cPathname) {
		return base, nil
	}
	out.set(cPathname, written(base.path, to))
	if !p.missing(cSearch) {
		return base, nil
	}
	out.set(cSearch, written(base.query, to))
	if p.missing(cHash) {
		out.set(cHash, written(base.fragment, to))
	}
	return base, nil
}

// written returns a part of a base URL as it stands in a pattern.
func written(s string, to purpose) string {
	if to == forPattern {
		return escapePattern(s)
	}
	return s
}

func absolutePath(s string, to purpose) bool {
	return strings.HasPrefix(s, "/") || to == forPattern && (strings.HasPrefix(s, `\/`) || strings.HasPrefix(s, "{/"))
}

// canonical brings a component's text into the form it has in a parsed URL; protocol is "" when it is unknown.
func canonical(c component, s, protocol string) (string, error) {
	if s == "" {
		return "", nil
	}
	webLike := protocol == "" || special(protocol)
	switch c {
	case cProtocol:
		name, _, ok := scheme(withoutTabs(s) + ":")
		if !ok {
			return "", errPattern
		}
		return name, nil
	case cUsername, cPassword:
		return encoded(s, &setUserinfo), nil
	case cHostname:
		return orPatternError(parseHost(withoutTabs(s), webLike))
	case cPort:
		u := URL{scheme: protocol, port: -1}
		s = withoutTabs(s)
		n := 0
		for n < len(s) && digit(s[n]) {
			n++
		}
		if n == 0 || !u.setPort(s[:n]) {
			return "", errPattern
		}
		return u.Port(), nil
	case cPathname:
		if !webLike {
			return opaquePath(withoutTabs(s), false), nil
		}
		return canonicalPath(s), nil
	case cSearch:
		return encoded(withoutTabs(s), &setSpecialQuery), nil
	}
	return encoded(withoutTabs(s), &setFragment), nil
}

func orPatternError(s string, err error) (string, error) {
	if err != nil {
		return "", errPattern
	}
	return s, nil
}

// canonicalPath normalises a path, or a piece from the middle of one. Such a piece gets, for as long as this takes, a
// start that dot segments cannot remove.
func canonicalPath(s string) string {
	u := URL{scheme: "https"}
	if strings.HasPrefix(s, "/") {
		u.appendPath(withoutTabs(s[1:]))
		return u.path
	}
	u.appendPath("-" + withoutTabs(s))
	return strings.TrimPrefix(u.path, "/-")
}

// canonicalIPv6 checks a piece of an IPv6 address in a pattern.
func canonicalIPv6(s string) (string, error) {
	for i := range len(s) {
		if _, ok := unhex(s[i]); !ok && s[i] != '[' && s[i] != ']' && s[i] != ':' {
			return "", errPattern
		}
	}
	return strings.ToLower(s), nil
}

// ipv6Pattern tells whether a hostname pattern is an IPv6 address.
func ipv6Pattern(s string) bool {
	return len(s) >= 2 && (s[0] == '[' || (s[0] == '{' || s[0] == '\\') && s[1] == '[')
}
