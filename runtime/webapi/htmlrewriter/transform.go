package htmlrewriter

import (
	"mime"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/streams"
)

// rewriterState is the state of a JavaScript HTMLRewriter: the handlers that were registered, in order.
type rewriterState struct{ handlers []any }

func defineRewriter(h *host.Host) *webidl.Interface {
	cl := defineClasses(h)
	return h.Realm.Define(webidl.Spec{
		Name: "HTMLRewriter",
		New:  func(*webidl.Call) any { return &rewriterState{} },
		Members: []webidl.Member{
			webidl.Method("on", func(s *rewriterState, c *webidl.Call) goja.Value {
				sel, err := ParseSelector(c.USVString(0))
				must(c, err)
				get := handlersArg(c, 1, "ElementContentHandlers")
				s.handlers = append(
					s.handlers, ElementHandlers{
						Selector: sel, Element: get("element"), Comments: get("comments"), Text: get("text")})
				return c.This
			}),
			webidl.Method("onDocument", func(s *rewriterState, c *webidl.Call) goja.Value {
				get := handlersArg(c, 0, "DocumentContentHandlers")
				s.handlers = append(
					s.handlers, DocumentHandlers{
						Doctype: get("doctype"), Comments: get("comments"), Text: get("text"), End: get("end")})
				return c.This
			}),
			webidl.Method("transform", func(s *rewriterState, c *webidl.Call) goja.Value { return cl.transform(s, c) }),
		},
	})
}

// handlersArg reads an object of optional functions.
func handlersArg(c *webidl.Call, i int, name string) func(field string) any {
	obj, ok := c.Arg(i).(*goja.Object)
	if !ok {
		c.ThrowNotOfType(i, name)
	}
	return func(field string) any {
		v := webidl.Option(obj, field)
		if v == nil {
			return nil
		}
		f, ok := goja.AssertFunction(v)
		if !ok {
			c.ThrowType("Incorrect type for the '%s' field on '%s': the provided value is not of type 'function'.",
				field, name)
		}
		return &handler{this: obj, call: f}
	}
}

// transform answers with a response whose body is the rewritten one.
func (cl *classes) transform(s *rewriterState, c *webidl.Call) goja.Value {
	if !fetch.IsResponse(cl.h, c.Arg(0)) {
		c.ThrowNotOfType(0, "Response")
	}
	response := c.Arg(0).(*goja.Object)
	if response.Get("type").String() == "error" {
		c.ThrowType("HTMLRewriter cannot transform an error response")
	}
	body := response.Get("body")
	if goja.IsNull(body) {
		return response
	}
	m, err := New(Options{
		Handlers: s.handlers, Encoding: charset(c.Runtime(), response),
		ESI: cl.h.Enabled("html_rewriter_treats_esi_include_as_void_tag"),
	})
	must(c, err)
	d := &drive{cl: cl, machine: m, inContext: cl.h.Loop.Snapshot()}
	out := d.start(body.(*goja.Object))
	res, err := c.Runtime().New(c.Runtime().Get("Response"), out, response)
	if err != nil {
		panic(err)
	}
	// The length of the original says nothing about the rewritten body.
	if headers, ok := res.Get("headers").(*goja.Object); ok {
		invoke(c.Runtime(), headers, "delete", c.Value("content-length"))
	}
	return res
}

// charset is the parameter of the response's Content-Type.
func charset(rt *goja.Runtime, response *goja.Object) string {
	headers, ok := response.Get("headers").(*goja.Object)
	if !ok {
		return "utf-8"
	}
	if s, ok := invoke(rt, headers, "get", rt.ToValue("content-type")).(goja.String); ok {
		if _, params, err := mime.ParseMediaType(s.String()); err == nil && params["charset"] != "" {
			return strings.TrimSpace(params["charset"])
		}
	}
	return "utf-8"
}

// drive runs a machine between two streams. Loop goroutine only.
type drive struct {
	cl        *classes
	machine   *Rewriter
	inContext func(func())

	input      *goja.Object // reads the body
	controller *goja.Object // controls the output
	wanted     func()       // resolves a pull that waits; nil when nobody waits
	given      bool         // output was delivered, and nobody has asked for more since
	idle       bool         // it rests until a pull comes
	reading    bool         // a read of the input is under way
	over       bool
	cancelled  goja.Value // the reason, once the output was cancelled
}

// start makes the output stream and begins to read.
func (d *drive) start(body *goja.Object) *goja.Object {
	h, rt := d.cl.h, d.cl.h.Runtime()
	d.input = invoke(rt, body, "getReader").(*goja.Object)
	source := rt.NewObject()
	function := func(name string, f func(arg goja.Value) goja.Value) {
		_ = source.Set(name, h.Realm.Function(name, func(fc goja.FunctionCall) goja.Value { return f(fc.Argument(0)) }))
	}
	_ = source.Set("type", "bytes")
	function("start", func(c goja.Value) goja.Value { d.controller = c.(*goja.Object); return goja.Undefined() })
	function("pull", func(goja.Value) goja.Value { return d.pull() })
	function("cancel", func(reason goja.Value) goja.Value { return d.cancel(reason) })
	out, err := rt.New(streams.Class(h, "ReadableStream"), source)
	if err != nil {
		panic(err)
	}
	d.read()
	return out
}

// pull is called when somebody reads; its promise is resolved when there is something.
func (d *drive) pull() goja.Value {
	p, resolve, _ := d.cl.h.Runtime().NewPromise()
	d.wanted = func() { settle(resolve) }
	d.given = false
	if d.idle {
		d.idle = false
		d.read()
	}
	return d.cl.h.Runtime().ToValue(p)
}

// cancel gives up the input. It waits for a read that has begun, because the writer believes that what this read
// brings was accepted.
func (d *drive) cancel(reason goja.Value) goja.Value {
	d.over = true
	if d.reading {
		d.cancelled = reason
		return goja.Undefined()
	}
	return d.cancelInput(reason)
}

func (d *drive) cancelInput(reason goja.Value) goja.Value {
	return d.cl.h.Realm.Promised(func() goja.Value { return invoke(d.cl.h.Runtime(), d.input, "cancel", reason) })
}

// read asks for more input.
func (d *drive) read() {
	d.reading = true
	d.readFrom(d.input, func(data []byte, done bool) {
		d.reading = false
		switch {
		case d.cancelled != nil:
			d.forget(d.cancelInput(d.cancelled))
		case done:
			d.machine.End()
			d.step()
		default:
			if err := d.machine.Write(data); err != nil {
				d.refuse(err)
				return
			}
			d.step()
		}
	}, func(failure goja.Value) {
		d.reading = false
		d.fail(failure)
	})
}

// readFrom reads one chunk of bytes.
func (d *drive) readFrom(reader *goja.Object, got func(data []byte, done bool), failed func(goja.Value)) {
	h := d.cl.h
	p := h.Realm.Promised(func() goja.Value { return invoke(h.Runtime(), reader, "read") })
	h.Realm.Then(p, func(v goja.Value) {
		res := v.(*goja.Object)
		if res.Get("done").ToBoolean() {
			got(nil, true)
			return
		}
		data, ok := h.Realm.Bytes(res.Get("value"))
		if !ok {
			failed(h.Realm.TypeError("%s", streams.NotBytes))
			return
		}
		got(data, false)
	}, failed)
}

// step drives the machine until it has to wait for a promise, for input or for somebody to read.
func (d *drive) step() {
	for !d.over {
		task, err := d.machine.Next()
		if err != nil {
			d.refuse(err)
			return
		}
		if task == nil {
			d.deliver()
			d.proceed()
			return
		}
		if task.Stream != nil {
			d.deliver()
			d.insert(task.Stream)
			return
		}
		if d.handle(task) {
			d.deliver()
			return
		}
	}
}

// proceed goes on after the machine has used up its input.
func (d *drive) proceed() {
	switch {
	case d.machine.ended:
		d.finish()
	case d.given && d.wanted == nil:
		d.idle = true
	default:
		d.read()
	}
}

// handle calls a handler; it reports true when the handler has to be waited for.
func (d *drive) handle(task *Task) (waiting bool) {
	h := d.cl.h
	f := task.Handler.(*handler)
	obj, end := d.cl.wrapToken(task.Token)
	var result goja.Value
	thrown := h.Realm.Try(func() {
		d.inContext(func() {
			v, err := f.call(f.this, obj)
			if err != nil {
				panic(err)
			}
			result = v
		})
	})
	if thrown != nil {
		end()
		d.fail(thrown)
		return true
	}
	if _, isObject := result.(*goja.Object); !isObject {
		end()
		return false
	}
	h.Realm.Then(result, func(goja.Value) { end(); d.step() }, func(failure goja.Value) { end(); d.fail(failure) })
	return true
}

// insert copies a stream into the output.
func (d *drive) insert(stream any) {
	h := d.cl.h
	var reader *goja.Object
	if thrown := h.Realm.Try(
		func() { reader = invoke(h.Runtime(), stream.(*goja.Object), "getReader").(*goja.Object) }); thrown != nil {
		d.fail(thrown)
		return
	}
	var next func()
	next = func() {
		d.readFrom(reader, func(data []byte, done bool) {
			if d.over {
				d.forget(h.Realm.Promised(
					func() goja.Value { return invoke(h.Runtime(), reader, "cancel", orUndefined(d.cancelled)) }))
				return
			}
			var err error
			if done {
				err = d.machine.InsertEnd()
			} else {
				err = d.machine.Insert(data)
			}
			switch {
			case err != nil:
				d.refuse(err)
			case done:
				d.step()
			default:
				d.deliver()
				next()
			}
		}, d.fail)
	}
	next()
}

func orUndefined(v goja.Value) goja.Value {
	if v == nil {
		return goja.Undefined()
	}
	return v
}

// deliver hands over what is ready.
func (d *drive) deliver() {
	out := d.machine.Output()
	if len(out) == 0 || d.over {
		return
	}
	invoke(d.cl.h.Runtime(), d.controller, "enqueue", d.cl.h.Realm.Uint8Array(out))
	d.given = d.wanted == nil
	d.resolveWanted()
}

func (d *drive) resolveWanted() {
	if resolve := d.wanted; resolve != nil {
		d.wanted = nil
		resolve()
	}
}

// finish closes the output.
func (d *drive) finish() {
	if d.over {
		return
	}
	d.over = true
	rt := d.cl.h.Runtime()
	invoke(rt, d.controller, "close")
	// A reader that brought a buffer of its own is still waiting for an answer.
	if request, ok := d.controller.Get("byobRequest").(*goja.Object); ok {
		invoke(rt, request, "respond", rt.ToValue(0))
	}
	d.resolveWanted()
}

// refuse fails with an error of the machine.
func (d *drive) refuse(err error) { d.fail(d.cl.h.Realm.TypeError("Parser error: %s", err.Error())) }

// fail ends both sides.
func (d *drive) fail(failure goja.Value) {
	if d.over {
		return
	}
	d.over = true
	invoke(d.cl.h.Runtime(), d.controller, "error", failure)
	d.resolveWanted()
	giveUp := func() { d.forget(d.cancelInput(failure)) }
	if scope := d.cl.h.Loop.Scope(); scope != nil {
		// Writes that were under way when the handler failed still succeed, as on the platform: the writer hears of the
		// failure in a later turn.
		scope.Enter(giveUp)
		return
	}
	giveUp()
}

// forget keeps the rejection of a promise that nobody awaits from being reported.
func (d *drive) forget(promise goja.Value) {
	d.cl.h.Realm.Then(promise, nil, func(goja.Value) {})
}

// invoke calls a method; what it throws is thrown on.
func invoke(rt *goja.Runtime, obj *goja.Object, name string, args ...goja.Value) goja.Value {
	f, ok := goja.AssertFunction(obj.Get(name))
	if !ok {
		panic(rt.NewTypeError("%s is not a function", name))
	}
	v, err := f(obj, args...)
	if err != nil {
		panic(err)
	}
	return v
}

func settle(resolve func(any) error) {
	if err := resolve(goja.Undefined()); err != nil {
		panic(err)
	}
}
