package url

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// definePattern makes the class URLPattern.
func definePattern(h *host.Host) *webidl.Interface {
	e := newEngine(h.Runtime())
	members := make([]webidl.Member, 0, componentCount+3)
	for c, name := range componentNames {
		members = append(members, webidl.Getter(name, func(p *pattern, call *webidl.Call) goja.Value {
			return call.Value(p.part[c].pattern)
		}))
	}
	members = append(members,
		webidl.Getter("hasRegExpGroups", func(p *pattern, c *webidl.Call) goja.Value {
			for i := range p.part {
				if p.part[i].custom {
					return c.Value(true)
				}
			}
			return c.Value(false)
		}),
		webidl.Method("test", func(p *pattern, c *webidl.Call) goja.Value {
			return c.Value(e.matchCall(p, c) != nil)
		}),
		webidl.Method("exec", func(p *pattern, c *webidl.Call) goja.Value {
			res := e.matchCall(p, c)
			if res == nil {
				return goja.Null()
			}
			return e.result(p, res, c)
		}),
	)
	return h.Realm.Define(webidl.Spec{
		Name: "URLPattern",
		New: func(c *webidl.Call) any {
			p, err := e.construct(c)
			if err != nil {
				c.ThrowType("Failed to construct URLPattern")
			}
			return p
		},
		Members: members,
	})
}

// construct reads (input, baseURL, options) or (input, options).
func (e *engine) construct(c *webidl.Call) (*pattern, error) {
	var base *string
	options, _ := c.Arg(1).(*goja.Object)
	if options == nil && !c.Missing(1) && !goja.IsNull(c.Arg(1)) {
		s := c.USVString(1)
		base = &s
		options = c.Object(2, "URLPatternOptions")
	}
	ignoreCase := false
	if v := webidl.Option(options, "ignoreCase"); v != nil {
		ignoreCase = v.ToBoolean()
	}
	init, text := readPatternInput(c)
	var err error
	if init == nil {
		if init, err = e.fromString(text, base); err != nil {
			return nil, err
		}
	} else if base != nil {
		return nil, errPattern
	}
	return e.compileAll(init, ignoreCase)
}

// readPatternInput reads argument 0: an init, or nil and the text of a string.
func readPatternInput(c *webidl.Call) (init *patternInit, text string) {
	v := c.Arg(0)
	obj, ok := v.(*goja.Object)
	if !ok && !goja.IsUndefined(v) && !goja.IsNull(v) {
		return nil, webidl.USVString(v)
	}
	init = &patternInit{}
	for i, name := range componentNames {
		if v := webidl.Option(obj, name); v != nil {
			init.set(component(i), webidl.USVString(v))
		}
	}
	if v := webidl.Option(obj, "baseURL"); v != nil {
		s := webidl.USVString(v)
		init.base = &s
	}
	return init, ""
}

// matchCall matches the arguments (input, baseURL) of test and exec.
func (e *engine) matchCall(p *pattern, c *webidl.Call) *matched {
	init, text := readPatternInput(c)
	if init != nil {
		if !c.Missing(1) {
			c.ThrowType("Failed to exec URLPattern")
		}
		in, err := init.process(forInput)
		if err != nil {
			return nil
		}
		return e.run(p, in)
	}
	var base *URL
	if !c.Missing(1) {
		var err error
		if base, err = ParseRelative(c.USVString(1), nil); err != nil {
			return nil
		}
	}
	u, err := ParseRelative(text, base)
	if err != nil {
		return nil
	}
	return e.run(p, inputOf(u))
}

// result makes the URLPatternResult.
func (e *engine) result(p *pattern, m *matched, c *webidl.Call) goja.Value {
	put := func(o *goja.Object, name string, v goja.Value) {
		_ = o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	inputs := make([]any, 0, 2)
	if init, text := readPatternInput(c); init == nil {
		inputs = append(inputs, text)
		if !c.Missing(1) {
			inputs = append(inputs, c.USVString(1))
		}
	} else {
		copied := e.rt.NewObject()
		for i, s := range init.part {
			if s != nil {
				put(copied, componentNames[i], e.rt.ToValue(*s))
			}
		}
		if init.base != nil {
			put(copied, "baseURL", e.rt.ToValue(*init.base))
		}
		inputs = append(inputs, copied)
	}
	res := e.rt.NewObject()
	put(res, "inputs", e.rt.NewArray(inputs...))
	for i, name := range componentNames {
		groups := e.rt.NewObject()
		for j, v := range m.groups[i] {
			if v == nil {
				v = goja.Undefined()
			}
			put(groups, p.part[i].names[j], v)
		}
		part := e.rt.NewObject()
		put(part, "input", e.rt.ToValue(m.input[i]))
		put(part, "groups", groups)
		put(res, name, part)
	}
	return res
}
