package host_test

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/webapitest"
)

// A lazy global is made once, by the first use, and is an ordinary property from then on. An assignment before the
// first use wins, and makes nothing.
func TestLazy(t *testing.T) {
	made := map[string]int{}
	lazy := func(name string) func(*host.Host) {
		return func(h *host.Host) {
			h.Lazy(name, func() goja.Value { made[name]++; return h.Runtime().ToValue(name + " made") })
		}
	}
	object := func(h *host.Host) {
		h.LazyObject("object", func() goja.Value { made["object"]++; return h.Runtime().ToValue("object made") })
	}
	r := webapitest.New(t, lazy("used"), lazy("assigned"), lazy("untouched"), object)
	r.Expect(`assigned = "mine";
		const d = (name) => Object.entries(Object.getOwnPropertyDescriptor(globalThis, name)).map(
			([k, v]) => k + ":" + v).join();
		return [used, used, assigned, d("used"), d("assigned"),
			"untouched" in globalThis, Object.keys(globalThis).includes("object")].join("|")`,
		"used made|used made|mine|value:used made,writable:true,enumerable:false,configurable:true|"+
			"value:mine,writable:true,enumerable:false,configurable:true|true|true")
	if made["used"] != 1 || made["assigned"] != 0 || made["untouched"] != 0 || made["object"] != 0 {
		t.Errorf("made %v", made)
	}
	r.Expect(`const all = Object.getOwnPropertyDescriptors(globalThis);
		return [all.untouched.value, all.object.value, all.object.enumerable,
			Reflect.getOwnPropertyDescriptor(globalThis, "object").writable,
			Object.getOwnPropertyDescriptor.length, Object.getOwnPropertyDescriptor.name].join("|")`,
		"untouched made|object made|true|true|2|getOwnPropertyDescriptor")
	if made["untouched"] != 1 || made["object"] != 1 {
		t.Errorf("made %v", made)
	}
}

// I/O outside any event is refused with the platform's text; inside one the scope is the current one.
func TestScope(t *testing.T) {
	r := webapitest.New(t)
	r.On(func() {
		if r.Host.Scope() != r.Scope {
			t.Error("not the current scope")
		}
	})
	var thrown goja.Value
	if err := r.Loop.Do(t.Context(), func() { thrown = r.Host.Realm.Try(func() { r.Host.Scope() }) }); err != nil {
		t.Fatal(err)
	}
	if thrown == nil || !strings.Contains(thrown.String(), host.GlobalScopeError) {
		t.Errorf("thrown: %v", thrown)
	}
}

// What a callback throws goes to Uncaught, if there is one, and no further.
func TestGuard(t *testing.T) {
	r := webapitest.New(t)
	r.On(func() {
		r.Host.Guard(func() { r.Host.Realm.ThrowType("late") })
		r.Host.Guard(func() {})
		r.Host.Uncaught = nil
		r.Host.Guard(func() { r.Host.Realm.ThrowType("unheard") })
	})
	if len(r.Uncaught) != 1 || r.Uncaught[0] != "TypeError: late" {
		t.Errorf("uncaught: %q", r.Uncaught)
	}
}

// The zero Host has the machine's sources and no flags; state is kept under keys of their own types.
func TestDefaults(t *testing.T) {
	type one struct{}
	type other struct{}
	var h host.Host
	if h.Rand() != rand.Reader || h.RoundTripper() != http.DefaultTransport || h.Enabled("nodejs_compat") ||
		h.Value(one{}) != nil {
		t.Error("not the defaults")
	}
	seeded := bytes.NewReader([]byte{1})
	h = host.Host{Random: seeded, Flag: func(name string) bool { return name == "nodejs_compat" }}
	h.SetValue(one{}, 1)
	h.SetValue(other{}, 2)
	if h.Rand() != io.Reader(seeded) || !h.Enabled("nodejs_compat") || h.Enabled("rpc") || h.Value(one{}) != 1 ||
		h.Value(other{}) != 2 {
		t.Error("not what was set")
	}
}
