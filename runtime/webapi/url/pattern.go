package url

import (
	"github.com/dop251/goja"
)

// matcher is one compiled component. It has a regular expression only if it needs one.
type matcher struct {
	pattern string
	// regexp is an object of the isolate's RegExp; nil when exact or everything decides.
	regexp     *goja.Object
	exact      string
	everything bool
	names      []string
	custom     bool // it has a regexp group
}

// pattern is the state of a URLPattern.
type pattern struct{ part [componentCount]matcher }

// engine makes and runs regular expressions on an isolate.
type engine struct {
	rt    *goja.Runtime
	flags string // "v" if the isolate's RegExp knows it, else "u"
}

func newEngine(rt *goja.Runtime) *engine {
	e := &engine{rt: rt, flags: "v"}
	if _, err := rt.New(rt.Get("RegExp"), rt.ToValue("x"), rt.ToValue("v")); err != nil {
		e.flags = "u"
	}
	return e
}

// compile compiles one component (https://urlpattern.spec.whatwg.org/#compile-a-component).
func (e *engine) compile(in string, d dialect, encode func(string) (string, error)) (matcher, error) {
	parts, err := parseParts(in, d, encode)
	if err != nil {
		return matcher{}, err
	}
	m := matcher{pattern: patternString(parts, d)}
	for _, p := range parts {
		m.custom = m.custom || p.kind == regexpPart
	}
	var source string
	source, m.names = regexpSource(parts, d)
	switch {
	case len(parts) == 0:
		return m, nil
	case len(parts) == 1 && parts[0].kind == fixedText && parts[0].modifier == "" && !d.ignoreCase:
		m.exact = parts[0].value
		return m, nil
	case len(parts) == 1 && parts[0].kind == fullWildcard && parts[0].modifier == "" && parts[0].prefix == "" &&
		parts[0].suffix == "":
		m.everything = true
		return m, nil
	}
	flags := e.flags
	if d.ignoreCase {
		flags += "i"
	}
	m.regexp, err = e.rt.New(e.rt.Get("RegExp"), e.rt.ToValue(source), e.rt.ToValue(flags))
	if err != nil {
		return m, errPattern
	}
	return m, nil
}

// match gives the groups' values in their order, nil for one that took no part; ok is false when input does not match.
func (e *engine) match(m *matcher, input string) (groups []goja.Value, ok bool) {
	switch {
	case m.everything:
		return []goja.Value{e.rt.ToValue(input)}, true
	case m.regexp == nil:
		return nil, input == m.exact
	}
	exec, callable := goja.AssertFunction(m.regexp.Get("exec"))
	if !callable {
		return nil, false
	}
	res, err := exec(m.regexp, e.rt.ToValue(input))
	if err != nil {
		panic(err)
	}
	// A script may have replaced exec: only an array counts as a match, and its length is read once.
	list, isObject := res.(*goja.Object)
	if !isObject || list.ClassName() != "Array" {
		return nil, false
	}
	n := min(int(list.Get("length").ToInteger()), len(m.names)+1)
	for i := 1; i < n; i++ {
		v := list.Get(e.rt.ToValue(i).String())
		if v != nil && !goja.IsUndefined(v) {
			v = e.rt.ToValue(v.String())
		}
		groups = append(groups, v)
	}
	return groups, true
}

// matchesSpecial tells whether a protocol matcher can match a special scheme.
func (e *engine) matchesSpecial(m *matcher) bool {
	for _, s := range []string{"http", "https", "ws", "wss", "ftp", "file"} {
		if _, ok := e.match(m, s); ok {
			return true
		}
	}
	return false
}

// These are the component options of the standard.
var (
	plainDialect    = dialect{}
	hostnameDialect = dialect{delimiter: "."}
	pathDialect     = dialect{delimiter: "/", prefix: "/"}
)

// fromString parses a constructor string into an init.
func (e *engine) fromString(s string, base *string) (*patternInit, error) {
	init, err := parsePatternString(s, func(protocol string) (bool, error) {
		m, err := e.compile(protocol, plainDialect, encoder(cProtocol, ""))
		return err == nil && e.matchesSpecial(&m), err
	})
	if err != nil {
		return nil, err
	}
	if base == nil && init.part[cProtocol] == nil {
		return nil, errPattern
	}
	init.base = base
	return init, nil
}

func encoder(c component, protocol string) func(string) (string, error) {
	return func(s string) (string, error) { return canonical(c, s, protocol) }
}

// compileAll makes a pattern (https://urlpattern.spec.whatwg.org/#url-pattern-create).
func (e *engine) compileAll(init *patternInit, ignoreCase bool) (*pattern, error) {
	in, err := init.process(forPattern)
	if err != nil {
		return nil, err
	}
	for c := range componentCount {
		if in.part[c] == nil {
			in.set(c, "*")
		}
	}
	if port, ok := defaultPort(*in.part[cProtocol]); ok && port > 0 {
		u := URL{scheme: *in.part[cProtocol], port: -1}
		if s := *in.part[cPort]; digits(s) && u.setPort(s) && u.port < 0 {
			in.set(cPort, "")
		}
	}
	p := &pattern{}
	for c := range componentCount {
		d, encode := plainDialect, encoder(c, "")
		switch c {
		case cHostname:
			d = hostnameDialect
			if ipv6Pattern(*in.part[c]) {
				encode = canonicalIPv6
			}
		case cPathname:
			if e.matchesSpecial(&p.part[cProtocol]) {
				d = pathDialect
			} else {
				encode = encoder(c, "opaque")
			}
		}
		d.ignoreCase = ignoreCase && c >= cPathname
		if p.part[c], err = e.compile(*in.part[c], d, encode); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// matched is a successful match: the input's components and the groups of each.
type matched struct {
	input  [componentCount]string
	groups [componentCount][]goja.Value
}

// run matches the components of a URL. It returns nil when one of them does not match.
func (e *engine) run(p *pattern, in *patternInit) *matched {
	res := &matched{}
	for c := range componentCount {
		res.input[c] = *in.part[c]
		var ok bool
		if res.groups[c], ok = e.match(&p.part[c], res.input[c]); !ok {
			return nil
		}
	}
	return res
}

// inputOf returns the components of a URL to match.
func inputOf(u *URL) *patternInit {
	in := &patternInit{}
	for c, s := range [componentCount]string{
		u.scheme, u.username, u.password, u.host, u.Port(), u.path, u.query, u.fragment} {
		in.set(component(c), s)
	}
	return in
}
