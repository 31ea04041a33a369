// The walker calls every function that it can reach with hostile receivers and arguments.
import { hash, names, random, values } from "./values.js";

// attempts are what an instance of a class may be made with.
const attempts = [[], ["http://localhost:1/"], [new Uint8Array(16)], ["gzip"], [(r) => r(1)], [new ArrayBuffer(64)], ["x", "y"], [["x"], "y"], [{}], [() => {}], ["a", [1]],
	["en-US", { type: "region" }], [new ReadableStream({})], [new WritableStream({})], ["SHA-256"], [{ module: "x" }], [[1, 2, 3]]];

function instance(c) {
	for (const args of attempts) {
		try {
			return Reflect.construct(c, args);
		} catch {}
	}
}

// collect lists the functions below root by their paths: [path, function, receiver maker].
function collect(root, name, into, seen, depth) {
	if (root === null || (typeof root !== "object" && typeof root !== "function") || seen.has(root)) return;
	seen.add(root);
	if (typeof root === "function") {
		into.push([name, root, () => undefined]);
		const proto = Object.getOwnPropertyDescriptor(root, "prototype")?.value;
		if (proto && typeof proto === "object" && depth < 5) {
			into.push(["new " + name, (...args) => Reflect.construct(root, args), () => undefined]);
			members(proto, name + ".prototype", into, seen, depth, () => instance(root));
		}
	}
	members(root, name, into, seen, depth, () => root);
}

function members(o, name, into, seen, depth, receiver) {
	if (depth > 5) return;
	for (const key of Reflect.ownKeys(o)) {
		if (key === "constructor" || key === "prototype" || key === "caller" || key === "arguments") continue;
		const path = name + (typeof key === "symbol" ? "[" + key.description + "]" : "." + key);
		const d = Object.getOwnPropertyDescriptor(o, key);
		for (const [kind, f] of [["get ", d.get], ["set ", d.set]])
			if (f && !seen.has(f)) {
				seen.add(f);
				into.push([kind + path, f, receiver]);
				if (kind === "get ") {
					let v;
					try { v = f.call(receiver()); } catch {}
					if (v && typeof v === "object" && !Object.hasOwn(o, "prototype")) chained(v, path, into, seen, depth + 1);
				}
			}
		if (typeof d.value === "function" && !seen.has(d.value)) {
			seen.add(d.value);
			into.push([path, d.value, receiver]);
			seen.delete(d.value);
			if (Object.hasOwn(d.value, "prototype")) collect(d.value, path, into, seen, depth + 1);
			seen.add(d.value);
		} else if (d.value && typeof d.value === "object") chained(d.value, path, into, seen, depth + 1);
	}
}

// chained is collect for an object whose methods are its prototype's.
function chained(o, name, into, seen, depth) {
	if (seen.has(o)) return;
	collect(o, name, into, seen, depth);
	for (let p = Object.getPrototypeOf(o), n = 0; p && n < 5; p = Object.getPrototypeOf(p), n++) {
		if (seen.has(p) || p === Object.prototype || p === Array.prototype || p === Function.prototype) continue;
		seen.add(p);
		members(p, name, into, seen, depth + 1, () => o);
	}
}

const iterators = { array: () => [1][Symbol.iterator](), map: () => new Map([[1, 1]]).entries(), set: () => new Set([1]).values(), string: () => "x"[Symbol.iterator](), matches: () => "x".matchAll(/x/g),
	generator: () => (function* () { yield 1; })(), asyncGenerator: () => (async function* () { yield 1; })(), helper: () => [1].values().map((x) => x), segments: () => new Intl.Segmenter().segment("x")[Symbol.iterator]() };

// roots are where the functions are looked for: globals, modules and what is made here.
export function roots() {
	const builtin = globalThis.process?.getBuiltinModule;
	return [...Object.getOwnPropertyNames(globalThis).sort(), ...Object.keys(iterators).map((name) => "iterator " + name),
		...(builtin ? builtin("module").builtinModules : []).map((name) => "node " + name)];
}

function root(name) {
	if (name.startsWith("iterator ")) return iterators[name.slice(9)]();
	if (name.startsWith("node ")) return globalThis.process.getBuiltinModule(name.slice(5));
	return globalThis[name];
}

// functions are those below a root. Another root's are its own.
export function functions(name, value) {
	const into = [], seen = new Set([globalThis]);
	try {
		if (value === undefined) {
			value = root(name);
			for (const other of Object.getOwnPropertyNames(globalThis)) {
				const v = Object.getOwnPropertyDescriptor(globalThis, other).value;
				if (v !== value && (typeof v === "function" || (typeof v === "object" && v))) seen.add(v);
			}
		}
		typeof value === "function" ? collect(value, name, into, seen, 0) : value && typeof value === "object" && chained(value, name, into, seen, 0);
	} catch {}
	return into;
}

const brief = (list) => list.map(([n]) => n).join(", ");

// run calls function number n from one combination to another, and says which it is at.
export async function run(list, n, from, to, seed) {
	const [path, f, receiver] = list[n];
	const waited = [];
	for (let i = from; i < to; i++) {
		const rnd = random(hash(path) ^ Math.imul(seed + i, 2654435761));
		const pick = () => { const name = names[rnd(names.length)]; return [name, values[name]()]; };
		const own = rnd(3) > 0;
		console.log("@" + i);
		try {
			const args = Array.from({ length: rnd(4) + (i > from ? 0 : 1) }, pick);
			const to = own ? ["own", receiver()] : pick();
			console.log("@" + i + " " + path + ": " + to[0] + " (" + brief(args) + ")");
			const v = Reflect.apply(f, to[1], args.map((a) => a[1]));
			if (v !== null && typeof v === "object") {
				if (typeof v.then === "function") waited.push(Promise.resolve(v).catch(() => {}));
				else if (typeof v.next === "function") for (let k = 0; k < 3; k++) v.next();
			}
		} catch {}
	}
	await Promise.race([Promise.all(waited), scheduler.wait(2)]);
	return "ran";
}
