package inspector

import (
	"errors"
	"reflect"
	"strings"

	"github.com/chromedp/cdproto/runtime"
	"github.com/dop251/goja"
)

var errNoObject = errors.New("Could not find object with given id") // V8's text

func init() {
	serves("Runtime.enable", func(c *client, _ *none) (none, error) {
		c.change(func() {
			if !c.looks {
				for _, r := range c.target.realms {
					c.greetLocked(r, true, false)
				}
				for _, line := range c.target.said {
					c.event("Runtime.consoleAPICalled", line.event)
				}
			}
			c.looks = true
		})
		return none{}, nil
	})
	serves("Runtime.disable", func(c *client, _ *none) (none, error) {
		c.change(func() { c.looks = false })
		return none{}, nil
	})
	serves("Runtime.runIfWaitingForDebugger", func(c *client, _ *none) (none, error) {
		c.target.server.release()
		return none{}, nil
	})
	serves("Runtime.getIsolateId", func(c *client, _ *none) (map[string]string, error) {
		return map[string]string{"id": c.target.id}, nil
	})
	serves("Runtime.getHeapUsage", heapUsage)
	serves("Runtime.terminateExecution", func(c *client, _ *none) (none, error) {
		if r := c.target.newest(); r != nil {
			r.iso.Loop.EndTurn()
			r.goOn(stepNone)
		}
		return none{}, nil
	})
	later("Runtime.evaluate", reflect.TypeFor[runtime.EvaluateReturns](), evaluate)
	later("Runtime.callFunctionOn", reflect.TypeFor[runtime.CallFunctionOnReturns](), callFunctionOn)
	later("Runtime.getProperties", reflect.TypeFor[runtime.GetPropertiesReturns](), getProperties)
	later("Runtime.releaseObject", reflect.TypeFor[none](), func(
		c *client, p *runtime.ReleaseObjectParams, done answered) {
		c.objectOf(p.ObjectID, done, func(r *realm, _ kept) {
			delete(r.objects.kept, string(p.ObjectID))
			done(none{}, nil)
		})
	})
	later("Runtime.releaseObjectGroup", reflect.TypeFor[none](), func(
		c *client, p *runtime.ReleaseObjectGroupParams, done answered) {
		c.onRealm(0, done, func(r *realm) {
			r.objects.release(p.ObjectGroup)
			done(none{}, nil)
		})
	})
	later("Runtime.awaitPromise", reflect.TypeFor[runtime.AwaitPromiseReturns](), func(
		c *client, p *runtime.AwaitPromiseParams, done answered) {
		c.objectOf(p.PromiseObjectID, done, func(r *realm, k kept) {
			v, _ := k.value.(goja.Value)
			r.result(v, nil, resultForm{byValue: p.ReturnByValue, preview: p.GeneratePreview, await: true}, done)
		})
	})
	later("Runtime.compileScript", reflect.TypeFor[none](), func(
		c *client, p *runtime.CompileScriptParams, done answered) {
		// A front end asks whether what was typed is whole.
		c.onRealm(p.ExecutionContextID, done, func(r *realm) {
			_, err := asFunction(p.Expression, nil)
			if err == nil {
				done(none{}, nil)
				return
			}
			done(map[string]any{"exceptionDetails": r.details(r.syntaxError(err))}, nil)
		})
	})
	later("Runtime.globalLexicalScopeNames", reflect.TypeFor[none](), func(_ *client, _ *none, done answered) {
		done(map[string]any{"names": []string{}}, nil)
	})
}

// onRealm runs a function on the loop of a context's realm, 0 being the one that pauses, else the newest.
func (c *client) onRealm(context runtime.ExecutionContextID, done answered, f func(r *realm)) {
	r := c.target.pausedRealm()
	if r == nil {
		r = c.target.newest()
	}
	if context != 0 {
		r = c.target.find(func(r *realm) bool { return r.number == int(context) })
	}
	if r == nil || !r.do(func() { answering(done, func() { f(r) }) }) {
		done(nil, errors.New("Cannot find context with specified id")) // V8's text
	}
}

// errTerminated answers what an interrupt has ended: Runtime.terminateExecution, or a limit.
var errTerminated = errors.New("Execution was terminated") // V8's text

// answering runs f, and answers in its place if an interrupt ends it.
func answering(done answered, f func()) {
	whole := false
	defer func() {
		if !whole {
			done(nil, errTerminated)
		}
	}()
	f()
	whole = true
}

// objectOf runs a function with what has an id, on the loop of its realm.
func (c *client) objectOf(id runtime.RemoteObjectID, done answered, f func(r *realm, k kept)) {
	context, _, _ := strings.Cut(string(id), ".")
	n := number(context)
	if n <= 0 {
		done(nil, errNoObject)
		return
	}
	c.onRealm(runtime.ExecutionContextID(n), done, func(r *realm) {
		k, ok := r.objects.kept[string(id)]
		if !ok {
			done(nil, errNoObject)
			return
		}
		f(r, k)
	})
}

// resultForm is how a client wants a value.
type resultForm struct {
	group                   string
	byValue, preview, await bool
}

// result answers with a value, or with what was thrown. Loop goroutine.
func (r *realm) result(v, thrown goja.Value, form resultForm, done answered) {
	if thrown != nil {
		done(map[string]any{"result": r.objects.remote(thrown, form.group, false),
			"exceptionDetails": r.details(thrown)}, nil)
		return
	}
	if promise, ok := v.(*goja.Object); ok && form.await {
		if _, ok := promise.Export().(*goja.Promise); ok {
			form.await = false
			r.iso.Realm.Then(promise, func(v goja.Value) { r.result(v, nil, form, done) },
				func(reason goja.Value) { r.result(nil, reason, form, done) })
			return
		}
	}
	if form.byValue {
		o, failed := r.objects.byValue(v)
		if failed != nil {
			done(nil, errors.New("Object couldn't be returned by value"))
			return
		}
		done(map[string]any{"result": o}, nil)
		return
	}
	done(map[string]any{"result": r.objects.remote(v, form.group, form.preview)}, nil)
}

// details tell of a thrown value.
func (r *realm) details(thrown goja.Value) *runtime.ExceptionDetails {
	r.target.server.mu.Lock()
	r.target.server.exceptions++
	n := r.target.server.exceptions
	r.target.server.mu.Unlock()
	return &runtime.ExceptionDetails{
		ExceptionID: n, Text: "Uncaught", Exception: r.objects.remote(thrown, "", true),
		ExecutionContextID: runtime.ExecutionContextID(r.number),
	}
}

func evaluate(c *client, p *runtime.EvaluateParams, done answered) {
	context := p.ContextID
	if p.UniqueContextID != "" {
		_, n, _ := strings.Cut(p.UniqueContextID, ".")
		context = runtime.ExecutionContextID(number(n))
	}
	c.onRealm(context, done, func(r *realm) {
		v, thrown := r.evaluateGlobally(p.Expression)
		r.result(v, thrown, resultForm{group: p.ObjectGroup, byValue: p.ReturnByValue, preview: p.GeneratePreview,
			await: p.AwaitPromise || p.ReplMode && strings.Contains(p.Expression, "await")}, done)
	})
}

func callFunctionOn(c *client, p *runtime.CallFunctionOnParams, done answered) {
	call := func(r *realm, this goja.Value) {
		args := make([]goja.Value, len(p.Arguments))
		for i, a := range p.Arguments {
			var err error
			if args[i], err = r.argument(a); err != nil {
				done(nil, err)
				return
			}
		}
		v, thrown := r.compiled("(" + p.FunctionDeclaration + "\n)")
		if thrown == nil {
			v, thrown = r.try(func() (goja.Value, error) {
				f, ok := goja.AssertFunction(v)
				if !ok {
					r.iso.Realm.ThrowError("TypeError", "Given expression does not evaluate to a function")
				}
				return f(this, args...)
			})
		}
		r.result(v, thrown, resultForm{group: p.ObjectGroup, byValue: p.ReturnByValue, preview: p.GeneratePreview,
			await: p.AwaitPromise}, done)
	}
	if p.ObjectID == "" {
		c.onRealm(p.ExecutionContextID, done, func(r *realm) { call(r, goja.Undefined()) })
		return
	}
	c.objectOf(p.ObjectID, done, func(r *realm, k kept) {
		switch v := k.value.(type) {
		case goja.Value:
			call(r, v)
		case *scopeRef:
			o := r.rt.NewObject()
			for _, variable := range v.scope.Variables {
				if value, thrown := r.read(v.call, variable.Key); thrown == nil {
					_ = o.Set(variable.Name, value) // a plain object takes it
				}
			}
			call(r, o)
		}
	})
}

func getProperties(c *client, p *runtime.GetPropertiesParams, done answered) {
	c.objectOf(p.ObjectID, done, func(r *realm, k kept) {
		switch v := k.value.(type) {
		case *scopeRef:
			done(map[string]any{"result": r.objects.scopeProperties(v, k.group, p.GeneratePreview)}, nil)
		case *goja.Object:
			list, thrown := r.objects.descriptors(v, p.OwnProperties, p.AccessorPropertiesOnly, k.group,
				p.GeneratePreview)
			out := map[string]any{"result": orEmpty(list)}
			if thrown != nil {
				out["exceptionDetails"] = r.details(thrown)
			} else if !p.AccessorPropertiesOnly {
				out["internalProperties"] = r.objects.internals(v, k.group, p.GeneratePreview)
			}
			done(out, nil)
		default:
			done(map[string]any{"result": []any{}}, nil)
		}
	})
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
