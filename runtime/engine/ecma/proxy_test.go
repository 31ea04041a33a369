package ecma

import (
	"testing"
)

// The arguments that a trap gets are its own: they stay what they were after the trap has returned, or waits, whatever
// is called meanwhile. Clients made of proxies (tRPC's callers) keep them.
func TestProxyTrapKeepsArguments(t *testing.T) {
	for name, make := range map[string]string{
		"constructor": `new Proxy(function () {}, handler)`,
		"revocable":   `Proxy.revocable(function () {}, handler).proxy`,
		"of a proxy":  `new Proxy(new Proxy(class {}, handler), {})`,
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t)
			v, err := e.eval(t, "proxy.js", `
				const kept = [];
				const handler = {
					apply(target, receiver, args) { kept.push(args); Object.freeze(args); return args.length },
					construct(target, args) { kept.push(args); return {} },
				};
				const p = `+make+`;
				const sum = (...x) => x.reduce((a, b) => a + b, 0);
				const results = [p("a", "b"), p.call(null, "c"), typeof new p("d")];
				sum(p("e"), 2, 3, 4, 5, 6);
				[1, 2, 3].map((x) => sum(x, x, x));
				JSON.stringify([results, kept])`, false)
			if err != nil {
				t.Fatal(err)
			}
			const want = `[[2,1,"object"],[["a","b"],["c"],["d"],["e"]]]`
			if v.String() != want {
				t.Errorf("got %s, want %s", v, want)
			}
		})
	}
}

// TestInstanceOfProxy: x instanceof a Proxy of a class asks the class, or what the class says of itself.
func TestInstanceOfProxy(t *testing.T) {
	const script = `
		class A {}
		class B { static [Symbol.hasInstance](x) { return x === 7; } }
		const P = new Proxy(A, {}), T = new Proxy(A, { get: (t, k) => t[k] }), Q = new Proxy(B, {});
		const F = new Proxy({}, {});
		let refused = false;
		try { new A() instanceof F } catch (e) { refused = e instanceof TypeError }
		[new A() instanceof P, {} instanceof P, new A() instanceof T, 1 instanceof P, 7 instanceof Q, 8 instanceof Q,
			new (class extends P {})() instanceof P, refused].join()`
	v, err := newEngine(t).eval(t, "proxy.js", script, true)
	if err != nil {
		t.Fatal(err)
	}
	if want := "true,false,true,false,true,false,true,true"; v.String() != want {
		t.Errorf("got %s, want %s", v, want)
	}
}
