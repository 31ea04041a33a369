// SuppressedError, DisposableStack, AsyncDisposableStack. Called with (core, iterator, native) and the objects that
// scripts know under these names, when a script first looks at one of them. Yields what they are.
(function (core, iterator, native, VisibleError, VisibleStack, VisibleAsyncStack) {
	"use strict";
	const { methods, show, needFunction, define, create, setPrototypeOf, construct, Symbol, Error } = core;
	const { Slot, isObject } = iterator;
	const typeError = (text) => { throw new TypeError(text); };
	const own = (o, k, v) => define(o, k, { value: v, writable: true, enumerable: false, configurable: true });
	const tag = (proto, name) => define(
		proto, Symbol.toStringTag, { value: name, writable: false, enumerable: false, configurable: true });
	function expose(ctor, length) {
		define(ctor, "length", { value: length, configurable: true });
		define(ctor, "prototype", { writable: false, enumerable: false, configurable: false });
		native(ctor);
	}

	const SuppressedError = function SuppressedError(error, suppressed, message) {
		const e = construct(Error, message === undefined ? [] : [message], new.target || VisibleError);
		own(e, "error", error);
		own(e, "suppressed", suppressed);
		return e;
	};
	setPrototypeOf(SuppressedError, Error);
	SuppressedError.prototype = create(Error.prototype);
	own(SuppressedError.prototype, "constructor", VisibleError);
	own(SuppressedError.prototype, "name", "SuppressedError");
	own(SuppressedError.prototype, "message", "");
	expose(SuppressedError, 3);

	function instance(o, name, method, ctor) {
		const s = Slot.get(o);
		if (s === undefined || s.kind !== name) typeError(
			"Method " + name + ".prototype." + method + " called on incompatible receiver " + show(o));
		return s;
	}
	function live(o, name, method) {
		const s = instance(o, name, method);
		if (s.disposed) throw new ReferenceError(
			"Cannot call " + name + ".prototype." + method + " on an already-disposed " + name);
		return s;
	}
	function disposer(value, async) {
		let f;
		if (async) {
			f = value[Symbol.asyncDispose];
			if (f === undefined || f === null) {
				const sync = value[Symbol.dispose];
				if (sync !== undefined && sync !== null) {
					if (typeof sync !== "function") typeError("Symbol(Symbol.dispose) is not a function");
					f = function () { sync.call(this); };
				}
			}
		} else f = value[Symbol.dispose];
		if (f === undefined || f === null) typeError(
			"Symbol(Symbol." + (async ? "asyncDispose" : "dispose") + ") is not a function");
		if (typeof f !== "function") typeError(
			"Symbol(Symbol." + (async ? "asyncDispose" : "dispose") + ") is not a function");
		return f;
	}
	function stackClass(name, async, create) {
		const proto = create.prototype;
		methods(proto, {
			use(value) {
				const s = live(this, name, "use");
				if (value === null || value === undefined) {
					if (async) s.list.push(() => undefined);
					return value;
				}
				if (!isObject(value)) typeError(show(value) + " is not an object");
				const f = disposer(value, async);
				s.list.push(() => f.call(value));
				return value;
			},
			adopt(value, onDispose) {
				const s = live(this, name, "adopt");
				needFunction(onDispose);
				s.list.push(() => onDispose(value));
				return value;
			},
			defer(onDispose) {
				const s = live(this, name, "defer");
				needFunction(onDispose);
				s.list.push(() => onDispose());
			},
			move() {
				const s = live(this, name, "move");
				const o = Object.create(proto);
				new Slot(o, { kind: name, list: s.list, disposed: false });
				s.list = [];
				s.disposed = true;
				return o;
			},
			get disposed() { return instance(this, name, "disposed").disposed; },
		});
		tag(proto, name);
		expose(create, 0);
	}

	const DisposableStack = function DisposableStack() {
		if (new.target === undefined) typeError("Constructor DisposableStack requires 'new'");
		new Slot(this, { kind: "DisposableStack", list: [], disposed: false });
	};
	own(DisposableStack.prototype, "constructor", VisibleStack);
	stackClass("DisposableStack", false, DisposableStack);
	methods(DisposableStack.prototype, {
		dispose() {
			const s = instance(this, "DisposableStack", "dispose");
			if (s.disposed) return;
			s.disposed = true;
			let failed = false, error;
			for (let f; (f = s.list.pop());) {
				try { f(); } catch (e) {
					error = failed ? new VisibleError(e, error, "An error was suppressed during disposal.") : e;
					failed = true;
				}
			}
			if (failed) throw error;
		},
	});
	own(DisposableStack.prototype, Symbol.dispose, DisposableStack.prototype.dispose);

	const AsyncDisposableStack = function AsyncDisposableStack() {
		if (new.target === undefined) typeError("Constructor AsyncDisposableStack requires 'new'");
		new Slot(this, { kind: "AsyncDisposableStack", list: [], disposed: false });
	};
	own(AsyncDisposableStack.prototype, "constructor", VisibleAsyncStack);
	stackClass("AsyncDisposableStack", true, AsyncDisposableStack);
	methods(AsyncDisposableStack.prototype, {
		async disposeAsync() {
			const s = instance(this, "AsyncDisposableStack", "disposeAsync");
			if (s.disposed) return;
			s.disposed = true;
			let failed = false, error;
			for (let f; (f = s.list.pop());) {
				try { await f(); } catch (e) {
					error = failed ? new VisibleError(e, error, "An error was suppressed during disposal.") : e;
					failed = true;
				}
			}
			if (failed) throw error;
		},
	});
	own(AsyncDisposableStack.prototype, Symbol.asyncDispose, AsyncDisposableStack.prototype.disposeAsync);
	return { SuppressedError, DisposableStack, AsyncDisposableStack };
})
