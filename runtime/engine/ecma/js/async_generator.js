// Async generators. The bundler lowers an async generator function to a generator function: its await becomes a yield
// of a Signal, its yield* a yield* of a delegate. Called with (core, native, callee): callee() is the prototype for the
// object that the caller of the running function makes. Returns the four helpers and the intrinsics.
(function (core, native, callee) {
	"use strict";
	const { methods, show } = core;
	const define = Object.defineProperty;
	const isObject = (v) => v !== null && (typeof v === "object" || typeof v === "function");
	const typeError = (text) => { throw new TypeError(text); };
	const GeneratorPrototype = Object.getPrototypeOf(function* () {}).prototype;
	// Driven is the prototype of generators that run lowered bodies. A program cannot change its methods.
	const Driven = { __proto__: null, next: GeneratorPrototype.next, return: GeneratorPrototype.return,
		throw: GeneratorPrototype.throw };
	const asyncIterator = Symbol.asyncIterator, iterator = Symbol.iterator;
	const setPrototypeOf = Object.setPrototypeOf, apply = Reflect.apply, Promise_ = Promise;

	const NEXT = 0, RETURN = 1, THROW = 2;
	const AWAIT = 0, PASS = 1, LEAVE = 2;
	// A lowered body yields a Signal to its driver: a value to await, one that a delegate passes on as it came, or one
	// to return at once. No value of the program is ever a Signal.
	class Signal {
		#value; #kind;
		constructor(value, kind = AWAIT) { this.#value = value; this.#kind = kind; }
		static is(v) { return typeof v === "object" && v !== null && #kind in v; }
		static value(v) { return v.#value; }
		static kind(v) { return v.#kind; }
	}
	const isSignal = Signal.is, signalValue = Signal.value, signalKind = Signal.kind;

	// The states of an async generator object.
	const START = 0, YIELD = 1, RUNNING = 2, DRAINING = 3, COMPLETED = 4;
	class Given { constructor(o) { return o; } }
	class Hidden extends Given {
		#state;
		constructor(o, state) { super(o); this.#state = state; }
		static of(o) { return isObject(o) && #state in o ? o.#state : undefined; }
	}
	const stateOf = Hidden.of;

	function settle(s, kind, value, done) {
		const request = s.queue.shift();
		if (kind === THROW) request.no(value);
		else request.yes({ value, done });
	}
	function finish(s, kind, value) {
		s.state = DRAINING;
		settle(s, kind, value, true);
		drain(s);
	}
	function drain(s) {
		while (s.queue.length > 0) {
			const { kind, value } = s.queue[0];
			if (kind === RETURN) { awaitReturn(s); return; }
			settle(s, kind, kind === THROW ? value : undefined, true);
		}
		s.state = COMPLETED;
	}
	async function awaitReturn(s) {
		let kind = NEXT, value = s.queue[0].value;
		try { value = await value; } catch (e) { kind = THROW; value = e; }
		settle(s, kind, value, true);
		drain(s);
	}
	// run resumes the body for the first request, and goes on until the body waits for a request that has not come.
	async function run(s) {
		s.state = RUNNING;
		const { gen, queue } = s;
		let { kind, value } = queue[0];
		if (kind === RETURN) {
			// The value of a return is awaited before the body, or its delegate, hears of it.
			try { value = await value; } catch (e) { kind = THROW; value = e; }
		}
		if (s.delegates) { value = { kind, value }; kind = NEXT; }
		for (;;) {
			let r;
			try { r = kind === NEXT ? gen.next(value) : kind === THROW ? gen.throw(value) : gen.return(value); } catch (
				e) { finish(s, THROW, e); return; }
			let v = r.value;
			if (r.done) { finish(s, NEXT, v); return; }
			let pass = false;
			if (isSignal(v)) {
				const signal = signalKind(v);
				v = signalValue(v);
				if (signal === AWAIT) {
					try { value = await v; kind = NEXT; } catch (e) { value = e; kind = THROW; }
					continue;
				}
				if (signal === LEAVE) { kind = RETURN; value = v; continue; }
				pass = true;
			} else {
				try { v = await v; } catch (e) { kind = THROW; value = e; continue; }
			}
			settle(s, NEXT, v, false);
			s.delegates = pass;
			if (queue.length === 0) { s.state = YIELD; return; }
			({ kind, value } = queue[0]);
			if (kind === RETURN) {
				try { value = await value; } catch (e) { kind = THROW; value = e; }
			}
			if (pass) { value = { kind, value }; kind = NEXT; }
		}
	}

	function request(o, kind, value, method) {
		let yes, no;
		const promise = new Promise_((a, b) => { yes = a; no = b; });
		const s = stateOf(o);
		if (s === undefined) {
			no(new TypeError("Method [AsyncGenerator].prototype." + method + " called on incompatible receiver " +
				show(o)));
			return promise;
		}
		if (kind === NEXT ? s.state === COMPLETED : kind === THROW && (s.state === START || s.state === COMPLETED)) {
			s.state = COMPLETED;
			if (kind === NEXT) yes({ value: undefined, done: true });
			else no(value);
			return promise;
		}
		s.queue.push({ kind, value, yes, no });
		if (s.state === YIELD || s.state === START && kind === NEXT) run(s);
		else if (kind === RETURN && (s.state === START || s.state === COMPLETED)) {
			s.state = DRAINING;
			awaitReturn(s);
		}
		return promise;
	}

	const AsyncIteratorPrototype = {};
	methods(AsyncIteratorPrototype, {
		[asyncIterator]() { return this; },
		async [Symbol.asyncDispose]() {
			const f = this.return;
			if (f === undefined || f === null) return;
			await apply(f, this, [undefined]);
		},
	});
	const AsyncGeneratorPrototype = { __proto__: AsyncIteratorPrototype };
	const AsyncGeneratorFunction = function AsyncGeneratorFunction() {
		throw new EvalError("Code generation from strings disallowed for this context"); };
	const FunctionPrototype = { __proto__: Function.prototype };
	const constant = (o, k, value) => define(o, k, { value, writable: false, enumerable: false, configurable: true });
	constant(AsyncGeneratorPrototype, "constructor", FunctionPrototype);
	methods(AsyncGeneratorPrototype, {
		next(value) { return request(this, NEXT, value, "next"); },
		return(value) { return request(this, RETURN, value, "return"); },
		throw(value) { return request(this, THROW, value, "throw"); },
	});
	constant(AsyncGeneratorPrototype, Symbol.toStringTag, "AsyncGenerator");
	constant(FunctionPrototype, "constructor", AsyncGeneratorFunction);
	constant(FunctionPrototype, "prototype", AsyncGeneratorPrototype);
	constant(FunctionPrototype, Symbol.toStringTag, "AsyncGeneratorFunction");
	setPrototypeOf(AsyncGeneratorFunction, Object.getPrototypeOf(function* () {}).constructor.__proto__);
	define(AsyncGeneratorFunction, "prototype", { value: FunctionPrototype, writable: false });
	define(AsyncGeneratorFunction, "length", { value: 1, configurable: true });
	native(AsyncGeneratorFunction);

	// A sync iterator becomes an async one: its values are awaited, and a value that rejects closes it.
	function close(it) {
		const f = it.return;
		if (f !== undefined && f !== null) apply(f, it, []);
	}
	const isResult = (r) => { if (!isObject(r)) typeError("Iterator result " + show(r) + " is not an object"); };
	// wrap calls a method of a sync iterator. What it returns settles one turn after the value, as in the standard.
	async function wrap(it, method, args, closes) {
		const r = apply(method, it, args);
		isResult(r);
		const done = r.done, v = r.value;
		try { return { value: await v, done }; } catch (e) {
			if (closes && !done) try { close(it); } catch { /* the first error counts */ }
			throw e;
		}
	}
	const settled = async (f) => f();
	const SyncWrapper = {
		__proto__: AsyncIteratorPrototype,
		next(...args) { return wrap(this.it, this.method, args, true); },
		return(...args) {
			let f;
			try { f = this.it.return; } catch (e) { return settled(() => { throw e; }); }
			if (f === undefined || f === null) return settled(() => ({ value: args[0], done: true }));
			return wrap(this.it, f, args, false);
		},
		throw(...args) {
			let f;
			try {
				f = this.it.throw;
				if (f === undefined || f === null) {
					close(this.it);
					typeError("The iterator does not provide a 'throw' method.");
				}
			} catch (e) { return settled(() => { throw e; }); }
			return wrap(this.it, f, args, true);
		},
	};
	function open(iterable) {
		if (iterable === undefined || iterable === null) typeError(show(iterable) + " is not async iterable");
		let f = iterable[asyncIterator];
		if (f !== undefined && f !== null) {
			if (typeof f !== "function") typeError(show(iterable) + " is not async iterable");
			const it = apply(f, iterable, []);
			if (!isObject(it)) typeError("Result of the Symbol.asyncIterator method is not an object");
			return it;
		}
		f = iterable[iterator];
		if (typeof f !== "function") typeError(show(iterable) + " is not async iterable");
		const it = apply(f, iterable, []);
		if (!isObject(it)) typeError("Result of the Symbol.iterator method is not an object");
		return { __proto__: SyncWrapper, it, method: it.next };
	}
	// A lowered yield* is a yield* of what delegate returns.
	function* delegate(iterable) {
		const it = open(iterable), next = it.next;
		let kind = NEXT, value;
		for (;;) {
			let r;
			if (kind === NEXT) r = yield new Signal(apply(next, it, [value]));
			else {
				const f = kind === THROW ? it.throw : it.return;
				if (f !== undefined && f !== null) r = yield new Signal(apply(f, it, [value]));
				else if (kind === RETURN) yield new Signal(value, LEAVE);
				else {
					const end = it.return;
					if (end !== undefined && end !== null) isResult(yield new Signal(apply(end, it, [])));
					typeError("The iterator does not provide a 'throw' method.");
				}
			}
			isResult(r);
			if (r.done) {
				if (kind === RETURN) yield new Signal(r.value, LEAVE);
				return r.value;
			}
			({ kind, value } = yield new Signal(r.value, PASS));
		}
	}

	return {
		generator(self, args, body) {
			const gen = args === null ? apply(body, self, []) : apply(body, self, args);
			setPrototypeOf(gen, Driven);
			const o = { __proto__: callee() };
			new Hidden(o, { state: START, queue: [], gen, delegates: false });
			return o;
		},
		await: Signal,
		yieldStar: delegate,
		forAwait: open,
		AsyncGeneratorPrototype,
		FunctionPrototype,
	};
})
