// Built-ins of Object, Map, Array, Promise, String, Math and Symbol that goja lacks.
// Called with (native): native(f) makes a function look built in.
(function (native) {
	"use strict";
	const define = Object.defineProperty, describe = Object.getOwnPropertyDescriptor, ownKeys = Reflect.ownKeys;
	const SymbolIterator = Symbol.iterator, Aggregate = AggregateError, apply = Reflect.apply;

	function methods(target, source) {
		// Not by an iterator, which costs much at the start of every isolate.
		const keys = ownKeys(source);
		for (let i = 0; i < keys.length; i++) {
			const key = keys[i], d = describe(source, key);
			d.enumerable = false;
			if (d.value !== undefined && typeof d.value === "function") native(d.value);
			if (d.get) native(d.get);
			if (d.set) native(d.set);
			define(target, key, d);
		}
	}
	function typeError(text) { throw new TypeError(text); }
	function show(v) {
		if (typeof v === "string") return v;
		if (v === null || v === undefined || typeof v !== "object") return typeof v === "symbol" ? v.toString() :
			String(v);
		return Array.isArray(v) ? "[object Array]" : "#<" + (v.constructor && v.constructor.name || "Object") + ">";
	}
	const isObject = (v) => v !== null && (typeof v === "object" || typeof v === "function");
	function needFunction(f) { if (typeof f !== "function") typeError(show(f) + " is not a function"); }
	function lengths(target, table) {
		ownKeys(table).forEach((k) => define(target[k], "length", { value: table[k], configurable: true }));
	}

	["asyncIterator", "dispose", "asyncDispose"].forEach((name) => {
		if (!(name in Symbol)) define(Symbol, name,
			{ value: Symbol("Symbol." + name), writable: false, enumerable: false, configurable: false });
	});

	function group(name, items, callback, put) {
		if (items === null || items === undefined) typeError(name + ".groupBy called on null or undefined");
		needFunction(callback);
		let k = 0;
		for (const v of items) put(callback(v, k++), v);
	}
	const unscopables = { __proto__: null, at: true, copyWithin: true, entries: true, fill: true, find: true,
		findIndex: true, findLast: true, findLastIndex: true, flat: true, flatMap: true, includes: true, keys: true,
		toReversed: true, toSorted: true, toSpliced: true, values: true };
	define(Array.prototype, Symbol.unscopables,
		{ value: unscopables, writable: false, enumerable: false, configurable: true });
	define(Object.getOwnPropertySymbols, "length", { value: 1, configurable: true });
	methods(Object, {
		groupBy(items, callback) {
			const out = { __proto__: null };
			group("Object", items, callback, (k, v) => {
				if (typeof k !== "symbol") k = `${k}`;
				if (Object.hasOwn(out, k)) out[k].push(v);
				else define(out, k, { value: [v], writable: true, enumerable: true, configurable: true });
			});
			return out;
		},
	});
	methods(Object.prototype, {
		toLocaleString() {
			if (this === null || this === undefined)
				typeError("Object.prototype.toLocaleString called on null or undefined");
			const f = this.toString, t = typeof f;
			if (t !== "function") typeError((f === null ? "object null" : t === "string" ? `string "${f}"` :
				t === "number" || t === "boolean" ? t + " " + f : show(f)) + " is not a function");
			return apply(f, this, []);
		},
	});
	const mapHas = Map.prototype.has, mapGet = Map.prototype.get, mapSet = Map.prototype.set;
	const weakHas = WeakMap.prototype.has, weakGet = WeakMap.prototype.get, weakSet = WeakMap.prototype.set;
	methods(Map, {
		groupBy(items, callback) {
			const out = new Map();
			group("Map", items, callback, (k, v) => {
				const have = mapGet.call(out, k);
				if (have) have.push(v);
				else mapSet.call(out, k, [v]);
			});
			return out;
		},
	});
	methods(Map.prototype, {
		getOrInsert(key, value) {
			if (mapHas.call(this, key)) return mapGet.call(this, key);
			mapSet.call(this, key, value);
			return value;
		},
		getOrInsertComputed(key, callback) {
			const has = mapHas.call(this, key);
			needFunction(callback);
			if (has) return mapGet.call(this, key);
			if (key === 0) key = 0;
			const value = callback(key);
			mapSet.call(this, key, value);
			return value;
		},
	});
	methods(WeakMap.prototype, {
		getOrInsert(key, value) {
			if (weakHas.call(this, key)) return weakGet.call(this, key);
			weakSet.call(this, key, value);
			return value;
		},
		getOrInsertComputed(key, callback) {
			const has = weakHas.call(this, key);
			if (!has && !isObject(key) && (typeof key !== "symbol" || Symbol.keyFor(key) !== undefined)) typeError(
				"Invalid value used as weak map key");
			needFunction(callback);
			if (has) return weakGet.call(this, key);
			const value = callback(key);
			weakSet.call(this, key, value);
			return value;
		},
	});

	const promiseResolve = Promise.resolve;
	// fromSync is a step of a sync iterator made async: it awaits its value, and closes the iterator if that rejects.
	async function fromSync(it, next) {
		const r = apply(next, it, []);
		if (!isObject(r)) typeError("Iterator result " + show(r) + " is not an object");
		const done = r.done, v = r.value;
		try { return { value: await v, done }; } catch (e) {
			if (!done) try { const f = it.return; if (f) apply(f, it, []); } catch { /* the first error counts */ }
			throw e;
		}
	}
	// newCapability is the standard's NewPromiseCapability.
	function newCapability(C) {
		let resolve, reject;
		const promise = new C((a, b) => {
			if (resolve !== undefined || reject !== undefined)
				typeError("Promise executor has already been invoked with non-undefined arguments");
			resolve = a;
			reject = b;
		});
		if (typeof resolve !== "function" || typeof reject !== "function")
			typeError("Promise resolve or reject function is not callable");
		return { promise, resolve, reject };
	}
	methods(Promise, {
		withResolvers() {
			if (this === null || typeof this !== "object" && typeof this !== "function") typeError(
				"Promise.withResolvers called on non-object");
			return newCapability(this);
		},
		try(callback, ...args) {
			if (this === null || typeof this !== "object" && typeof this !== "function") typeError(
				"Promise.try called on non-object");
			// As V8 has it: a promise that the callback returns is the result itself, and costs no turns.
			let value;
			try { value = callback(...args); } catch (e) { return new this((_, reject) => reject(e)); }
			return apply(promiseResolve, this, [value]);
		},
		// As the standard has it; goja's rejects with an error that has no message.
		any(iterable) {
			if (!isObject(this)) typeError("Promise.any called on non-object");
			const { promise, resolve, reject } = newCapability(this);
			try {
				const then = this.resolve, errors = [];
				needFunction(then);
				let index = 0, waiting = 1;
				const missed = () => {
					if (--waiting === 0) reject(new Aggregate(errors, "All promises were rejected"));
				};
				for (const item of iterable) {
					const i = index++;
					let called = false;
					waiting++;
					apply(then, this, [item]).then(resolve, (e) => {
						if (called) return;
						called = true;
						define(errors, i, { value: e, writable: true, enumerable: true, configurable: true });
						missed();
					});
				}
				missed();
			} catch (e) { reject(e); }
			return promise;
		},
	});
	lengths(Promise, { try: 1 });

	const isConstructor = (f) => {
		if (typeof f !== "function") return false;
		try { Reflect.construct(Object, [], f); return true; } catch { return false; }
	};
	methods(Array, {
		async fromAsync(items, mapper = undefined, thisArg = undefined) {
			const mapping = mapper !== undefined;
			if (mapping) needFunction(mapper);
			if (items === null || items === undefined) typeError(show(items) + " is not iterable");
			const C = this;
			const put = (o, k, v) => define(o, k, { value: v, writable: true, enumerable: true, configurable: true });
			const usingAsync = items[Symbol.asyncIterator];
			const usingSync = usingAsync === undefined || usingAsync === null ? items[SymbolIterator] : undefined;
			let k = 0;
			if (usingAsync !== undefined && usingAsync !== null || usingSync !== undefined && usingSync !== null) {
				const out = isConstructor(C) ? new C() : [];
				const sync = usingSync !== undefined && usingSync !== null;
				const it = sync ? usingSync.call(items) : usingAsync.call(items);
				const next = it.next;
				for (;;) {
					const r = await (sync ? fromSync(it, next) : apply(next, it, []));
					if (!isObject(r)) typeError("Iterator result " + show(r) + " is not an object");
					if (r.done) { out.length = k; return out; }
					try {
						let v = r.value;
						if (mapping) v = await mapper.call(thisArg, v, k);
						put(out, k, v);
					} catch (e) {
						try { const f = it.return; if (f) { const x = f.call(it); if (!sync) await x; } } catch {
							/* the first error counts */ }
						throw e;
					}
					k++;
				}
			}
			const list = Object(items);
			const n = Math.min(Math.max(Math.trunc(Number(list.length)) || 0, 0), Number.MAX_SAFE_INTEGER);
			const out = isConstructor(C) ? new C(n) : new Array(n);
			for (; k < n; k++) {
				let v = await list[k];
				if (mapping) v = await mapper.call(thisArg, v, k);
				put(out, k, v);
			}
			out.length = n;
			return out;
		},
	});
	lengths(Array, { fromAsync: 1 });

	function self(v, name) {
		if (v === null || v === undefined) typeError("String.prototype." + name + " called on null or undefined");
		return `${v}`;
	}
	function html(name, tag, attribute) {
		const open = (s, v) => "<" + tag +
			(attribute ? " " + attribute + '="' + `${v}`.replaceAll('"', "&quot;") + '"' : "") + ">" + s + "</" + tag +
			">";
		return attribute ? { [name](value) { return open(self(this, name), value); } }[name] : {
			[name]() { return open(self(this, name)); } }[name];
	}
	methods(String.prototype, {
		isWellFormed() {
			const s = self(this, "isWellFormed");
			for (let i = 0; i < s.length; i++) {
				const c = s.charCodeAt(i);
				if (c < 0xd800 || c > 0xdfff) continue;
				if (c > 0xdbff || !((s.charCodeAt(i + 1) & 0xfc00) === 0xdc00)) return false;
				i++;
			}
			return true;
		},
		toWellFormed() {
			const s = self(this, "toWellFormed");
			let out = "", from = 0;
			for (let i = 0; i < s.length; i++) {
				const c = s.charCodeAt(i);
				if (c < 0xd800 || c > 0xdfff) continue;
				if (c <= 0xdbff && (s.charCodeAt(i + 1) & 0xfc00) === 0xdc00) { i++; continue; }
				out += s.slice(from, i) + "\ufffd";
				from = i + 1;
			}
			return from ? out + s.slice(from) : s;
		},
		anchor: html("anchor", "a", "name"), big: html("big", "big"), blink: html("blink", "blink"),
			bold: html("bold", "b"),
		fixed: html("fixed", "tt"), fontcolor: html("fontcolor", "font", "color"),
			fontsize: html("fontsize", "font", "size"),
		italics: html("italics", "i"), link: html("link", "a", "href"), small: html("small", "small"),
		strike: html("strike", "strike"), sub: html("sub", "sub"), sup: html("sup", "sup"),
	});

	methods(Object.prototype, {
		__defineGetter__(name, getter) {
			if (typeof getter !== "function") typeError("Object.prototype.__defineGetter__: Expecting function");
			define(Object(this), name, { get: getter, enumerable: true, configurable: true });
		},
		__defineSetter__(name, setter) {
			if (typeof setter !== "function") typeError("Object.prototype.__defineSetter__: Expecting function");
			define(Object(this), name, { set: setter, enumerable: true, configurable: true });
		},
		__lookupGetter__(name) {
			for (let o = Object(this); o !== null; o = Object.getPrototypeOf(o)) {
				const d = Object.getOwnPropertyDescriptor(o, name);
				if (d) return d.get;
			}
		},
		__lookupSetter__(name) {
			for (let o = Object(this); o !== null; o = Object.getPrototypeOf(o)) {
				const d = Object.getOwnPropertyDescriptor(o, name);
				if (d) return d.set;
			}
		},
	});

	const getFullYear = Date.prototype.getFullYear, setFullYear = Date.prototype.setFullYear;
	methods(Date.prototype, {
		getYear() { return getFullYear.call(this) - 1900; },
		setYear(year) {
			const y = Number(year);
			if (y !== y) return this.setTime(NaN);
			if (Number.isNaN(this.getTime())) this.setTime(new Date(1970, 0, 1).getTime());
			const i = Math.trunc(y);
			return setFullYear.call(this, i >= 0 && i <= 99 ? 1900 + i : y);
		},
	});
	define(Date.prototype, "toGMTString",
		{ value: Date.prototype.toUTCString, writable: true, enumerable: false, configurable: true });

	// goja leaves the length and name of a function on BigInt.prototype; V8 has neither.
	delete BigInt.prototype.length;
	delete BigInt.prototype.name;
	// weird gives Iterator.prototype a property that is an accessor, so that a script can shadow it by assignment.
	function weird(proto, key, value) {
		const name = typeof key === "symbol" ? "[" + key.description + "]" : key;
		const get = { [name]() { return value; } }[name];
		const set = { [name](v) {
			if (!isObject(this)) typeError("Iterator.prototype setter called on non-object");
			if (this === proto) typeError("Cannot assign to this property");
			if (Object.hasOwn(this, key)) this[key] = v;
			else define(this, key, { value: v, writable: true, enumerable: true, configurable: true });
		} }[name];
		define(get, "name", { value: "get " + name, configurable: true });
		define(set, "name", { value: "set " + name, configurable: true });
		native(get); native(set);
		define(proto, key, { get, set, enumerable: false, configurable: true });
	}

	// What scripts that run later call, as it is before a Worker's code runs.
	const { create, setPrototypeOf } = Object, { construct } = Reflect;
	const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][SymbolIterator]()));
	const byteLength = describe(ArrayBuffer.prototype, "byteLength").get, { slice } = ArrayBuffer.prototype;
	const tagOf = describe(Object.getPrototypeOf(Int8Array.prototype), Symbol.toStringTag).get;
	return { methods, lengths, show, needFunction, weird, define, create, setPrototypeOf, construct, Symbol, Error,
		byteLength, slice, tagOf, IteratorPrototype };
})
