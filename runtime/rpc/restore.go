package rpc

import (
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/webapi/fetch"
)

// Texts of BIND-161.
const (
	errNoRestore = "The WorkerEntrypoint or DurableObject class does not implement a [restore]() method."
	errNoStub    = "The [restore]() method must return a ServiceStub or RpcStub."
	errNoSelf    = "ctx.restore() cannot be used in this context because the system does not know how to restore " +
		"this context itself, in order to be able to invoke its [restore]() method. This may happen if the current " +
		"worker is a Dynamic Worker or a Durable Object Facet (or both), and the immediate caller did not specify " +
		"how to restore it. To fix this, ensure that the caller of this Worker uses a stub that was created via its " +
		"own context.restore()."
	errNowStub = "The [restore]() method originally returned a ServiceStub, but on replay it returned an RpcStub " +
		"instead. It must always return the same type."
	errNowService = "The [restore]() method originally returned an RpcStub, but on replay it returned a ServiceStub " +
		"instead. It must always return the same type."
)

// Again says what an op asks the target's [restore]() method for, instead of calling what its path names.
type Again byte

// What is to be made again.
const (
	AgainNothing Again = iota
	AgainService
	AgainStub
)

// RestoreSymbol is restore of cloudflare:workers, by which the method that makes stubs again is found.
func (k *Kit) RestoreSymbol() *goja.Symbol { return k.restore }

// Restore is ctx.restore(params) of an entrypoint or an object: the stub that target's [restore]() method makes of
// params. It can be stored, and is made again of params when it is loaded. self gives the token of target, nil if there
// is none; hold keeps its context open. The result is a promise of the stub.
func (k *Kit) Restore(target goja.Value, params *goja.Object, self func() *Token, hold func() func()) goja.Value {
	encoded := k.EncodeProps(params)
	p, resolve, reject := k.h.Runtime().NewPromise()
	fail := func(v goja.Value) { must(reject(v)) }
	k.h.Realm.Then(k.callRestore(target, params), func(v goja.Value) {
		var stub *goja.Object
		if ex := k.h.Realm.Try(func() { stub = k.lasting(v, encoded, self(), hold) }); ex != nil {
			fail(ex)
			return
		}
		must(resolve(stub))
	}, fail)
	return k.h.Runtime().ToValue(p)
}

func (k *Kit) callRestore(target goja.Value, params goja.Value) goja.Value {
	obj, _ := target.(*goja.Object)
	var fn goja.Callable
	if obj != nil {
		fn, _ = goja.AssertFunction(obj.GetSymbol(k.restore))
	}
	if fn == nil {
		k.h.Realm.ThrowType("%s", errNoRestore)
	}
	v, err := fn(obj, params)
	if err != nil {
		panic(k.h.Realm.ErrorValue(err))
	}
	return v
}

// restored is what a [restore]() method has returned: exactly one of the two is set. hold keeps the context open in
// which it was made.
func (k *Kit) restored(v goja.Value, hold func() func()) (*Fetcher, Client) {
	obj, ok := v.(*goja.Object)
	if !ok {
		k.h.Realm.ThrowType("%s", errNoStub)
	}
	switch s := k.h.Realm.State(obj).(type) {
	case fetcherState:
		return s.Base(), nil
	case *stub:
		c := s.usable(k)
		if taken := s.take(); taken != nil {
			c = taken
		}
		k.adopt(c, hold)
		return nil, c
	}
	if obj.Prototype() == k.objectProto || !k.isTarget(obj) && !k.isFunction(obj) {
		k.h.Realm.ThrowType("%s", errNoStub)
	}
	return nil, k.export(obj, !k.isTarget(obj), hold)
}

// lasting makes the stub of ctx.restore().
func (k *Kit) lasting(v goja.Value, params []byte, self *Token, hold func() func()) *goja.Object {
	f, c := k.restored(v, hold)
	if self == nil {
		if c != nil {
			c.Release()
		}
		k.h.Realm.ThrowError("Error", "%s", errNoSelf)
	}
	t := &Token{Origin: self, Params: params, RPCStub: f == nil, Lasting: k.h.Enabled(StoreFlag)}
	if f == nil {
		s := k.newStub(c)
		s.token = t
		return s.object
	}
	return k.NewFetcher(&Fetcher{Client: chained{f.Client, t}, Fetch: f.Fetch, Token: t})
}

// chained tells the target of a restored service stub how it was come by, so that it can use ctx.restore() itself.
type chained struct {
	Client
	self *Token
}

// Send implements [Client].
func (c chained) Send(op *Op) {
	op.Self = c.self
	c.Client.Send(op)
}

// Dup implements [Client].
func (c chained) Dup() Client { return chained{c.Client.Dup(), c.self} }

// ask sends the op that makes a stub again. Loop goroutine, in a scope; reply is called on any goroutine.
func (k *Kit) ask(t *Token, what Again, reply func(*OpResult)) {
	origin := k.StubOf(t.Origin)
	if origin == nil {
		reply(&OpResult{Failure: Fail(errElsewhere)})
		return
	}
	op := &Op{Again: what, from: k, Hops: k.h.Loop.Hops(), Where: k.h.Loop.Origin(), Stored: t.Stored,
		msg: &Parcel{data: t.Params}, reply: reply}
	k.h.Scope().Output(func(err error) {
		if err != nil {
			op.Fail(FailureOf(err))
			return
		}
		origin.Client.Send(op)
	})
}

// again is the Client of an RpcStub that is being made again; what is called meanwhile waits, in its order.
func (k *Kit) again(t *Token) Client {
	c := &awaited{}
	c.mu.refs = 1
	k.ask(t, AgainStub, func(r *OpResult) {
		switch {
		case r.Failure != nil:
			c.settle(Broken{r.Failure})
		case r.msg == nil || len(r.msg.handles) != 1:
			r.release()
			c.settle(Broken{Fail(errNoStub)})
		default:
			r.msg.once.Do(func() {})
			if got := goodOf(r.msg.handles[0]); got.Client != nil {
				c.settle(got.Client)
				return
			}
			r.msg.handles[0].drop()
			c.settle(Broken{Fail(errNoStub)})
		}
	})
	return c
}

// awaited is a Client that is not there yet. Any goroutine.
type awaited struct {
	answer Answer
	mu     struct { // guards all below
		sync.Mutex
		client Client
		refs   int
	}
}

// Send implements [Client].
func (a *awaited) Send(op *Op) { a.answer.Send(op) }

// settle says where ops go: first those that wait, in their order.
func (a *awaited) settle(c Client) {
	a.answer.resolve(c.Send, c.Send)
	a.mu.Lock()
	a.mu.client = c
	gone := a.mu.refs == 0
	a.mu.Unlock()
	if gone {
		c.Release()
	}
}

// Dup implements [Client].
func (a *awaited) Dup() Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mu.refs++
	return a
}

// Release implements [Client].
func (a *awaited) Release() {
	a.mu.Lock()
	a.mu.refs--
	c := a.mu.client
	gone := a.mu.refs == 0
	a.mu.Unlock()
	if gone && c != nil {
		c.Release()
	}
}

// Home implements [Client]: where the target lives is not known before it is there.
func (a *awaited) Home() *eventloop.Loop { return nil }

// remade is a service stub that is made again when it is first used. Loop goroutine only.
type remade struct {
	kit   *Kit
	token *Token
	base  *Fetcher // once it is there
	asked bool
	// waiting is told of base, or why there is none, which is not remembered: the next use asks again.
	waiting []func(*Fetcher, *RemoteError)
}

// remake makes the service stub that a token of ctx.restore() names.
func (k *Kit) remake(t *Token) *goja.Object {
	m := &remade{kit: k, token: t}
	return k.NewFetcher(&Fetcher{Client: m, Fetch: m.fetch, Token: t})
}

func (m *remade) then(f func(*Fetcher, *RemoteError)) {
	if m.base != nil {
		f(m.base, nil)
		return
	}
	m.waiting = append(m.waiting, f)
	if m.asked {
		return
	}
	m.asked = true
	k := m.kit
	ticket := k.h.Scope().Within()
	k.ask(m.token, AgainService, func(r *OpResult) {
		ticket.Return(func() {
			base, failure := k.serviceOf(r)
			m.base, m.asked = base, false
			waiting := m.waiting
			m.waiting = nil
			for _, f := range waiting {
				f(base, failure)
			}
		})
	})
}

// serviceOf is the service stub that came as a result.
func (k *Kit) serviceOf(r *OpResult) (*Fetcher, *RemoteError) {
	switch {
	case r.Failure != nil:
		return nil, r.Failure
	case r.service != nil:
		return r.service, nil
	case r.msg == nil:
		return nil, Fail(errNoStub)
	}
	v, group, err := k.decode(r.msg)
	if err != nil {
		return nil, Fail(err.Error())
	}
	group.dispose()
	if f, ok := k.FetcherOf(v); ok {
		return f, nil
	}
	return nil, Fail(errNoStub)
}

// Send implements [Client].
func (m *remade) Send(op *Op) {
	op.Self = m.token
	m.then(func(f *Fetcher, failure *RemoteError) {
		if failure != nil {
			op.Fail(failure)
			return
		}
		f.Client.Send(op)
	})
}

func (m *remade) fetch(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
	canceled, cancel := false, func() {}
	m.then(func(f *Fetcher, failure *RemoteError) {
		if canceled {
			return
		}
		if failure != nil {
			answer(fetch.TransportAnswer{Failure: m.kit.Value(failure)})
			return
		}
		if c := f.Fetch(scope, q, answer); c != nil {
			cancel = c
		}
	})
	return func() { canceled = true; cancel() }
}

// Dup implements [Client].
func (m *remade) Dup() Client { return m }

// Release implements [Client].
func (m *remade) Release() {}

// Home implements [Client]: where the target lives is not known before it is there.
func (m *remade) Home() *eventloop.Loop {
	if m.base != nil {
		return m.base.Client.Home()
	}
	return nil
}

// serveAgain makes a stub again, on the side that has the [restore]() method.
func (s *serving) serveAgain() goja.Value {
	k := s.Kit
	if s.op.msg == nil {
		k.h.Realm.ThrowType("%s", errNoStub)
	}
	params := k.DecodeProps(s.op.msg.data)
	s.inside = true
	return k.callRestore(s.Value, params)
}

// remadeResult is the result of such an op. It throws if the method has returned something of another kind.
func (s *serving) remadeResult(v goja.Value) *OpResult {
	f, c := s.Kit.restored(v, s.Hold)
	switch {
	case f == nil && s.op.Again == AgainService:
		c.Release()
		s.Kit.h.Realm.ThrowType(errNowStub)
	case f != nil && s.op.Again == AgainStub:
		s.Kit.h.Realm.ThrowType(errNowService)
	case f == nil:
		return &OpResult{msg: &Parcel{handles: []handle{clientHandle{c}}}}
	case s.op.from == s.Kit && !s.op.encoded:
		return &OpResult{service: f}
	}
	return &OpResult{msg: s.encodeResult(v)}
}
