// Methods of Array as the standard has them, for arrays that goja's own functions would take too much memory, stack or
// time for. Called with (native): native(f) makes a function look built in.
(function (native) {
	"use strict";
	const isArray = Array.isArray, speciesSymbol = Symbol.species, sortAll = Array.prototype.sort,
		define = Object.defineProperty;

	function species(o) {
		if (!isArray(o)) return [];
		let c = o.constructor;
		if (c !== null && typeof c === "object" || typeof c === "function") {
			c = c[speciesSymbol];
			if (c === null) c = undefined;
		}
		return c === undefined ? [] : new c(0);
	}
	function flatten(target, source, start, depth) {
		const length = source.length;
		for (let i = 0; i < length; i++) {
			if (!(i in source)) continue;
			const v = source[i];
			if (depth > 0 && isArray(v)) start = flatten(target, v, start, depth - 1);
			else define(target, start++, { value: v, writable: true, enumerable: true, configurable: true });
		}
		return start;
	}
	const methods = {
		*each(list) { for (const v of list) yield v; },
		// Entries that have a value at 0 and 1, where goja cannot take a hole for a key.
		*entries(list) {
			for (const e of list)
				yield e !== null && (typeof e === "object" || typeof e === "function") ? [e[0], e[1]] : e;
		},
		flat(depth) {
			const target = species(this);
			flatten(target, this, 0, depth);
			return target;
		},
		sort(compare) {
			if (compare !== undefined && typeof compare !== "function")
				throw new TypeError("The comparison function must be either a function or undefined");
			const length = this.length, list = [];
			for (let i = 0; i < length; i++)
				if (i in this) // a prototype may have a setter at the index
					define(list, list.length, { value: this[i], writable: true, enumerable: true, configurable: true });
			sortAll.call(list, compare);
			let i = 0;
			for (; i < list.length; i++) this[i] = list[i];
			for (; i < length; i++) if (i in this) delete this[i];
			return this;
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
