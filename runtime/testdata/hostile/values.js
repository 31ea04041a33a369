// What the walker hands to functions: values by name, each made anew, so that a call does not spoil the next one's.

// random is a generator of numbers below n, the same for the same seed.
export function random(seed) {
	let s = seed >>> 0;
	return (n) => {
		s = (s + 0x6d2b79f5) >>> 0;
		let t = Math.imul(s ^ (s >>> 15), s | 1);
		t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) % n;
	};
}

export function hash(text) {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return h >>> 0;
}

const bare = (o) => Object.assign(Object.create(null), o);

function looped() {
	const o = {};
	for (const name of ["toString", "valueOf", "toJSON", "then", "get", "next", "has", "keys", "size", "return"])
		Object.defineProperty(o, name, { get() { return o[name]; } });
	return o;
}

// mutual recurses through a method instead of a getter: String(o), JSON.stringify(o), o < 1.
function mutual() {
	const o = { toString: () => String(o), valueOf: () => Number(o), toJSON: () => JSON.stringify(o), [Symbol.toPrimitive]: undefined };
	return o;
}

function trapping() {
	const p = new Proxy(function () {}, new Proxy({}, { get: () => () => p.x }));
	return p;
}

function chain() {
	let p = {};
	for (let i = 0; i < 20000; i++) p = new Proxy(p, {});
	return p;
}

function heir() {
	const o = {}, p = new Proxy(o, {});
	Object.setPrototypeOf(o, p);
	return o;
}

function deep(n) {
	let a = [];
	for (let i = 0; i < n; i++) a = [a];
	return a;
}

function shared(make) {
	let o = make({});
	for (let i = 0; i < 40; i++) o = make({ a: o, b: o });
	return o;
}

function sparse() {
	const a = [];
	a[4294967294] = 1;
	return a;
}

function cyclic() {
	const a = [1];
	a[1] = a;
	return a;
}

function* endless() { for (let i = 0; ; i++) yield [i, i]; }

const big = "x".repeat(1 << 20);

// values are asked for again and again: cheap ones are many, so that the dear ones are rare.
export const values = {
	zero: () => 0, one: () => 1, minus: () => -1, nan: () => NaN, infinite: () => Infinity, half: () => 0.5, u32: () => 4294967295, p31: () => 2 ** 31, p32: () => 2 ** 32,
	p40: () => 2 ** 40, p53: () => 2 ** 53 - 1, huge: () => 1e308, big64: () => 2n ** 64n, negative64: () => -(2n ** 64n), bigger: () => 1n << 1000000n,
	undefined: () => undefined, null: () => null, true: () => true, symbol: () => Symbol.iterator, empty: () => "", name: () => "length", proto: () => "__proto__", text: () => "a-b c",
	surrogate: () => "\ud800", nul: () => "\0", url: () => "http://localhost:1/x?y#z", sha: () => "SHA-256", utf8: () => "utf-8", hex: () => "hex", sql: () => "SELECT 1",
	megabyte: () => big, megabytes: () => big.repeat(8), unicode: () => "é\u0301".repeat(1 << 18), digits: () => "9".repeat(1 << 16), brackets: () => "(".repeat(1 << 16), json: () => "[".repeat(1 << 17),
	arraylike32: () => ({ length: 4294967295 }), arraylike53: () => ({ length: 2 ** 53 - 1 }), barelike: () => bare({ length: 4294967295 }), barelike53: () => bare({ length: 2 ** 53 - 1 }),
	proxylike: () => new Proxy({}, { get: (t, k) => (k === "length" ? 2 ** 53 - 1 : undefined), has: () => true }),
	proxy: () => new Proxy({}, {}), callable: () => new Proxy(() => {}, {}), trapping, chain, heir, looped, mutual,
	revoked: () => { const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy; },
	thrower: () => new Proxy(function () {}, { get() { throw new Proxy({}, {}); }, apply() { throw null; } }),
	cyclic, deep: () => deep(10000), deeper: () => deep(100000), shared: () => shared((o) => o), bareShared: () => shared(bare), sharedArray: () => { let a = []; for (let i = 0; i < 40; i++) a = [a, a]; return a; },
	sparse, holes: () => Array(1 << 20), long: () => Array(1 << 18).fill(1), longest: () => Array(1 << 30), strings: () => Array(1000).fill(big), filled: () => [3, 1, 2],
	bytes: () => new Uint8Array(1 << 20), floats: () => new Float64Array(1 << 17).fill(1.5), buffer: () => new ArrayBuffer(1 << 20), resizable: () => new ArrayBuffer(8, { maxByteLength: 2 ** 31 }),
	view: () => new DataView(new ArrayBuffer(8)), detached: () => { const b = new ArrayBuffer(8); structuredClone(b, { transfer: [b] }); return new Uint8Array(b); },
	map: () => new Map([[1, 2]]), set: () => new Set([1, 2, 3]), selfMap: () => { const m = new Map(); return m.set(m, m); }, hugeSet: () => ({ size: Infinity, has: () => true, keys: endless }),
	date: () => new Date(NaN), regexp: () => /(a*)*b/, global: () => /(?:)/g, slow: () => /^(\w+\s?)*$/, plain: () => ({ a: 1 }), endless, iterable: () => ({ [Symbol.iterator]: endless }),
	asyncEndless: () => (async function* () { for (;;) yield big; })(), never: () => new Promise(() => {}), rejected: () => { const p = Promise.reject(1); p.catch(() => {}); return p; },
	thenable: () => { const t = { then: (f) => f(t) }; return t; },
	stream: () => new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(65536)); } }), stuck: () => new ReadableStream({}), blob: () => new Blob([big]), response: () => new Response("x"),
	request: () => new Request("http://localhost:1/"), headers: () => new Headers({ a: "b" }), aborted: () => AbortSignal.abort(), form: () => new FormData(),
	options: () => ({ signal: AbortSignal.abort(), length: 2 ** 40, size: 2 ** 40, limit: 2 ** 40, level: 99, maxLength: 1e9, iterations: 1e9, highWaterMark: Infinity, name: "PBKDF2" }),
	same: () => (x) => x, yes: () => () => true, pair: () => (a, b) => a - b,
	pusher: () => (function () { let a = []; return (x, i, l) => { try { (Array.isArray(l) ? l : a).push(x, x); } catch {} return true; }; })(),
	caller: () => { const f = (...a) => f(...a); return f; }, again: () => { const f = () => [1, 2].sort(f); return f; }, thrown: () => () => { throw mutual(); },
	loop: () => () => { for (;;); }, eater: () => { const a = []; return () => a.push(new Uint8Array(1 << 20), Array(1 << 16).fill(0)); }, grower: () => () => big.repeat(400),
	constructor: () => class { constructor() { return new Proxy(this, {}); } }, native: () => Math.max, bound: () => Function.prototype.call.bind(Function.prototype.call),
};

export const names = Object.keys(values);
