// Methods of Array as the standard has them, for arrays that goja's own functions would take too much memory, stack or
// time for. Called with (native, constructs): native(f) makes a function look built in, constructs(f) tells whether it
// is a constructor.
(function (native, constructs) {
	"use strict";
	const isArray = Array.isArray, { apply } = Reflect, speciesSymbol = Symbol.species,
		sortAll = Array.prototype.sort,
		define = Object.defineProperty, { trunc, min, max } = Math, iteratorSymbol = Symbol.iterator;

	function species(o) {
		if (!isArray(o)) return [];
		let c = o.constructor;
		if (c !== null && typeof c === "object" || typeof c === "function") {
			c = c[speciesSymbol];
			if (c === null) c = undefined;
		}
		return c === undefined ? [] : new c(0);
	}
	function flatten(target, source, length, start, depth) {
		for (let i = 0; i < length; i++) {
			if (!(i in source)) continue;
			const v = source[i];
			if (depth > 0 && isArray(v)) start = flatten(target, v, lengthOf(v), start, depth - 1);
			else put(target, start++, v);
		}
		return start;
	}
	function put(target, at, value) {
		define(target, at, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
	}
	function integer(v) {
		v = trunc(v);
		return v !== v ? 0 : v;
	}
	function lengthOf(o) {
		const length = integer(o.length);
		return length > 0 ? min(length, 2 ** 53 - 1) : 0;
	}
	function relative(v, length) { // an index that counts from the end if it is below zero
		return (v = integer(v)) < 0 ? max(v + length, 0) : min(v, length);
	}
	function made(length) {
		if (length > 2 ** 32 - 1) throw new RangeError("Invalid array length");
		return [];
	}
	const methods = {
		*each(list) { for (const v of list) yield v; },
		// Entries that have a value at 0 and 1, where goja cannot take a hole for a key.
		*entries(list) {
			for (const e of list)
				yield e !== null && (typeof e === "object" || typeof e === "function") ? [e[0], e[1]] : e;
		},
		flat(depth) {
			const length = lengthOf(this), target = species(this);
			flatten(target, this, length, 0, depth);
			return target;
		},
		sort(compare) {
			if (compare !== undefined && typeof compare !== "function")
				throw new TypeError("The comparison function must be either a function or undefined");
			const length = lengthOf(this), list = [];
			for (let i = 0; i < length; i++)
				if (i in this) // a prototype may have a setter at the index
					put(list, list.length, this[i]);
			sortAll.call(list, compare);
			let i = 0;
			for (; i < list.length; i++) this[i] = list[i];
			for (; i < length; i++) if (i in this) delete this[i];
			return this;
		},
		toSorted(compare) {
			const length = lengthOf(this), a = made(length);
			for (let i = 0; i < length; i++) put(a, i, this[i]);
			return sortAll.call(a, compare);
		},
		toReversed() {
			const length = lengthOf(this), a = made(length);
			for (let i = 0; i < length; i++) put(a, i, this[length - i - 1]);
			return a;
		},
		with(index, value) {
			const length = lengthOf(this), at = integer(index), from = at < 0 ? at + length : at;
			if (from < 0 || from >= length) throw new RangeError(`Invalid index : ${at}`);
			const a = made(length);
			for (let i = 0; i < length; i++) put(a, i, i === from ? value : this[i]);
			return a;
		},
		toSpliced(start, skip, ...items) {
			const length = lengthOf(this), from = relative(start, length), rest = length - from;
			const given = arguments.length;
			const skipped = given === 0 ? 0 : given === 1 ? rest : min(max(integer(skip), 0), rest);
			const count = length - skipped + items.length;
			if (count > 2 ** 53 - 1) throw new TypeError("Invalid array length");
			const a = made(count);
			let i = 0;
			for (; i < from; i++) put(a, i, this[i]);
			for (let k = 0; k < items.length; k++) put(a, i++, items[k]);
			for (; i < count; i++) put(a, i, this[i - items.length + skipped]);
			return a;
		},
		// Array.from of what is no array.
		from(items, map, receiver) {
			if (map !== undefined && typeof map !== "function") throw new TypeError(`${map} is not a function`);
			const method = items[iteratorSymbol], own = typeof this !== "function" || !constructs(this);
			let i = 0;
			if (method !== undefined && method !== null) {
				if (typeof method !== "function") throw new TypeError(`${method} is not a function`);
				const a = own ? [] : new this();
				for (const v of { [iteratorSymbol]: () => apply(method, items, []) }) {
					put(a, i, map === undefined ? v : apply(map, receiver, [v, i]));
					i++;
				}
				a.length = i;
				return a;
			}
			const length = lengthOf(items), a = own ? made(length) : new this(length);
			for (; i < length; i++) put(a, i, map === undefined ? items[i] : apply(map, receiver, [items[i], i]));
			a.length = length;
			return a;
		},
		compare(f, numbers) {
			if (f !== undefined) return (a, b) => f(a, b);
			if (numbers) return (a, b) => a < b ? -1 : a > b ? 1 :
				a !== a ? b !== b ? 0 : 1 : b !== b ? -1 :
				a === 0 && b === 0 ? Object.is(a, -0) ? Object.is(b, -0) ? 0 : -1 : Object.is(b, -0) ? 1 : 0 : 0;
			return (a, b) => {
				a = `${a}`;
				b = `${b}`;
				return a < b ? -1 : a > b ? 1 : 0;
			};
		},
	};
	Object.values(methods).forEach((f) => native(f));
	return methods;
})
