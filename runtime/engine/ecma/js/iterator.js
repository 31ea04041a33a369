// Iterator, its helpers, Iterator.from, concat, zip, zipKeyed. Called with (core, native, IteratorPrototype, visible)
// when a script first looks at one of them; visible is the object that scripts know as Iterator. Yields what Iterator
// and the methods of IteratorPrototype are, and what other scripts need.
(function (core, native, IteratorPrototype, visible) {
	"use strict";
	const { methods, lengths, show, define, create, Symbol } = core;
	function needFunction(f) {
		if (typeof f === "function") return;
		const t = typeof f;
		typeError((f === null ? "object null" : t === "string" ? `string "${f}"` : t === "number" || t === "boolean" ?
			t + " " + f : t) + " is not a function");
	}
	const typeError = (text) => { throw new TypeError(text); };
	const isObject = (v) => v !== null && (typeof v === "object" || typeof v === "function");

	class Given { constructor(o) { return o; } }
	// Slot hides state in an object that has another class's prototype.
	class Slot extends Given {
		#state;
		constructor(o, state) { super(o); this.#state = state; }
		static get(o) { return isObject(o) && #state in o ? o.#state : undefined; }
	}

	const made = function Iterator() {
		if (new.target === undefined) typeError("Constructor Iterator requires 'new'");
		if (new.target === visible) typeError("Abstract class Iterator not directly constructable");
		// a subclass instance
	};
	define(made, "prototype", { value: IteratorPrototype, writable: false, enumerable: false, configurable: false });
	native(made);

	// A record is [iterator, next]; direct reads the next method once, as GetIteratorDirect.
	function direct(o, name) {
		if (!isObject(o)) typeError("Iterator.prototype." + name + " called on non-object");
		return o;
	}
	function step(it, next) {
		const r = next.call(it);
		if (!isObject(r)) typeError("Iterator result " + show(r) + " is not an object");
		return r;
	}
	function close(it) {
		const f = it.return;
		if (f !== undefined && f !== null) {
			const r = f.call(it);
			if (!isObject(r)) typeError(show(r) + " is not an object");
		}
	}
	function closeQuietly(it) {
		try { const f = it.return; if (f !== undefined && f !== null) f.call(it); } catch {
			/* the first error counts */ }
	}
	function checked(it, f) {
		try { return f(); } catch (e) { closeQuietly(it); throw e; }
	}

	const DONE = {};
	const HelperPrototype = create(IteratorPrototype);
	// helper makes an iterator helper object: advance() gives a value or DONE, finish() closes what is underneath.
	function helper(advance, finish) {
		const o = Object.create(HelperPrototype);
		new Slot(o, { advance, finish, done: false, running: false });
		return o;
	}
	function state(o, name) {
		const s = Slot.get(o);
		if (s === undefined || s.advance === undefined) typeError(
			"Method Iterator Helper.prototype." + name + " called on incompatible receiver " + show(o));
		return s;
	}
	methods(HelperPrototype, {
		next() {
			const s = state(this, "next");
			if (s.running) typeError("Generator is already running");
			if (s.done) return { value: undefined, done: true };
			s.running = true;
			try {
				const value = s.advance();
				if (value === DONE) { s.done = true; return { value: undefined, done: true }; }
				return { value, done: false };
			} catch (e) {
				s.done = true;
				throw e;
			} finally { s.running = false; }
		},
		return() {
			const s = state(this, "return");
			if (s.running) typeError("Generator is already running");
			if (!s.done) {
				s.done = true;
				s.finish();
			}
			return { value: undefined, done: true };
		},
	});
	define(HelperPrototype, Symbol.toStringTag,
		{ value: "Iterator Helper", writable: false, enumerable: false, configurable: true });

	function count(it, n, name) {
		return checked(it, () => {
			const v = Number(n);
			if (v !== v) throw new RangeError(show(n) + " must be positive");
			const i = Math.trunc(v);
			if (i < 0) throw new RangeError(show(n) + " must be positive");
			return i;
		});
	}
	function flattenable(v, strings) {
		if (!isObject(v) && !(strings && typeof v === "string")) typeError(show(v) + " is not an object");
		const m = v[Symbol.iterator];
		const it = m === undefined || m === null ? v : m.call(v);
		if (!isObject(it)) typeError(show(it) + " is not an object");
		return it;
	}
	// over makes a helper over the records of o; f, if given, holds the function that the script has passed.
	function over(o, name, f, make) {
		const it = direct(o, name);
		if (f !== undefined) checked(it, () => needFunction(f.value));
		const next = it.next;
		return make(it, next);
	}

	const helpers = {};
	methods(helpers, {
		map(mapper) {
			return over(this, "map", { value: mapper }, (it, next) => {
				let i = 0;
				return helper(() => {
					const r = step(it, next);
					if (r.done) return DONE;
					const v = r.value;
					return checked(it, () => mapper(v, i++));
				}, () => close(it));
			});
		},
		filter(predicate) {
			return over(this, "filter", { value: predicate }, (it, next) => {
				let i = 0;
				return helper(() => {
					for (;;) {
						const r = step(it, next);
						if (r.done) return DONE;
						const v = r.value;
						if (checked(it, () => predicate(v, i++))) return v;
					}
				}, () => close(it));
			});
		},
		take(limit) {
			const it = direct(this, "take");
			let left = count(it, limit, "take");
			const next = it.next;
			return helper(() => {
				if (left <= 0) { close(it); return DONE; }
				left--;
				const r = step(it, next);
				return r.done ? DONE : r.value;
			}, () => close(it));
		},
		drop(limit) {
			const it = direct(this, "drop");
			let left = count(it, limit, "drop");
			const next = it.next;
			return helper(() => {
				for (; left > 0; left--) {
					if (step(it, next).done) return DONE;
				}
				const r = step(it, next);
				return r.done ? DONE : r.value;
			}, () => close(it));
		},
		flatMap(mapper) {
			return over(this, "flatMap", { value: mapper }, (it, next) => {
				let i = 0, inner, innerNext;
				return helper(() => {
					for (;;) {
						if (inner === undefined) {
							const r = step(it, next);
							if (r.done) return DONE;
							const v = r.value;
							checked(it, () => {
								const made = flattenable(mapper(v, i++), false);
								innerNext = made.next;
								inner = made;
							});
						}
						const r = checked(it, () => step(inner, innerNext));
						if (checked(it, () => r.done)) { inner = undefined; continue; }
						return checked(it, () => r.value);
					}
				}, () => {
					if (inner !== undefined) {
						try { close(inner); } catch (e) { closeQuietly(it); throw e; }
					}
					close(it);
				});
			});
		},
		reduce(reducer, ...rest) {
			const it = direct(this, "reduce");
			checked(it, () => needFunction(reducer));
			const next = it.next;
			let acc, i = 0;
			if (rest.length > 0) acc = rest[0];
			else {
				const r = step(it, next);
				if (r.done) typeError("Reduce of a done iterator with no initial value");
				acc = r.value;
				i = 1;
			}
			for (;;) {
				const r = step(it, next);
				if (r.done) return acc;
				const v = r.value;
				try { acc = reducer(acc, v, i++); } catch (e) { closeQuietly(it); throw e; }
			}
		},
		toArray() {
			const it = direct(this, "toArray"), next = it.next, out = [];
			for (;;) {
				const r = step(it, next);
				if (r.done) return out;
				out.push(r.value);
			}
		},
		forEach(f) {
			const it = direct(this, "forEach");
			checked(it, () => needFunction(f));
			const next = it.next;
			for (let i = 0; ; i++) {
				const r = step(it, next);
				if (r.done) return;
				const v = r.value;
				try { f(v, i); } catch (e) { closeQuietly(it); throw e; }
			}
		},
		some(f) { return search(this, f, "some", (hit) => hit ? { v: true } : undefined, false); },
		every(f) { return search(this, f, "every", (hit) => hit ? undefined : { v: false }, true); },
		find(f) { return search(this, f, "find", (hit, v) => hit ? { v } : undefined, undefined); },
		includes(wanted, skipped = undefined) {
			const it = direct(this, "includes");
			let skip = 0;
			if (skipped !== undefined) checked(it, () => {
				if (typeof skipped !== "number" || skipped !== Infinity && skipped !== -Infinity &&
					!Number.isInteger(skipped)) typeError(show(skipped) + " is not an integer");
				if (skipped < 0) throw new RangeError(show(skipped) + " must be positive");
				skip = skipped;
			});
			const next = it.next;
			for (;;) {
				const r = step(it, next);
				if (r.done) return false;
				const v = r.value;
				if (skip > 0) { skip--; continue; }
				if (v === wanted || v !== v && wanted !== wanted) { close(it); return true; }
			}
		},
		join(separator) {
			const it = direct(this, "join");
			const sep = separator === undefined ? "," : checked(it, () => `${separator}`);
			const next = it.next;
			let out = "", first = true;
			for (;;) {
				const r = step(it, next);
				if (r.done) return out;
				const v = r.value;
				if (!first) out += sep;
				first = false;
				if (v !== undefined && v !== null) out += checked(it, () => `${v}`);
			}
		},
	});
	function search(o, f, name, decide, none) {
		const it = direct(o, name);
		checked(it, () => needFunction(f));
		const next = it.next;
		for (let i = 0; ; i++) {
			const r = step(it, next);
			if (r.done) return none;
			const v = r.value;
			let answer;
			try { answer = decide(f(v, i), v); } catch (e) { closeQuietly(it); throw e; }
			if (answer !== undefined) { close(it); return answer.v; }
		}
	}
	lengths(helpers, { reduce: 1 });
	define(helpers.includes, "length", { value: 1, configurable: true });
	methods(helpers, { [Symbol.dispose]() {
		const f = this.return;
		if (f !== undefined && f !== null) f.call(this);
	} });

	const WrapPrototype = create(IteratorPrototype);
	methods(WrapPrototype, {
		next() { const s = Slot.get(this); return s.next.call(s.it); },
		return() {
			const s = Slot.get(this), f = s.it.return;
			if (f === undefined || f === null) return { value: undefined, done: true };
			return f.call(s.it);
		},
	});
	methods(made, {
		from(value) {
			if (!isObject(value) && typeof value !== "string") typeError("Iterator.from called on non-object");
			const it = flattenable(value, true);
			const next = it.next;
			if (IteratorPrototype.isPrototypeOf(it)) return it;
			const w = Object.create(WrapPrototype);
			new Slot(w, { it, next });
			return w;
		},
		concat(...items) {
			const list = items.map((item) => {
				if (!isObject(item)) typeError(show(item) + " is not an object");
				const open = item[Symbol.iterator];
				if (typeof open !== "function") typeError(show(item) + " is not iterable");
				return { item, open };
			});
			let i = 0, inner, next;
			return helper(() => {
				for (;;) {
					if (inner === undefined) {
						if (i >= list.length) return DONE;
						const { item, open } = list[i++];
						inner = open.call(item);
						if (!isObject(inner)) typeError(show(inner) + " is not an object");
						next = inner.next;
					}
					const r = step(inner, next);
					if (!r.done) return r.value;
					inner = undefined;
				}
			}, () => { if (inner !== undefined) close(inner); });
		},
		zip(iterables, options = undefined) {
			if (!isObject(iterables)) typeError(show(iterables) + " is not an object");
			const its = [];
			try { for (const x of iterables) its.push(flattenable(x, false)); } catch (e) {
				its.reverse().forEach(closeQuietly); throw e; }
			return zip(its, options, (values) => values, (padding, n) => {
				if (padding === undefined) return new Array(n).fill(undefined);
				const out = [], source = padding[Symbol.iterator]();
				let open = true;
				for (let i = 0; i < n; i++) {
					const r = open ? source.next() : undefined;
					if (open && r.done) open = false;
					out.push(open ? r.value : undefined);
				}
				if (open) close(source);
				return out;
			});
		},
		zipKeyed(iterables, options = undefined) {
			if (!isObject(iterables)) typeError(show(iterables) + " is not an object");
			const keys = [], its = [];
			try {
				for (const k of Reflect.ownKeys(iterables)) {
					const d = Object.getOwnPropertyDescriptor(iterables, k);
					if (!d || !d.enumerable) continue;
					const v = iterables[k];
					if (v === undefined) continue;
					keys.push(k);
					its.push(flattenable(v, false));
				}
			} catch (e) { its.reverse().forEach(closeQuietly); throw e; }
			return zip(its, options, (values) => {
				const o = { __proto__: null };
				keys.forEach((k, i) => { o[k] = values[i]; });
				return o;
			}, (padding) => keys.map((k) => padding === undefined ? undefined : padding[k]));
		},
	});
	lengths(made, { concat: 0, zip: 1, zipKeyed: 1 });

	function zip(its, options, shape, pad) {
		const closeAll = (except) => its.map((x, i) => i).reverse().forEach(
			(i) => { if (open[i] && i !== except) closeQuietly(its[i]); });
		let open = its.map(() => true);
		let mode, padding;
		try {
			if (options !== undefined && !isObject(options)) typeError(show(options) + " is not an object");
			mode = options === undefined ? undefined : options.mode;
			if (mode === undefined) mode = "shortest";
			if (mode !== "shortest" && mode !== "longest" && mode !== "strict") typeError(
				show(mode) + " is not a valid mode");
			const given = mode === "longest" && options !== undefined ? options.padding : undefined;
			if (given !== undefined && !isObject(given)) typeError(show(given) + " is not an object");
			if (mode === "longest") padding = pad(given, its.length);
		} catch (e) { closeAll(-1); throw e; }
		const nexts = its.map((x) => x.next);
		return helper(() => {
			if (its.length === 0) return DONE;
			const values = [];
			for (let i = 0; i < its.length; i++) {
				if (!open[i]) { values.push(padding[i]); continue; }
				let r, done;
				try { r = step(its[i], nexts[i]); done = r.done; if (!done) values.push(r.value); } catch (e) {
					open[i] = false; closeAll(i); throw e; }
				if (!done) continue;
				open[i] = false;
				if (mode === "shortest") { closeAll(i); return DONE; }
				if (mode === "strict") {
					if (i !== 0) { closeAll(i); typeError("Iterators passed to Iterator.zip have different lengths"); }
					for (let j = 1; j < its.length; j++) {
						let more;
						try { more = !step(its[j], nexts[j]).done; } catch (e) {
							open[j] = false; closeAll(j); throw e; }
						if (more) { closeAll(-1); typeError("Iterators passed to Iterator.zip have different lengths");
							}
						open[j] = false;
					}
					return DONE;
				}
				if (!open.includes(true)) return DONE;
				values.push(padding[i]);
			}
			return shape(values);
		}, () => closeAll(-1));
	}
	return { Slot, isObject, Iterator: made, helpers };
})
