package url

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// linked is the state of a JavaScript URL: the record, and its searchParams once they were asked for.
type linked struct {
	url    *URL
	params *search // nil until a script has read it
	object *goja.Object
}

// search is the state of a JavaScript URLSearchParams. At most one of the two marks is set.
type search struct {
	list  *Params
	owner *linked // nil if it stands alone
	// ahead says that the list was changed and the URL's query is behind. behind says that the URL's query was
	// replaced.
	ahead, behind bool
}

// record is the URL with its query up to date.
func (l *linked) record() *URL {
	if l.params != nil && l.params.ahead {
		l.params.ahead = false
		l.url.SetQuery(l.params.list.String())
	}
	return l.url
}

// queryReplaced makes the searchParams read the query again.
func (l *linked) queryReplaced() {
	if l.params != nil {
		l.params.ahead, l.params.behind = false, true
	}
}

// read returns the list, up to date, to a caller that does not change it.
func (s *search) read() *Params {
	if s.behind {
		s.behind = false
		s.list.pairs = ParseForm(s.owner.url.query)
	}
	return s.list
}

// write returns the list to a caller that changes it. The URL's query is behind from then on.
func (s *search) write() *Params {
	p := s.read()
	s.ahead = s.owner != nil
	return p
}

type valueKey struct{}

// classes are the interfaces of one isolate.
type classes struct {
	url, params *webidl.Interface
}

// Of is the URL behind a JavaScript URL object, nil for anything else. It must not be changed.
func Of(h *host.Host, v goja.Value) *URL {
	if l, ok := webidl.StateOf[*linked](h.Realm, v); ok {
		return l.record()
	}
	return nil
}

// ParamsOf is the list behind a JavaScript URLSearchParams object, nil for anything else. It must not be changed.
func ParamsOf(h *host.Host, v goja.Value) *Params {
	if s, ok := webidl.StateOf[*search](h.Realm, v); ok {
		return s.read()
	}
	return nil
}

// Wrap makes a JavaScript URL object that owns u.
func Wrap(h *host.Host, u *URL) *goja.Object {
	return h.Value(valueKey{}).(*classes).url.Wrap(&linked{url: u})
}

// Install defines URL, URLSearchParams and URLPattern.
func Install(h *host.Host) {
	c := &classes{}
	h.SetValue(valueKey{}, c)
	c.params = defineParams(h).Install()
	c.url = defineURL(h, c).Install()
	h.Lazy("URLPattern", func() goja.Value { return definePattern(h).Constructor })
}

// urlCopies is about how many bytes a unit of a text takes while it is made an address: one beyond ASCII becomes six to
// nine, in the part, in the address and in what JavaScript gets.
const urlCopies = 24

// arguments parses the pair (url, optional base) of a call.
func arguments(c *webidl.Call) (*URL, error) {
	for _, v := range c.Args {
		if s, ok := v.(goja.String); ok {
			c.Realm().Need(urlCopies * s.Length())
		}
	}
	input, base := c.USVString(0), (*URL)(nil)
	if !c.Missing(1) {
		var err error
		if base, err = ParseRelative(c.USVString(1), nil); err != nil {
			return nil, err
		}
	}
	return ParseRelative(input, base)
}

func defineURL(h *host.Host, cl *classes) *webidl.Interface {
	attribute := func(name string, get func(*URL) string, set func(*URL, string)) webidl.Member {
		var setter func(*linked, *webidl.Call, goja.Value)
		if set != nil {
			setter = func(l *linked, _ *webidl.Call, v goja.Value) { set(l.record(), webidl.USVString(v)) }
		}
		return webidl.Accessor(
			name, func(l *linked, c *webidl.Call) goja.Value { return c.Value(get(l.record())) }, setter)
	}
	href := func(l *linked, c *webidl.Call) goja.Value { return c.Value(l.record().Href()) }
	refused := func(name string) webidl.Member {
		return webidl.Static(name, func(c *webidl.Call) goja.Value {
			c.Realm().ThrowError("Error", "URL.%s() is not implemented", name)
			return nil
		})
	}
	return h.Realm.Define(webidl.Spec{
		Name: "URL",
		New: func(c *webidl.Call) any {
			u, err := arguments(c)
			if err != nil {
				c.ThrowType("Invalid URL string.") // the platform's text (RT10)
			}
			return &linked{url: u}
		},
		Members: []webidl.Member{
			attribute("origin", (*URL).Origin, nil),
			webidl.Accessor("href", href, func(l *linked, c *webidl.Call, v goja.Value) {
				if l.url.SetHref(webidl.USVString(v)) != nil {
					c.ThrowType("Failed to set the 'href' property on 'URL': the provided value is not of type " +
						"'valid URL string'.")
				}
				l.queryReplaced()
			}),
			attribute("protocol", (*URL).Protocol, (*URL).SetProtocol),
			attribute("username", (*URL).Username, (*URL).SetUsername),
			attribute("password", (*URL).Password, (*URL).SetPassword),
			attribute("host", (*URL).Host, (*URL).SetHost),
			attribute("hostname", (*URL).Hostname, (*URL).SetHostname),
			attribute("port", (*URL).Port, (*URL).SetPort),
			attribute("pathname", (*URL).Pathname, (*URL).SetPathname),
			webidl.Accessor("search", func(l *linked, c *webidl.Call) goja.Value {
				return c.Value(l.record().Search())
			}, func(l *linked, _ *webidl.Call, v goja.Value) {
				l.url.SetSearch(webidl.USVString(v))
				l.queryReplaced()
			}),
			attribute("hash", (*URL).Hash, (*URL).SetHash),
			webidl.Getter("searchParams", func(l *linked, _ *webidl.Call) goja.Value {
				if l.params == nil {
					l.params = &search{list: ParseParams(l.url.query), owner: l}
					l.object = cl.params.Wrap(l.params)
				}
				return l.object
			}),
			webidl.Method("toJSON", href),
			webidl.Method("toString", href),
			webidl.Static("canParse", func(c *webidl.Call) goja.Value {
				_, err := arguments(c)
				return c.Value(err == nil)
			}),
			webidl.Static("parse", func(c *webidl.Call) goja.Value {
				u, err := arguments(c)
				if err != nil {
					return goja.Null()
				}
				return cl.url.Wrap(&linked{url: u})
			}),
			// The platform has these two names and refuses both.
			refused("createObjectURL"),
			refused("revokeObjectURL"),
		},
	})
}
