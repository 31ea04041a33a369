package rpc

import (
	"fmt"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/structured"
	"eddy/runtime/webapi/clone"
)

// maxMessage is the limit of RPC12.
const maxMessage = 32 << 20

// Parcel is a value on its way.
type Parcel struct {
	data    []byte
	handles []handle
	// disposer is called when the receiver disposes the value, nil if there is nothing to tell.
	disposer func()
	once     sync.Once
}

// handle is what bytes cannot carry: a Client, a stream.
type handle interface {
	// drop releases the handle, because nobody will receive it.
	drop()
}

type clientHandle struct{ c Client }

func (h clientHandle) drop() { h.c.Release() }

// release drops a message that nobody receives.
func (m *Parcel) release() {
	m.once.Do(func() {
		for _, h := range m.handles {
			h.drop()
		}
		if m.disposer != nil {
			m.disposer()
		}
	})
}

// sending is the context of an encoding for RPC. Hosts of other packages may ask for it with [ForRPC].
type sending struct {
	kit   *Kit
	scope *eventloop.Scope
	// result says that the value is a result, so that stubs in it change hands. Arguments are duplicated if the flag
	// rpc_params_dup_stubs says so.
	result bool
	// piped says that the value was found in a result that has been sent before.
	piped bool
	// hold keeps the context of exported objects open; nil holds nothing.
	hold    func() (release func())
	handles []handle
}

func (s *sending) add(h handle) uint32 {
	s.handles = append(s.handles, h)
	return uint32(len(s.handles) - 1)
}

func (s *sending) transfers() bool {
	return s.result || !s.kit.h.Enabled("rpc_params_dup_stubs")
}

// ForRPC tells whether the context of an encoding is that of an RPC message.
func ForRPC(context any) bool {
	_, ok := context.(*sending)
	return ok
}

// encode writes v as s says; it throws what cannot be cloned (RPC10).
func (k *Kit) encode(v goja.Value, s *sending) *Parcel {
	out, err := clone.Codec(k.h).Encode(v, structured.EncodeOptions{
		RefuseClassInstances: true, EnhancedErrors: k.h.Enabled("enhanced_error_serialization"), Context: s,
	})
	m := &Parcel{data: out.Data, handles: s.handles}
	if err != nil {
		m.release()
		panic(k.h.Realm.ErrorValue(err))
	}
	if len(m.data) > maxMessage {
		m.release()
		k.h.Realm.ThrowError(
			"Error", "%s", fmt.Sprintf("Serialized RPC arguments or return values are limited to 32MiB, but the size "+
				"of this value was: %d bytes.", len(m.data)))
	}
	return m
}

// receiving is the context of a decoding from RPC.
type receiving struct {
	kit     *Kit
	handles []handle
	taken   []bool
	group   *group
}

func (r *receiving) take(i uint32) handle {
	if int(i) >= len(r.handles) || r.taken[i] {
		return nil
	}
	r.taken[i] = true
	return r.handles[i]
}

// group is the stubs of one message.
type group struct {
	stubs    []*stub
	disposer func()
}

func (g *group) empty() bool { return g == nil || len(g.stubs) == 0 && g.disposer == nil }

func (g *group) dispose() {
	if g == nil {
		return
	}
	for _, s := range g.stubs {
		s.dispose()
	}
	g.stubs = nil
	if d := g.disposer; d != nil {
		g.disposer = nil
		d()
	}
}

// decode reads a message; its stubs belong to the current scope.
func (k *Kit) decode(m *Parcel) (goja.Value, *group, error) {
	r := &receiving{
		kit: k, handles: m.handles, taken: make([]bool, len(m.handles)), group: &group{disposer: m.disposer}}
	m.once.Do(func() {})
	v, err := clone.Codec(k.h).Decode(m.data, structured.DecodeOptions{DropErrorStacks: true, Context: r})
	for i, h := range r.handles {
		if !r.taken[i] {
			h.drop()
		}
	}
	if err != nil {
		r.group.dispose()
		return nil, nil, err
	}
	return v, r.group, nil
}

// arguments are the op's arguments on the callee's loop.
func (op *Op) arguments(k *Kit) ([]goja.Value, *group) {
	if op.msg == nil {
		if op.from == k {
			return op.values, nil
		}
		vs := make([]goja.Value, len(op.values))
		for i, v := range op.values {
			vs[i] = foreign(k.h.Runtime(), v)
		}
		return vs, nil
	}
	v, g, err := k.decode(op.msg)
	if err != nil {
		panic(k.h.Realm.ErrorValue(err))
	}
	list := v.(*goja.Object)
	n := int(list.Get("length").ToInteger())
	vs := make([]goja.Value, n)
	for i := range n {
		vs[i] = orUndefined(list.Get(fmt.Sprint(i)))
	}
	return vs, g
}

// foreign turns a primitive of another runtime into one of this runtime.
func foreign(rt *goja.Runtime, v goja.Value) goja.Value {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return v
	}
	return rt.ToValue(v.Export())
}
