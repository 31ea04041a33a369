package worker

import (
	_ "embed"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
)

// baseClasses are the classes that users extend. They are plain classes, so that what a subclass inherits and what
// typeof and instanceof say is as on the platform.
type baseClasses struct {
	durableObject, workerEntrypoint, workflowEntrypoint *goja.Object
	namespace                                           *goja.Object
}

// baseName is that of base.js in stacks.
const baseName = "cloudflare:workers"

//go:embed base.js
var baseSource string

type envKey struct{}
type exportsKey struct{}

// defineBases makes the members of cloudflare:workers that need no other package.
func (iso *Isolate) defineBases() error {
	rt := iso.Runtime()
	// with runs f with an async variable bound, for withEnv and withExports.
	with := func(key any) func(goja.FunctionCall) goja.Value {
		return func(fc goja.FunctionCall) goja.Value {
			f, ok := goja.AssertFunction(fc.Argument(1))
			if !ok {
				iso.Realm.ThrowType("The second argument must be a function.")
			}
			var res goja.Value
			var err error
			iso.Loop.WithVariable(key, fc.Argument(0), func() { res, err = f(goja.Undefined()) })
			if err != nil {
				panic(err)
			}
			return res
		}
	}
	face := rt.NewObject()
	set := func(name string, f func(goja.FunctionCall) goja.Value) {
		_ = face.Set(name, iso.Realm.Function(name, f))
	}
	set("env", func(goja.FunctionCall) goja.Value {
		if v := iso.Loop.Variable(envKey{}); replaces(v) {
			return v
		}
		if iso.env == nil {
			return rt.NewObject()
		}
		return iso.env
	})
	set("exports", func(goja.FunctionCall) goja.Value {
		if v := iso.Loop.Variable(exportsKey{}); replaces(v) {
			return v
		}
		return iso.CtxExports()
	})
	set("abortIsolate", iso.abortIsolate)
	set("cache", func(goja.FunctionCall) goja.Value { return iso.moduleCache() })
	set("tracing", func(goja.FunctionCall) goja.Value { return iso.tracingObject() })
	set("withEnv", with(envKey{}))
	set("withExports", with(exportsKey{}))
	set("waitUntil", func(fc goja.FunctionCall) goja.Value {
		if s := iso.Loop.Scope(); s != nil {
			// An invocation, or a Durable Object.
			if owner, ok := s.Owner.(interface{ WaitUntil(goja.Value) }); ok {
				owner.WaitUntil(fc.Argument(0))
				return goja.Undefined()
			}
		}
		iso.Realm.ThrowError("Error", "%s", host.GlobalScopeError)
		return nil
	})
	res, err := iso.Internal(baseName, baseSource, face)
	if err != nil {
		return err
	}
	ns := res.ToObject(rt)
	iso.bases = baseClasses{
		durableObject:      ns.Get("DurableObject").ToObject(rt),
		workerEntrypoint:   ns.Get("WorkerEntrypoint").ToObject(rt),
		workflowEntrypoint: ns.Get("WorkflowEntrypoint").ToObject(rt),
		namespace:          ns,
	}
	return nil
}

// replaces tells whether a value given to withEnv or withExports takes the place of the whole object. Objects do; null
// and undefined do, as an empty object; other values change nothing.
func replaces(v goja.Value) bool {
	if v == nil {
		return false
	}
	_, isObject := v.(*goja.Object)
	return isObject || goja.IsNull(v) || goja.IsUndefined(v)
}

// workersModule is cloudflare:workers; packages above add to it with AddToWorkersModule.
func workersModule(iso *Isolate) (*goja.Object, error) { return iso.bases.namespace, nil }

// AddToWorkersModule adds an export to cloudflare:workers (RpcTarget, RpcStub …). Only before the script runs.
func (iso *Isolate) AddToWorkersModule(name string, v goja.Value) {
	_ = iso.bases.namespace.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// DurableObjectClass, WorkerEntrypointClass and WorkflowEntrypointClass are the base classes of cloudflare:workers.
func (iso *Isolate) DurableObjectClass() *goja.Object { return iso.bases.durableObject }

// WorkerEntrypointClass is the base class of entrypoints.
func (iso *Isolate) WorkerEntrypointClass() *goja.Object { return iso.bases.workerEntrypoint }

// WorkflowEntrypointClass is the base class of Workflows.
func (iso *Isolate) WorkflowEntrypointClass() *goja.Object { return iso.bases.workflowEntrypoint }

// Extends tells whether class is base or a subclass of it.
func (iso *Isolate) Extends(class *goja.Object, base *goja.Object) bool {
	for c := class; c != nil; c = c.Prototype() {
		if c == base {
			return true
		}
	}
	return false
}
