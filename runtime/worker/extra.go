package worker

import "github.com/dop251/goja"

// ExtraHandler serves such a call: target is the object whose handlers are meant, args are the caller's. The result is
// the answer, or a promise for it.
type ExtraHandler func(target *goja.Object, env, ctx goja.Value, args []goja.Value) goja.Value

type extraKey struct{}

// SetExtraHandler adds the handler of a name. Only before the script runs.
func (iso *Isolate) SetExtraHandler(name string, h ExtraHandler) {
	m, ok := iso.Value(extraKey{}).(map[string]ExtraHandler)
	if !ok {
		m = map[string]ExtraHandler{}
		iso.SetValue(extraKey{}, m)
	}
	m[name] = h
}

// ExtraTarget is an object whose one method is the extra handler of that name, bound to target; nil when there is no
// such handler. Whoever calls must have the flag [rpc.ExtraFlag].
func (iso *Isolate) ExtraTarget(name string, target *goja.Object, env, ctx goja.Value) *goja.Object {
	m, _ := iso.Value(extraKey{}).(map[string]ExtraHandler)
	h, ok := m[name]
	if !ok {
		return nil
	}
	obj := iso.Runtime().NewObject()
	_ = obj.Set(name, iso.Realm.Function(name, func(fc goja.FunctionCall) goja.Value {
		return h(target, env, ctx, fc.Arguments)
	}))
	return obj
}
