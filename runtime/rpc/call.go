package rpc

import (
	"slices"

	"github.com/dop251/goja"
)

// Start calls what path names on c, or reads it, and returns an RpcPromise. Every failure is a rejection of it (RPC3).
func (k *Kit) Start(c Client, path []string, get bool, args []goja.Value) goja.Value {
	p, resolve, reject := k.h.Realm.NewPromise()
	op := &Op{Path: path, Get: get, from: k, answer: &Answer{home: c.Home(), scope: k.h.Loop.Scope()},
		Extra: k.h.Enabled(ExtraFlag), Where: k.h.Loop.Origin()}
	out := k.newPromise(k.h.Runtime().ToValue(p), op.answer)
	w := waiter{p, k.h.Realm.State(out).(*promise), resolve, reject}
	if ex := k.h.Realm.Try(func() { k.launch(c, op, args, w) }); ex != nil {
		op.over.Store(true)
		op.answer.over(k.describe(ex))
		must(reject(ex))
	}
	return out
}

// waiter is the promise of a call.
type waiter struct {
	native          *goja.Promise
	shown           *promise
	resolve, reject func(any) error
}

// fail rejects it.
func (w waiter) fail(k *Kit, failure goja.Value) {
	awaited := w.native
	if w.shown.waits != nil {
		awaited = w.shown.waits
	}
	k.h.Loop.Rejecting(awaited, failure)
	must(w.reject(failure))
}

func (k *Kit) launch(c Client, op *Op, args []goja.Value, w waiter) {
	scope := k.h.Scope()
	op.Hops = k.h.Loop.Hops()
	if !op.Get {
		if small(args) && c.Home() == k.h.Loop {
			op.values = slices.Clone(args) // the engine reuses its own slice
		} else {
			op.msg = k.encode(k.h.Runtime().NewArray(anys(args)...), &sending{kit: k, scope: scope})
		}
	}
	// The wait does not hold the clock: the callee may sleep.
	ticket := scope.Within()
	op.reply = func(r *OpResult) {
		if scope.Context().Err() != nil {
			r.release()
		}
		ticket.Return(func() {
			op.answer.over(r.Failure)
			k.settle(r, w)
		})
	}
	scope.Output(func(err error) {
		if err != nil {
			op.Fail(FailureOf(err))
			return
		}
		c.Send(op)
	})
}

func (k *Kit) settle(r *OpResult, w waiter) {
	if r.Failure != nil {
		w.fail(k, k.Value(r.Failure))
		return
	}
	if r.msg == nil {
		must(w.resolve(orUndefined(r.value)))
		return
	}
	v, group, err := k.decode(r.msg)
	if err != nil {
		w.fail(k, k.h.Realm.ErrorValue(err))
		return
	}
	if obj, ok := v.(*goja.Object); ok {
		k.disposable(obj, group)
	}
	must(w.resolve(v))
}

// disposable gives a result its disposer. A stub has one already.
func (k *Kit) disposable(obj *goja.Object, g *group) {
	if _, ok := k.h.Realm.State(obj).(*stub); ok {
		return
	}
	f := k.noDispose
	if !g.empty() {
		f = k.h.Realm.Function("dispose", func(goja.FunctionCall) goja.Value {
			g.dispose()
			return goja.Undefined()
		})
	}
	_ = obj.DefineDataPropertySymbol(k.dispose, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

func orUndefined(v goja.Value) goja.Value {
	if v == nil {
		return goja.Undefined()
	}
	return v
}

func anys(vs []goja.Value) []any {
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = v
	}
	return out
}

// must panics with an error that no script may catch (an interrupt), because it has to end the turn.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
