// SharedArrayBuffer and Atomics for one thread. Called with (core, native, growth, visible) when a script first looks
// at one of them; visible is the object that scripts know as SharedArrayBuffer. Yields what they are.
(function (core, native, growth, visible) {
	"use strict";
	const { methods, lengths, show, define, create, construct, Symbol, setPrototypeOf } = core;
	const { byteLength, slice, tagOf } = core;
	const typeError = (text) => { throw new TypeError(text); };
	const shared = new WeakSet();

	const SharedArrayBuffer = function SharedArrayBuffer(length, options) {
		if (new.target === undefined) typeError("Constructor SharedArrayBuffer requires 'new'");
		const b = construct(ArrayBuffer, [length, options], new.target);
		shared.add(b);
		return b;
	};
	const proto = create(Object.prototype);
	define(SharedArrayBuffer, "prototype", { value: proto, writable: false, enumerable: false, configurable: false });
	define(SharedArrayBuffer, "length", { value: 1, configurable: true });
	define(proto, "constructor", { value: visible, writable: true, enumerable: false, configurable: true });
	define(proto, Symbol.toStringTag, { value: "SharedArrayBuffer", configurable: true });
	const self = (o, name) => shared.has(o) || growth.adopted(o) ? o :
		typeError("Method SharedArrayBuffer.prototype." + name + " called on incompatible receiver " + show(o));
	methods(proto, {
		get byteLength() { return byteLength.call(self(this, "byteLength")); },
		get growable() { return growth.max(self(this, "growable")) !== undefined; },
		get maxByteLength() { return growth.max(self(this, "maxByteLength")) ?? byteLength.call(this); },
		grow(length) {
			if (growth.max(self(this, "grow")) === undefined) typeError(
				"Method SharedArrayBuffer.prototype.grow called on incompatible receiver #<SharedArrayBuffer>");
			if (!growth.grow(this, length)) throw new RangeError(
				"SharedArrayBuffer.prototype.grow: Invalid length parameter");
		},
		slice(start, end) {
			self(this, "slice");
			const copy = slice.call(setPrototypeOf(this, ArrayBuffer.prototype), start, end);
			setPrototypeOf(this, proto);
			shared.add(copy);
			return setPrototypeOf(copy, proto);
		},
	});
	methods(SharedArrayBuffer, { get [Symbol.species]() { return this; } });
	native(SharedArrayBuffer);

	const integer = new Set(["Int8Array", "Uint8Array", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
		"BigInt64Array", "BigUint64Array"]);
	function access(array, index) {
		const t = array !== null && typeof array === "object" ? tagOf.call(array) : undefined;
		if (!integer.has(t)) typeError("[object " + (Array.isArray(array) ? "Array" : "Object") +
			"] is not an integer typed array.");
		const i = Math.trunc(Number(index)) || 0;
		if (i < 0 || i >= array.length) throw new RangeError("Invalid atomic access index");
		return i;
	}
	function convert(array, v) {
		if (tagOf.call(array).startsWith("Big")) return BigInt(v);
		const n = Math.trunc(Number(v));
		return n !== n ? 0 : n + 0;
	}
	function change(array, index, value, f) {
		const i = access(array, index), v = convert(array, value), old = array[i];
		array[i] = f(old, v);
		return old;
	}
	const Atomics = {};
	methods(Atomics, {
		add(array, index, value) { return change(array, index, value, (a, b) => a + b); },
		and(array, index, value) { return change(array, index, value, (a, b) => a & b); },
		compareExchange(array, index, expected, replacement) {
			const i = access(array, index), want = convert(array, expected), v = convert(array, replacement),
				old = array[i];
			const probe = new array.constructor([want]);
			if (old === probe[0]) array[i] = v;
			return old;
		},
		exchange(array, index, value) { return change(array, index, value, (a, b) => b); },
		isLockFree(size) { const n = Math.trunc(Number(size)); return n === 1 || n === 2 || n === 4 || n === 8; },
		load(array, index) { return array[access(array, index)]; },
		notify(array, index, count) { access(array, index); return 0; },
		or(array, index, value) { return change(array, index, value, (a, b) => a | b); },
		pause(n = undefined) { if (n !== undefined && !Number.isInteger(n)) typeError(show(n) + " is not an integer");
			},
		store(array, index, value) { const i = access(array, index), v = convert(array, value); array[i] = v; return v;
			},
		sub(array, index, value) { return change(array, index, value, (a, b) => a - b); },
		wait(array, index, value, timeout) {
			access(array, index); typeError("Atomics.wait cannot be called in this context"); },
		waitAsync(array, index, value, timeout) {
			access(array, index); typeError("Atomics.waitAsync is not supported by this runtime"); },
		xor(array, index, value) { return change(array, index, value, (a, b) => a ^ b); },
	});
	lengths(Atomics, { pause: 0 });
	define(Atomics, Symbol.toStringTag, { value: "Atomics", writable: false, enumerable: false, configurable: true });
	return { SharedArrayBuffer, Atomics };
})
