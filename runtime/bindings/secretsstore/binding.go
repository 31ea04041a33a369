package secretsstore

import (
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

// adminAPI is the method behind which the reference's stub has what tests need (BIND-32).
const adminAPI = "SecretsStoreSecret::admin_api"

// Binding is a secret of a store: env[Key].
type Binding struct {
	Key, Secret string
	Store       *Store
	// Missing, if set, is called when get() finds no secret, so that somebody can say which command makes it. Loop
	// goroutine.
	Missing func()
	// Read, if set, is told each value before a script gets it. Loop goroutine.
	Read func(value string)
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding]. env[Key] is a service stub, as it is with the reference.
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	type key struct{}
	class, ok := iso.Value(key{}).(*webidl.Interface)
	if !ok {
		class = iso.Realm.Define(webidl.Spec{Name: "SecretsStoreSecret", Members: []webidl.Member{
			webidl.Async("get", (*secret).get),
			webidl.Method(adminAPI, (*secret).admin),
		}})
		iso.SetValue(key{}, class)
	}
	kit := rpc.Of(iso.Host)
	noFetch := rpc.Fail("Handler does not export a fetch() function.").With(func(f *rpc.RemoteError) {
		f.Remote = true
	})
	return kit.NewFetcher(&rpc.Fetcher{
		Client: kit.Resident(class.Wrap(&secret{b, iso})),
		Fetch: func(_ *eventloop.Scope, _ *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
			answer(fetch.TransportAnswer{Failure: kit.Value(noFetch)})
			return nil
		},
	}), nil
}

// secret is the state of a SecretsStoreSecret. Loop goroutine only, but for Store.
type secret struct {
	Binding
	iso *worker.Isolate
}

// request runs work off the loop behind the output gate; the promise is settled with what it returns.
func (s *secret) request(work func() (any, error)) goja.Value {
	failure := func(err error) goja.Value { return s.iso.Realm.NewError("Error", err.Error()) }
	return s.iso.Host.Scope().Request(func() func() (goja.Value, goja.Value) {
		v, err := work()
		return func() (goja.Value, goja.Value) {
			if err != nil {
				return nil, failure(err)
			}
			return s.iso.Runtime().ToValue(v), nil
		}
	}, failure)
}

// get is get(): the value, or an error with the reference's text.
func (s *secret) get(*webidl.Call) goja.Value {
	failure := func(err error) goja.Value { return s.iso.Realm.NewError("Error", err.Error()) }
	return s.iso.Host.Scope().Request(func() func() (goja.Value, goja.Value) {
		value, ok, err := s.Store.Value(s.Secret)
		return func() (goja.Value, goja.Value) {
			if err == nil && !ok {
				if s.Missing != nil {
					s.Missing()
				}
				err = fmt.Errorf("Secret %q not found", s.Secret) //nolint:staticcheck // the reference's text
			}
			if err != nil {
				return nil, failure(err)
			}
			if s.Read != nil {
				s.Read(value)
			}
			return s.iso.Runtime().ToValue(value), nil
		}
	}, failure)
}

// admin makes the object with which tests administer the store.
func (s *secret) admin(*webidl.Call) goja.Value {
	rt := s.iso.Runtime()
	o := rt.NewObject()
	set := func(name string, f func(arg func(int) string) (any, error)) {
		_ = o.Set(name, func(call goja.FunctionCall) goja.Value {
			var args []string
			for _, v := range call.Arguments {
				args = append(args, webidl.ToString(v))
			}
			return s.request(func() (any, error) {
				return f(func(i int) string {
					if i < len(args) {
						return args[i]
					}
					return "undefined"
				})
			})
		})
	}
	set("create", func(arg func(int) string) (any, error) { return s.Store.Create(s.Secret, arg(0)) })
	set("update", func(arg func(int) string) (any, error) { return arg(1), s.Store.Update(arg(1), arg(0)) })
	set("duplicate", func(arg func(int) string) (any, error) { return s.Store.Duplicate(arg(0), arg(1)) })
	set("delete", func(arg func(int) string) (any, error) { return nil, s.Store.Delete(arg(0)) })
	set("get", func(arg func(int) string) (any, error) { return s.Store.Get(arg(0)) })
	set("list", func(func(int) string) (any, error) {
		list, err := s.Store.Secrets()
		keys := make([]any, len(list))
		for i, one := range list {
			keys[i] = map[string]any{"name": one.Name, "metadata": map[string]any{"uuid": one.ID}}
		}
		return keys, err
	})
	return o
}
