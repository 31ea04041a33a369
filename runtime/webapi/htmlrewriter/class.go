package htmlrewriter

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/streams"
)

// handler is a function with what it is called on.
type handler struct {
	this goja.Value
	call goja.Callable
}

// held is a token in the hands of JavaScript. It dies when its handler has ended.
type held[T Token] struct {
	token T
	dead  bool
}

// use is the token, or the platform's error when it is dead.
func (h *held[T]) use(c *webidl.Call) T {
	if h.dead {
		c.ThrowType("This content token is no longer valid. Content tokens are only valid during the execution of " +
			"the relevant content handler.")
	}
	return h.token
}

// attributeIterator walks the attributes until they are changed.
type attributeIterator struct {
	element    *held[*Element]
	generation int
	next       int
}

// classes are the package's classes on one isolate.
type classes struct {
	h                                                              *host.Host
	element, endTag, text, comment, doctype, documentEnd, iterator *webidl.Interface
}

// Install defines HTMLRewriter. The classes of tokens have no global names.
func Install(h *host.Host) {
	h.Lazy("HTMLRewriter", func() goja.Value { return defineRewriter(h).Constructor })
}

// must throws an error of the machine.
func must(c *webidl.Call, err error) {
	if err != nil {
		c.ThrowType("Parser error: %s", err.Error())
	}
}

// content reads (content, options). ok is false for a response without a body: then there is nothing to insert.
func (cl *classes) content(c *webidl.Call, streamsToo bool) (v Content, ok bool) {
	if o := c.Object(1, "ContentOptions"); o != nil {
		if html := webidl.Option(o, "html"); html != nil {
			v.HTML = html.ToBoolean()
		}
	}
	arg := c.Require(0, "string or ReadableStream or Response")
	stream := arg
	if fetch.IsResponse(cl.h, arg) {
		stream = arg.(*goja.Object).Get("body")
	} else if !streams.Is(cl.h, arg) {
		v.Text = webidl.USVString(arg)
		return v, true
	}
	if !streamsToo {
		c.ThrowType("Replacing content in HTML comments using a ReadableStream or Response object is not " +
			"implemented. You must provide a string.")
	}
	if goja.IsNull(stream) {
		return v, false
	}
	v.Stream = stream
	return v, true
}

// insertion is a method that inserts content and answers with its token.
func insertion[T Token](cl *classes, name string, streamsToo bool, f func(T, Content)) webidl.Member {
	return webidl.Method(name, func(s *held[T], c *webidl.Call) goja.Value {
		t := s.use(c)
		if v, ok := cl.content(c, streamsToo); ok {
			f(t, v)
		}
		return c.This
	})
}

// removal is a method without arguments that answers with its token.
func removal[T Token](name string, f func(T)) webidl.Member {
	return webidl.Method(name, func(s *held[T], c *webidl.Call) goja.Value {
		f(s.use(c))
		return c.This
	})
}

func getter[T Token](name string, f func(T, *webidl.Call) goja.Value) webidl.Member {
	return webidl.Getter(name, func(s *held[T], c *webidl.Call) goja.Value { return f(s.use(c), c) })
}

func optional(c *webidl.Call, s *string) goja.Value {
	if s == nil {
		return goja.Null()
	}
	return c.Value(*s)
}

func defineClasses(h *host.Host) *classes {
	cl := &classes{h: h}
	removed := func(is bool, c *webidl.Call) goja.Value { return c.Value(is) }
	cl.iterator = defineAttributeIterator(h)
	cl.element = cl.defineElement()
	cl.endTag = h.Realm.Define(webidl.Spec{Name: "EndTag", Members: []webidl.Member{
		webidl.Accessor("name", func(s *held[*EndTag], c *webidl.Call) goja.Value { return c.Value(s.use(c).Name()) },
			func(s *held[*EndTag], c *webidl.Call, v goja.Value) { s.use(c).SetName(webidl.USVString(v)) }),
		insertion(cl, "before", true, func(t *EndTag, v Content) { t.Before(v) }),
		insertion(cl, "after", true, func(t *EndTag, v Content) { t.After(v) }),
		removal("remove", func(t *EndTag) { t.Remove() }),
	}})
	cl.comment = h.Realm.Define(webidl.Spec{Name: "Comment", Members: []webidl.Member{
		webidl.Accessor("text", func(s *held[*Comment], c *webidl.Call) goja.Value { return c.Value(s.use(c).Text()) },
			func(s *held[*Comment], c *webidl.Call, v goja.Value) { must(c, s.use(c).SetText(webidl.USVString(v))) }),
		getter("removed", func(t *Comment, c *webidl.Call) goja.Value { return removed(t.Removed(), c) }),
		insertion(cl, "before", false, func(t *Comment, v Content) { t.Before(v) }),
		insertion(cl, "after", false, func(t *Comment, v Content) { t.After(v) }),
		insertion(cl, "replace", false, func(t *Comment, v Content) { t.Replace(v) }),
		removal("remove", func(t *Comment) { t.Remove() }),
	}})
	cl.text = h.Realm.Define(webidl.Spec{Name: "Text", Members: []webidl.Member{
		getter("text", func(t *Text, c *webidl.Call) goja.Value { return c.Value(t.Text()) }),
		getter("lastInTextNode", func(t *Text, c *webidl.Call) goja.Value { return c.Value(t.Last()) }),
		getter("removed", func(t *Text, c *webidl.Call) goja.Value { return removed(t.Removed(), c) }),
		insertion(cl, "before", true, func(t *Text, v Content) { t.Before(v) }),
		insertion(cl, "after", true, func(t *Text, v Content) { t.After(v) }),
		insertion(cl, "replace", true, func(t *Text, v Content) { t.Replace(v) }),
		removal("remove", func(t *Text) { t.Remove() }),
	}})
	cl.doctype = h.Realm.Define(webidl.Spec{Name: "Doctype", Members: []webidl.Member{
		getter("name", func(t *Doctype, c *webidl.Call) goja.Value { return optional(c, t.Name()) }),
		getter("publicId", func(t *Doctype, c *webidl.Call) goja.Value { return optional(c, t.PublicID()) }),
		getter("systemId", func(t *Doctype, c *webidl.Call) goja.Value { return optional(c, t.SystemID()) }),
	}})
	cl.documentEnd = h.Realm.Define(webidl.Spec{Name: "DocumentEnd", Members: []webidl.Member{
		insertion(cl, "append", false, func(t *DocumentEnd, v Content) { t.Append(v) }),
	}})
	return cl
}

func (cl *classes) defineElement() *webidl.Interface {
	name := func(c *webidl.Call) string { return c.USVString(0) }
	return cl.h.Realm.Define(webidl.Spec{Name: "Element", Members: []webidl.Member{
		webidl.Accessor(
			"tagName", func(s *held[*Element], c *webidl.Call) goja.Value { return c.Value(s.use(c).TagName()) },
			func(s *held[*Element], c *webidl.Call, v goja.Value) {
				must(c, s.use(c).SetTagName(webidl.USVString(v)))
			}),
		webidl.Getter("attributes", func(s *held[*Element], c *webidl.Call) goja.Value {
			return cl.iterator.Wrap(&attributeIterator{element: s, generation: s.use(c).Generation})
		}),
		getter("removed", func(e *Element, c *webidl.Call) goja.Value { return c.Value(e.Removed()) }),
		getter("namespaceURI", func(e *Element, c *webidl.Call) goja.Value { return c.Value(e.NamespaceURI()) }),
		webidl.Method("getAttribute", func(s *held[*Element], c *webidl.Call) goja.Value {
			if v, ok := s.use(c).Attribute(name(c)); ok {
				return c.Value(v)
			}
			return goja.Null()
		}),
		webidl.Method("hasAttribute", func(s *held[*Element], c *webidl.Call) goja.Value {
			_, ok := s.use(c).Attribute(name(c))
			return c.Value(ok)
		}),
		webidl.Method("setAttribute", func(s *held[*Element], c *webidl.Call) goja.Value {
			must(c, s.use(c).SetAttribute(name(c), c.USVString(1)))
			return c.This
		}),
		webidl.Method("removeAttribute", func(s *held[*Element], c *webidl.Call) goja.Value {
			s.use(c).RemoveAttribute(name(c))
			return c.This
		}),
		insertion(cl, "before", true, func(e *Element, v Content) { e.Before(v) }),
		insertion(cl, "after", true, (*Element).After),
		insertion(cl, "prepend", true, (*Element).Prepend),
		insertion(cl, "append", true, (*Element).Append),
		insertion(cl, "replace", true, (*Element).Replace),
		insertion(cl, "setInnerContent", true, (*Element).SetInnerContent),
		removal("remove", (*Element).Remove),
		removal("removeAndKeepContent", (*Element).RemoveAndKeepContent),
		webidl.Method("onEndTag", func(s *held[*Element], c *webidl.Call) goja.Value {
			must(c, s.use(c).OnEndTag(&handler{this: goja.Undefined(), call: c.Function(0)}))
			return nil
		}),
	}})
}

// defineAttributeIterator makes the class of Element.attributes, which inherits from %IteratorPrototype%.
func defineAttributeIterator(h *host.Host) *webidl.Interface {
	rt := h.Runtime()
	i := h.Realm.Define(webidl.Spec{Name: "AttributesIterator", Members: []webidl.Member{
		webidl.Method("next", func(it *attributeIterator, c *webidl.Call) goja.Value {
			e := it.element.use(c)
			if e.Generation != it.generation {
				c.Realm().ThrowError("Error", "The attributes of this element have been modified during iteration. "+
					"You must create a new iterator after modifying attributes.")
			}
			done, value := true, goja.Undefined()
			if attrs := e.Attributes(); it.next < len(attrs) {
				a := attrs[it.next]
				done, value = false, rt.NewArray(a.Name, a.Value)
				it.next++
			}
			res := rt.NewObject()
			_ = res.DefineDataProperty("done", c.Value(done), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
			_ = res.DefineDataProperty("value", value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
			return res
		}),
		webidl.SymbolMethod(
			goja.SymIterator, "[Symbol.iterator]", func(_ *attributeIterator, c *webidl.Call) goja.Value {
				return c.This
			}),
	}})
	array := rt.NewArray()
	if values, ok := goja.AssertFunction(array.GetSymbol(goja.SymIterator)); ok {
		if it, err := values(array); err == nil {
			_ = i.Prototype.SetPrototype(it.ToObject(rt).Prototype().Prototype())
		}
	}
	return i
}

// wrapToken makes the object that a handler is called with, a new one for each call, and the function that ends the
// object's life.
func (cl *classes) wrapToken(t Token) (obj *goja.Object, end func()) {
	switch t := t.(type) {
	case *Element:
		return wrapHeld(cl.element, t)
	case *EndTag:
		return wrapHeld(cl.endTag, t)
	case *Text:
		return wrapHeld(cl.text, t)
	case *Comment:
		return wrapHeld(cl.comment, t)
	case *Doctype:
		return wrapHeld(cl.doctype, t)
	}
	return wrapHeld(cl.documentEnd, t.(*DocumentEnd))
}

func wrapHeld[T Token](i *webidl.Interface, t T) (*goja.Object, func()) {
	s := &held[T]{token: t}
	return i.Wrap(s), func() { s.dead = true }
}
