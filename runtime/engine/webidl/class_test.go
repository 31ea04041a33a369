package webidl

import (
	"strings"
	"testing"

	"github.com/dop251/goja"
)

type counter struct{ n int }

func newRealm(t *testing.T) *Realm {
	t.Helper()
	r := NewRealm(goja.New())
	r.Define(Spec{
		Name: "Counter",
		New:  func(c *Call) any { return &counter{n: int(c.Realm().Int32(c.Arg(0)))} },
		Members: []Member{
			Method("add", func(s *counter, c *Call) goja.Value {
				s.n += int(c.Realm().Int32(c.Require(0, "number")))
				return c.Value(s.n)
			}),
			Method("text", func(s *counter, c *Call) goja.Value {
				return c.Value([]string{c.String(0), c.USVString(0), c.ByteString(0)})
			}),
			Async("later", func(s *counter, c *Call) goja.Value { return c.Value(s.n) }),
			Getter("n", func(s *counter, c *Call) goja.Value { return c.Value(s.n) }),
			Const("LIMIT", 7),
		},
	}).Install()
	r.Define(Spec{Name: "Hidden"}).Install()
	return r
}

// P-1 (class shape), P-2 (no synchronous throw), P-29 (int32).
func TestClassShape(t *testing.T) {
	r := newRealm(t)
	for _, c := range []struct{ js, want string }{
		{`new Counter(1.9).add(2)`, "3"},
		{`Object.prototype.toString.call(new Counter)`, "[object Counter]"},
		{`Reflect.ownKeys(new Counter).length`, "0"},
		{`Object.getOwnPropertySymbols(new Counter).length`, "0"},
		{`Object.getOwnPropertySymbols({...new Counter}).length + ` +
			`Reflect.ownKeys(Object.getOwnPropertyDescriptors(new Counter)).length`, "0"},
		{`[Object.getOwnPropertySymbols, Reflect.ownKeys, Object.getOwnPropertyDescriptors].map(f => ` +
			`f.length).join()`, "1,1,1"},
		{`Counter.name + Counter.length + Counter.prototype.add.length + Counter.prototype.add.name`, "Counter00add"},
		{`Object.keys(Counter.prototype).join()`, "add,text,later,n,LIMIT"},
		{`Counter.LIMIT + new Counter().LIMIT`, "14"},
		{`class C2 extends Counter {}; new C2(5).add(1) + "," + (new C2 instanceof Counter)`, "6,true"},
		{`class C3 extends Counter { #p = 4; a = 1; get p() { return this.#p + this.a + this.n } }; new C3(5).p`, "10"},
		{`function F() {}; F.prototype = 1; Object.getPrototypeOf(Reflect.construct(Counter, [], F)) === ` +
			`Object.prototype`, "true"},
		{`function G() {}; const g = Reflect.construct(Counter, [3], G); [g instanceof G, g instanceof Counter, ` +
			`Counter.prototype.add.call(g, 1)].join()`, "true,false,4"},
		{`const order = []; Reflect.construct(Counter, [{ valueOf() { order.push("argument"); return 1 } }], ` +
			`new Proxy(Counter, { get(t, p) { order.push(p); return t[p] } })); order.join()`, "prototype,argument"},
		{`const c = new Counter; c.own = 1; Object.defineProperty(c, "two", { value: 2 }); [Object.keys(c), c.own, ` +
			`c.two, delete c.own, "own" in c, new WeakMap([[c, 3]]).get(c), Object.isFrozen(Object.freeze(c))].join()`,
			"own,1,2,true,false,3,true"},
		{`Object.keys(globalThis).includes("Counter")`, "false"},
		{`try { Counter.call({}) } catch (e) { e.constructor.name }`, "TypeError"},
		{`try { new Hidden } catch (e) { e.name + ": " + e.message }`, "TypeError: Illegal constructor"},
		{`[Symbol("s"), {toString: () => Symbol.iterator}, {[Symbol.toPrimitive]: () => Symbol("s")}].map(v => { ` +
			`try { return new Counter().text(v) } catch (e) { return String(e) } }).join()`,
			strings.TrimSuffix(strings.Repeat("TypeError: Cannot convert a Symbol value to a string,", 3), ",")},
		{`[null, true, 1.5, undefined, [2]].map(v => new Counter().text(v).join("|")).join()`,
			"null|null|null,true|true|true,1.5|1.5|1.5,undefined|undefined|undefined,2|2|2"},
		{`try { (0, new Counter().add)(1) } catch (e) { e.message }`, IllegalInvocation},
		{`const t = []; for (const o of [{...new Counter}, Object.create(new Counter), new Proxy(new Counter, {get: ` +
			`(o, k) => t.push(k)}), Counter.prototype]) { try { Counter.prototype.add.call(o, 1) } catch (e) { ` +
			`t.push(e.message === "` + IllegalInvocation + `") } } t.join()`, "true,true,true,true"},
		{`Object.assign(new Counter(4), new Counter(5)).n`, "4"},
		{`try { new Counter().add() } catch (e) { e.message }`,
			"Failed to execute 'add' on 'Counter': parameter 1 is not of type 'number'."},
		{`try { new Counter(2**40) } catch (e) { e.message }`,
			"Value out of range. Must be between -2147483648 and 2147483647 (inclusive)."},
		{`(0, new Counter().later)() instanceof Promise`, "true"},
	} {
		v, err := r.rt.RunString(c.js)
		if err != nil {
			t.Errorf("%s: %v", c.js, err)
		} else if v.String() != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.js, v, c.want)
		}
	}
}

func TestDOMException(t *testing.T) {
	r := newRealm(t)
	_ = r.rt.Set("made", r.DOMException("DataCloneError", "no"))
	for _, c := range []struct{ js, want string }{
		{`var e = new DOMException("m", "AbortError"); [e.name, e.message, e.code, e instanceof Error, ` +
			`e instanceof DOMException, String(e)].join()`, "AbortError,m,20,true,true,AbortError: m"},
		{`typeof made.stack + made.code + made.DATA_CLONE_ERR`, "string2525"},
		{`new DOMException().name + new DOMException("x", {name: "A", cause: 3}).cause`, "Error3"},
	} {
		v, err := r.rt.RunString(c.js)
		if err != nil {
			t.Errorf("%s: %v", c.js, err)
		} else if v.String() != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.js, v, c.want)
		}
	}
}

func TestBufferViews(t *testing.T) {
	r := newRealm(t)
	for _, c := range []struct{ js, kind, bytes string }{
		{`new Uint8Array([97,98,99,100]).subarray(1,3)`, "Uint8Array", "bc"},
		{`new DataView(new Uint8Array([97,98,99]).buffer, 2)`, "DataView", "c"},
		{`new Uint8Array([97,98]).buffer`, "ArrayBuffer", "ab"},
		{`new Uint16Array([0x6261])`, "Uint16Array", "ab"},
	} {
		v, err := r.rt.RunString(c.js)
		if err != nil {
			t.Fatal(err)
		}
		view, ok := r.BufferView(v)
		if !ok || view.Kind != c.kind || string(view.Bytes()) != c.bytes {
			t.Errorf("%s: %v %q %q", c.js, ok, view.Kind, view.Bytes())
		}
	}
	if _, ok := r.BufferView(r.rt.ToValue("x")); ok {
		t.Error("a string is no buffer")
	}
}

func BenchmarkMethodCall(b *testing.B) {
	r := NewRealm(goja.New())
	r.Define(Spec{Name: "Counter", New: func(*Call) any { return &counter{} }, Members: []Member{
		Method("add", func(s *counter, c *Call) goja.Value { s.n++; return nil }),
	}}).Install()
	v, err := r.rt.RunString(`(function(n) { const c = new Counter; for (let i = 0; i < n; i++) c.add() })`)
	if err != nil {
		b.Fatal(err)
	}
	f, _ := goja.AssertFunction(v)
	b.ReportAllocs()
	if _, err := f(nil, r.rt.ToValue(b.N)); err != nil {
		b.Fatal(err)
	}
}

// An instance is one allocation beside its state and the map of its properties, and a getter's call none.
func TestInstanceAllocations(t *testing.T) {
	r := newRealm(t)
	c := r.Define(Spec{Name: "Plain", New: func(*Call) any { return r },
		Members: []Member{Getter("self", func(_ *Realm, c *Call) goja.Value { return c.This })}})
	n, _ := r.in.Native(c.Constructor)
	if got := testing.AllocsPerRun(100, func() { (*n.Construct)(nil, nil) }); got > 3 { // the Call is the third
		t.Errorf("new takes %v allocations", got)
	}
	instance := c.Wrap(r)
	if got := testing.AllocsPerRun(100, func() { c.Wrap(r) }); got > 2 {
		t.Errorf("Wrap takes %v allocations", got)
	}
	getter := instance.Get("self")
	if got := testing.AllocsPerRun(100, func() { getter = instance.Get("self") }); got > 0 || getter != instance {
		t.Errorf("a getter takes %v allocations, and returns %v", got, getter)
	}
}
