package rpc

import (
	"context"

	"eddy/runtime/engine/eventloop"
)

// scopeState is what a scope holds. It is released when the scope ends. Loop goroutine only.
type scopeState struct {
	scope *eventloop.Scope
	stubs map[*stub]struct{}
	ops   map[*Op]struct{} // being served in the scope
}

// stateOf is the state of a scope, made when it is first needed.
func (k *Kit) stateOf(s *eventloop.Scope) *scopeState {
	if st := k.scopes[s]; st != nil {
		return st
	}
	st := &scopeState{scope: s, stubs: map[*stub]struct{}{}, ops: map[*Op]struct{}{}}
	if s.Closed() {
		return st
	}
	k.scopes[s] = st
	s.OnClose(func() { k.ended(st) })
	context.AfterFunc(s.Context(), func() {
		if !k.h.Loop.Post(func() { k.ended(st) }) {
			return // the isolate is gone, and with it everything that could be told
		}
	})
	return st
}

// ended releases everything that the scope held, when it is closed or its context ends, whatever comes first.
func (k *Kit) ended(st *scopeState) {
	if k.scopes[st.scope] != st {
		return
	}
	delete(k.scopes, st.scope)
	failure := FailureOf(context.Cause(st.scope.Context()))
	for op := range st.ops {
		op.Fail(failure)
	}
	for s := range st.stubs {
		s.dispose()
		s.client = foreignTo("Client")
	}
}

// Expect makes an op fail if the scope ends before the op is served, because it waits at the input gate.
func (k *Kit) Expect(s *eventloop.Scope, op *Op) { k.stateOf(s).ops[op] = struct{}{} }
