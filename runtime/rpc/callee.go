package rpc

import (
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
)

// Callee serves ops on one value. Loop goroutine only; Serve is called inside the scope.
type Callee struct {
	Kit   *Kit
	Scope *eventloop.Scope
	// Value is what is called: an entrypoint or object instance, an RpcTarget, a function, a plain object.
	Value goja.Value
	// Own says that own properties are reachable, not those of the prototypes (RPC4).
	Own bool
	// Entrypoint reserves the names of event handlers (RPC6).
	Entrypoint bool
	// Handlers, if set, says that the functions of Value are plain handlers, to be given env and ctx (B3).
	Handlers *HandlerArguments
	// Hold keeps the context open while something of a result is still in use. It may be nil.
	Hold func() (release func())
	// Serving keeps the context open while an op is served. It may be nil. Unlike what Hold keeps, an op alone is no
	// reason to expect that anybody outside makes the context go on.
	Serving func() (release func())
	// Track makes ops fail when the scope ends. Callers that see to that themselves leave it false.
	Track bool
	// Called, if set, is called with the arguments before the method is.
	Called func(args []goja.Value)
	// Ended, if set, is called when the op has its result.
	Ended func()
	// ObjectID is the id of the Durable Object that serves, "" for none; failures carry it.
	ObjectID string
	// piped says that Value is a result that has been sent already.
	piped bool
	// opaque says that Value itself can be called, but none of its properties can be reached (RPC5).
	opaque bool
	// inside is set while the user's code runs. An exception of that code is reported; one of the lookup is not (RT14).
	inside bool
}

// HandlerArguments are the last arguments of a plain handler.
type HandlerArguments struct{ Env, Ctx goja.Value }

// Texts of RPC4 to RPC6 and B3.
const (
	errNoMethod   = "The RPC receiver does not implement the method \"%s\"."
	errReserved   = "'%s' is a reserved method and cannot be called over RPC."
	errNoFunction = "\"%s\" is not a function."
	errArity      = "Cannot call handler function \"%s\" over RPC because it has the wrong number of arguments. A " +
		"simple function handler can only be called over RPC if it has exactly the arguments (arg, env, ctx), where " +
		"only the first argument comes from the client. To support multi-argument RPC functions, use class-based " +
		"syntax (extending WorkerEntrypoint) instead."
	errOneArg = "Attempted to call RPC function \"%s\" with the wrong number of arguments. When calling a " +
		"top-level handler function that is not declared as part of a class, you must always send exactly one " +
		"argument. In order to support variable numbers of arguments, the server must use class-based syntax " +
		"(extending WorkerEntrypoint) instead."
)

// serving is one op being served.
type serving struct {
	*Callee
	op     *Op
	params *group
	state  *scopeState
	free   func()
}

// Serve runs an op.
func (c *Callee) Serve(op *Op) {
	c.inside = false
	s := &serving{Callee: c, op: op}
	if c.Track {
		s.state = c.Kit.stateOf(c.Scope)
		s.state.ops[op] = struct{}{}
	}
	if c.Serving != nil {
		s.free = c.Serving()
	}
	var result goja.Value
	if ex := c.Kit.h.Realm.Try(func() { result = s.invoke() }); ex != nil {
		s.throws(ex, c.inside)
		return
	}
	obj, ok := result.(*goja.Object)
	if !ok {
		s.succeed(result)
		return
	}
	var then bool
	if ex := c.Kit.h.Realm.Try(func() { _, then = goja.AssertFunction(obj.Get("then")) }); ex != nil {
		s.throws(ex, true)
		return
	}
	if !then {
		s.succeed(result)
		return
	}
	c.Kit.h.Realm.Then(result, s.succeed, func(ex goja.Value) { s.throws(ex, true) })
}

func (s *serving) invoke() goja.Value {
	if s.op.Again != AgainNothing {
		return s.serveAgain()
	}
	v, this := s.lookup(s.op.Path)
	if s.op.Get {
		return v
	}
	name := strings.Join(s.op.Path, ".")
	if name == "" {
		name = "(this)"
	}
	fn, ok := goja.AssertFunction(v)
	if !ok {
		s.Kit.h.Realm.ThrowType(errNoFunction, name)
	}
	var args []goja.Value
	args, s.params = s.op.arguments(s.Kit)
	if s.Called != nil {
		s.Called(args)
	}
	if s.Handlers != nil {
		if n := max(v.(*goja.Object).Get("length").ToInteger(), 3); n != 3 {
			s.Kit.h.Realm.ThrowType(errArity, name)
		}
		if len(args) != 1 {
			s.Kit.h.Realm.ThrowType(errOneArg, name)
		}
		args = []goja.Value{args[0], s.Handlers.Env, s.Handlers.Ctx}
	}
	s.inside = true
	res, err := fn(this, args...)
	if err != nil {
		panic(s.Kit.h.Realm.ErrorValue(err))
	}
	return res
}

func (s *serving) succeed(v goja.Value) {
	if s.op.Over() {
		s.end()
		return
	}
	r := &OpResult{}
	if s.op.Again != AgainNothing {
		if ex := s.Kit.h.Realm.Try(func() { r = s.remadeResult(v) }); ex != nil {
			s.throws(ex, false)
			return
		}
	} else if !s.op.encoded && small([]goja.Value{v}) {
		if s.op.from == s.Kit || !isString(v) {
			r.value = v
		} else {
			r.value = goja.StringFromUTF16(units(v.(goja.String)))
		}
	} else if ex := s.Kit.h.Realm.Try(func() { r.msg = s.encodeResult(v) }); ex != nil {
		s.throws(ex, false)
		return
	}
	if s.op.answer != nil {
		s.pipeline(v)
	}
	s.finish(r)
}

// encodeResult writes a result; its own disposer is called when the receiver disposes it.
func (s *serving) encodeResult(v goja.Value) *Parcel {
	m := s.Kit.encode(v, &sending{kit: s.Kit, scope: s.Scope, result: true, hold: s.Hold, piped: s.piped})
	obj, ok := v.(*goja.Object)
	if !ok || obj.Prototype() != s.Kit.objectProto {
		return m
	}
	f, ok := goja.AssertFunction(obj.GetSymbol(s.Kit.dispose))
	if !ok {
		return m
	}
	var free func()
	if s.Hold != nil {
		free = s.Hold()
	}
	k, scope, within := s.Kit, s.Scope, s.Kit.h.Loop.Snapshot()
	m.disposer = func() {
		k.h.Loop.Post(func() {
			if free != nil {
				defer free()
			}
			if scope.Closed() {
				return
			}
			scope.EnterNow(func() {
				within(func() {
					k.h.Guard(func() {
						if _, err := f(obj); err != nil {
							panic(err)
						}
					})
				})
			})
		})
	}
	return m
}

// pipeline lets ops on the result go to the value itself.
func (s *serving) pipeline(v goja.Value) {
	on := *s.Callee
	on.Value, on.Handlers, on.Entrypoint, on.Ended, on.piped = v, nil, false, nil, true
	on.Own = true
	if obj, ok := v.(*goja.Object); ok {
		if own, ok := s.Kit.stubType(obj); ok {
			on.Own = own
		} else if _, ours := s.Kit.h.Realm.State(obj).(caller); ours {
			on.Own = false
		} else {
			on.opaque = true
		}
	}
	later := func(op *Op) {
		if !s.Kit.h.Loop.Post(func() {
			if on.Scope.Closed() {
				op.Fail(FailureOf(nil))
				return
			}
			on.Scope.EnterNow(func() { on.Serve(op) })
		}) {
			op.Fail(Disconnected())
		}
	}
	s.op.answer.resolve(on.Serve, later)
}

// throws answers with what was thrown. The user's own errors are reported here, too: the caller may catch them.
func (s *serving) throws(ex goja.Value, report bool) {
	if report && !s.op.Over() {
		s.Kit.h.Report(ex)
	}
	f := s.Kit.Thrown(ex)
	f.ObjectID = s.ObjectID
	s.finish(&OpResult{Failure: f})
}

// finish disposes the arguments' stubs, and sends the result when all that was written before is confirmed (GT7).
func (s *serving) finish(r *OpResult) {
	s.params.dispose()
	s.Scope.Output(func(err error) {
		if err != nil {
			r.release()
			r = &OpResult{Failure: FailureOf(err)}
		}
		s.op.Reply(r)
		s.end()
	})
}

func (s *serving) end() {
	if s.state != nil {
		delete(s.state.ops, s.op)
	}
	if s.free != nil {
		s.free()
		s.free = nil
	}
	if s.Ended != nil {
		s.Ended()
	}
}

func isString(v goja.Value) bool { _, ok := v.(goja.String); return ok }

func units(s goja.String) []uint16 {
	u := make([]uint16, s.Length())
	for i := range u {
		u[i] = s.CharAt(i)
	}
	return u
}
