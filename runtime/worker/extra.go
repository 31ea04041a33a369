package worker

import "github.com/dop251/goja"

// ExtraFlag lets a caller send kinds of events over a service binding or stub that are otherwise the platform's own:
// env.SVC.queue(name, messages) (C-31).
const ExtraFlag = "service_binding_extra_handlers"

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

// ExtraTarget is an object whose one method is the extra handler of that name, bound to target; nil when the flag is
// off or there is no such handler.
func (iso *Isolate) ExtraTarget(name string, target *goja.Object, env, ctx goja.Value) *goja.Object {
	if !iso.Flags.Enabled(ExtraFlag) {
		return nil
	}
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
