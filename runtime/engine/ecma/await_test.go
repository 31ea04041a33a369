package ecma

import "testing"

// What is awaited and is no promise is awaited by its then, whatever its constructor is: a proxy of a promise refuses,
// and what inherits from Promise.prototype, as chunks of React do, says itself when it is done.
func TestAwaitObjects(t *testing.T) {
	const script = `
		const log = [];
		function Chunk(value) { this.value = value; }
		Chunk.prototype = Object.create(Promise.prototype);
		Chunk.prototype.then = function (yes) { log.push("then " + this.value); yes(this.value); };
		const failing = async (f) => { try { return await f(); } catch (e) { return e.constructor.name; } };
		const proxied = (p) => new Proxy(p, { get: (t, k) => typeof t[k] === "function" ? t[k].bind(t) : t[k] });
		class Own extends Promise {}
		async function run() {
			log.push(await new Chunk(1));
			log.push(await failing(() => new Proxy(Promise.resolve(2), {})));
			log.push(await proxied(Promise.resolve(3)));
			log.push(await failing(() => Object.create(Promise.prototype)));
			log.push(await Own.resolve(4));
			log.push(await { then(yes) { yes(5); } });
			log.push(await failing(async () => await { get then() { throw new RangeError(); } }));
			log.push((await { constructor: Promise, six: 6 }).six);
			log.push(await failing(async () => await { then(yes, no) { no(new SyntaxError()); } }));
		}
		let done = false;
		run().then(() => { done = true; }, (e) => log.push(String(e)));
		`
	e := newEngine(t)
	if _, err := e.eval(t, "await.js", script, false); err != nil {
		t.Fatal(err)
	}
	v, err := e.eval(t, "result.js", "[done, log.join()].join()", false)
	if err != nil {
		t.Fatal(err)
	}
	const want = "true,then 1,1,TypeError,3,TypeError,4,5,RangeError,6,SyntaxError"
	if v.String() != want {
		t.Errorf("got %s, want %s", v, want)
	}
}

// Promise.resolve asks promises alone for their constructor (ECMA-262, 27.2.4.7.1).
func TestResolveObjects(t *testing.T) {
	const script = `
		const log = [];
		const traced = new Proxy({ a: 1 }, { get(o, name) { log.push(name); return o[name] } });
		Promise.resolve(traced).then((v) => log.push(v === traced));
		const like = { constructor: Promise };
		log.push(Promise.resolve(like) === like);
		Promise.resolve({ get constructor() { log.push("asked"); return Promise } });
		Promise.resolve({ get then() { throw 1 } }).catch((e) => log.push(e));
		Promise.resolve({ constructor: Promise, then(f) { f("late") } }).then((v) => log.push(v));
		`
	e := newEngine(t)
	if _, err := e.eval(t, "resolve.js", script, true); err != nil {
		t.Fatal(err)
	}
	v, err := e.eval(t, "log.js", `log.join()`, true)
	if err != nil || v.String() != "then,false,true,1,late" {
		t.Errorf("%v, %v", v, err)
	}
}
