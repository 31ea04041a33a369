package testrun

import (
	_ "embed"
	"time"

	"github.com/dop251/goja"

	"eddy/queues/queuejs"
	"eddy/runtime/session"
	"eddy/runtime/worker"
	"eddy/workflows/workflowjs"
)

//go:embed fetchmock.js
var fetchMockSource string

//go:embed cloudflaretest.js
var cloudflareTestSource string

// cloudflareTest makes the module cloudflare:test of the file's isolate. s is set when the session is up.
func (f *fileRun) cloudflareTest(s *sessionOf) worker.Module {
	return func(iso *worker.Isolate) (*goja.Object, error) {
		rt := iso.Runtime()
		queues, err := queuejs.TestModule(iso)
		if err != nil {
			return nil, err
		}
		flows, err := workflowjs.TestModule(iso)
		if err != nil {
			return nil, err
		}
		host := rt.NewObject()
		set := func(name string, fn func(fc goja.FunctionCall) goja.Value) {
			_ = host.Set(name, iso.Realm.Function(name, fn))
		}
		_ = host.Set("env", iso.Env())
		_ = host.Set("main", f.run.entry)
		set("exports", func(goja.FunctionCall) goja.Value { return iso.CtxExports() })
		set("loadEntry", func(goja.FunctionCall) goja.Value { return f.modules(iso, "loadEntry") })
		set("entryHasRun", func(goja.FunctionCall) goja.Value { return f.modules(iso, "entryHasRun") })
		set("limit", func(fc goja.FunctionCall) goja.Value { return f.lateness(iso, fc.Argument(0).ToInteger()) })
		set("clear", func(goja.FunctionCall) goja.Value {
			return iso.Loop.Scope().Promise(func() func() (goja.Value, goja.Value) {
				err := s.ClearStores()
				return func() (goja.Value, goja.Value) {
					if err != nil {
						return nil, iso.Realm.ErrorValue(err)
					}
					return goja.Undefined(), nil
				}
			})
		})
		getter := rt.ToValue(func(goja.FunctionCall) goja.Value { return s.objects(iso) })
		_ = host.DefineAccessorProperty("objects", getter, nil, goja.FLAG_FALSE, goja.FLAG_TRUE)
		fetchMock, err := iso.Internal("fetchMock", fetchMockSource)
		if err != nil {
			return nil, err
		}
		_ = host.Set("fetchMock", fetchMock)
		ns, err := iso.Internal("cloudflare:test in tests", cloudflareTestSource, host, queues, flows)
		if err != nil {
			return nil, err
		}
		return ns.ToObject(rt), nil
	}
}

// lateness is {promise, stop}: a promise that resolves after a while of real time.
func (f *fileRun) lateness(iso *worker.Isolate, ms int64) goja.Value {
	rt := iso.Runtime()
	p, resolve, _ := rt.NewPromise()
	stop := f.limit(time.Duration(ms)*time.Millisecond, func() { _ = resolve(goja.Undefined()) }, func(string, any) {})
	out := rt.NewObject()
	_ = out.Set("promise", p)
	_ = out.Set("stop", iso.Realm.Function("stop", func(goja.FunctionCall) goja.Value {
		stop()
		return goja.Undefined()
	}))
	return out
}

// sessionOf is the session of a file, known when it has started.
type sessionOf struct {
	*session.Session
	helpers *goja.Object
}

func (s *sessionOf) objects(iso *worker.Isolate) *goja.Object {
	if s.helpers == nil {
		s.helpers = s.ObjectHelpers(iso)
	}
	return s.helpers
}
