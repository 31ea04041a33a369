package gojainternals

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// heard is a runtime, whose functions call say, and what they have said.
func heard(t *testing.T, source string) (l *Layout, rt *goja.Runtime, at func(name string) *goja.Object,
	said func() string) {
	t.Helper()
	l = layout(t)
	rt = goja.New()
	var list []string
	say := func(v string) { list = append(list, v) }
	if err := rt.Set("say", say); err != nil {
		t.Fatal(err)
	}
	p := goja.MustCompile("a.js", source, true)
	prepared(l, rt, p, true)
	if _, err := rt.RunProgram(p); err != nil {
		t.Fatal(err)
	}
	said = func() string {
		text := strings.Join(list, " ")
		list = nil
		return text
	}
	return l, rt, func(name string) *goja.Object { return rt.Get(name).ToObject(rt) }, said
}

// A promise that Go settles is the runtime's own, whatever it is settled with.
func TestNewPromise(t *testing.T) {
	l, rt, at, said := heard(t, `var watch = (p) => {
		say(String(p instanceof Promise && p.constructor === Promise));
		p.then((v) => say("value " + v), (e) => say("error " + e)).finally(() => say("f")) };
		var thenable = { then(yes) { yes("thenable") } }, broken = { get then() { throw "getter" } };
		var rejected = Promise.reject("r"), plain = { toString: () => "plain" }; rejected.catch(() => {})`)
	watch, _ := goja.AssertFunction(at("watch"))
	for _, c := range []struct {
		v       goja.Value
		rejects bool
		want    string
	}{
		{rt.ToValue(1), false, "true value 1 f"},
		{rt.ToValue(2), true, "true error 2 f"},
		{at("plain"), false, "true value plain f"},
		{at("thenable"), false, "true value thenable f"},
		{at("thenable"), true, "true error [object Object] f"},
		{at("broken"), false, "true error getter f"},
		{at("rejected"), false, "true error r f"},
	} {
		p := l.NewPromise(rt)
		if _, err := watch(goja.Undefined(), p); err != nil {
			t.Fatal(err)
		}
		l.Settle(rt, p, c.rejects, c.v)
		if got := said(); got != c.want {
			t.Errorf("said %q, want %q", got, c.want)
		}
	}
	p := l.NewPromise(rt)
	l.Settle(rt, p, false, p)
	if got := p.Export().(*goja.Promise); got.State() != goja.PromiseStateRejected {
		t.Errorf("a promise of itself is %v", got.Result())
	}
}

// Microtasks come when the turn's function has ended, and what an async function gives back is its promise.
func TestTurn(t *testing.T) {
	l, rt, at, said := heard(t, `
		var o = { async m(a, b) { say("begins " + this.name + a + b); await 0; say("goes on"); return a + b },
				name: "o" },
			arrow = async (a) => { say("arrow " + a); return { then: (yes) => { say("asked"); yes(a) } } },
			throws = async function () { say("throws"); throw "thrown" },
			waits = async () => { const v = await throws().catch((e) => e); await arrow(1); say("after " + v) },
			plain = () => { Promise.resolve().then(() => say("micro")); say("plain") };
		var m = o.m, watch = (p) => p.then((v) => say("value " + v), (e) => say("error " + e))`)
	watch, _ := goja.AssertFunction(at("watch"))
	for _, c := range []struct{ name, want string }{
		{"m", "begins o12 end goes on value 3"},
		{"arrow", "arrow 1 end asked value 1"},
		{"throws", "throws end error thrown"},
		{"waits", "throws end arrow 1 asked after thrown value undefined"},
	} {
		l.Turn(rt, func() {
			p, ok := l.CallAsync(rt, at(c.name), at("o"), rt.ToValue(1), rt.ToValue(2))
			if !ok {
				t.Fatalf("%s is no async function", c.name)
			}
			if _, err := watch(goja.Undefined(), p); err != nil {
				t.Fatal(err)
			}
			_ = rt.Get("say").ToObject(rt)
			say, _ := goja.AssertFunction(rt.Get("say"))
			if _, err := say(goja.Undefined(), rt.ToValue("end")); err != nil {
				t.Fatal(err)
			}
		})
		if got := said(); got != c.want {
			t.Errorf("%s: said %q, want %q", c.name, got, c.want)
		}
	}
	l.Turn(rt, func() {
		plain, _ := goja.AssertFunction(at("plain"))
		if _, ok := l.CallAsync(rt, at("plain"), goja.Undefined()); ok {
			t.Error("a function that is not async was called as one")
		}
		if _, err := plain(goja.Undefined()); err != nil {
			t.Fatal(err)
		}
		if got := said(); got != "plain" {
			t.Errorf("said %q within the turn", got)
		}
	})
	if got := said(); got != "micro" {
		t.Errorf("said %q after the turn", got)
	}
	if _, ok := l.CallAsync(rt, at("m"), at("o")); ok {
		t.Error("an async function was called outside of a turn")
	}
	if l.Depth(rt) != 0 {
		t.Errorf("%d calls are under way", l.Depth(rt))
	}
}

// What a turn that panics has left to microtasks never comes, and the next turn is whole.
func TestTurnThatPanics(t *testing.T) {
	l, rt, at, said := heard(t, `var late = async () => { say("one"); await 0; say("late") }`)
	machine, err := NewMachine(rt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		func() {
			defer func() {
				if x := recover(); fmt.Sprint(x) != "gone" {
					t.Errorf("recovered %v", x)
				}
				machine.Unwind()
			}()
			l.Turn(rt, func() {
				l.CallAsync(rt, at("late"), goja.Undefined())
				panic("gone")
			})
		}()
		if got := said(); got != "one" {
			t.Errorf("round %d: said %q", i, got)
		}
		l.Turn(rt, func() { l.CallAsync(rt, at("late"), goja.Undefined()) })
		if got := said(); got != "one late" {
			t.Errorf("round %d: said %q", i, got)
		}
	}
}

// React and Derive call functions in the jobs in which those of then are called, and of what one throws somebody
// hears. Of what is handled nobody hears.
func TestReact(t *testing.T) {
	for _, source := range []string{
		`react(Promise.resolve(1), (v) => r.push("a", v)); Promise.resolve(2).then((v) => r.push("b", v));
			react(Promise.reject(3), undefined, (v) => r.push("c", v)); let y; const p = new Promise((f) => y = f);
			react(p, (v) => r.push("d", v)); p.then((v) => r.push("e", v)); react(p, (v) => r.push("f", v)); y(4)`,
		`react(Promise.resolve(1), () => { throw "thrown" }); react(Promise.reject("passed"), () => r.push("no"));
			react(Promise.reject(1), 5, () => r.push("caught")); react(Promise.resolve(2));
			let n; react(new Promise((y, f) => n = f), null, (v) => { throw v + "again" }); n("x")`,
		`derive(Promise.resolve(1), (v) => { r.push(v); return v + 1 }).then((v) => r.push(v));
			derive(Promise.reject(2)).catch((v) => r.push(v)); derive(Promise.resolve(3), () => { throw 4 });
			derive(Promise.resolve(5), 6).then((v) => r.push(v)); r.push(derive(Promise.resolve(),
			() => Promise.resolve("follows")).then((v) => r.push(v)) instanceof Promise);
			Promise.resolve(7).then((v) => r.push(v)).then(() => r.push(8)).then(() => r.push(9))`,
		`const p = Promise.reject("handled"); handle(p); let n; handle(new Promise((y, f) => n = f)); n("too");
			Promise.reject("heard")`,
	} {
		show := func(ours bool) string {
			l, rt := layout(t), goja.New()
			l.QuickThen(rt)
			l.QuickAlls(rt)
			var heard []string
			rt.SetPromiseRejectionTracker(func(p *goja.Promise, op goja.PromiseRejectionOperation) {
				heard = append(heard, fmt.Sprint(op, " ", p.Result()))
			})
			then, _ := goja.AssertFunction(object(t, rt, `((then) => (p, a, b) => then.call(p, a, b))(
				Promise.prototype.then)`))
			set := func(name string, f func(goja.FunctionCall) goja.Value) {
				if err := rt.Set(name, f); err != nil {
					t.Fatal(err)
				}
			}
			set("react", func(c goja.FunctionCall) goja.Value {
				if ours {
					l.React(rt, c.Argument(0).(*goja.Object), c.Argument(1), c.Argument(2))
				} else if _, err := then(goja.Undefined(), c.Arguments...); err != nil {
					t.Fatal(err)
				}
				return goja.Undefined()
			})
			set("derive", func(c goja.FunctionCall) goja.Value {
				if ours {
					return l.Derive(rt, c.Argument(0).(*goja.Object), c.Argument(1), c.Argument(2))
				}
				v, err := then(goja.Undefined(), c.Arguments...)
				if err != nil {
					t.Fatal(err)
				}
				return v
			})
			set("handle", func(c goja.FunctionCall) goja.Value {
				if ours {
					l.Handle(rt, c.Argument(0).(*goja.Object))
				} else if _, err := then(goja.Undefined(), c.Argument(0), goja.Undefined(),
					rt.ToValue(func() {})); err != nil {
					t.Fatal(err)
				}
				return goja.Undefined()
			})
			v, err := rt.RunString("const r = [];" + source + "; r")
			if err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			return fmt.Sprint(v, heard)
		}
		if got, want := show(true), show(false); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}
