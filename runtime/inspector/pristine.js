// The value is an object of functions that look at values without running what a script has put in the place of
// built-ins: it runs before any script of the Worker.
(() => {
	const { getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
	const { stringify } = JSON;
	const call = Function.prototype.call.bind(Function.prototype.call);
	const getter = (o, key) => getOwnPropertyDescriptor(o, key).get;
	const typed = getPrototypeOf(Uint8Array.prototype);
	const typedName = getter(typed, Symbol.toStringTag);
	const brands = [
		["map", getter(Map.prototype, "size")],
		["set", getter(Set.prototype, "size")],
		["arraybuffer", getter(ArrayBuffer.prototype, "byteLength")],
		["dataview", getter(DataView.prototype, "byteLength")],
	];
	const { has: weakMapHas } = WeakMap.prototype, { has: weakSetHas } = WeakSet.prototype;
	const { forEach: mapEach } = Map.prototype, { forEach: setEach } = Set.prototype;
	const { push } = Array.prototype;
	const key = {};
	const is = (f, ...args) => {
		try {
			call(f, ...args);
			return true;
		} catch {
			return false;
		}
	};
	const kind = (v) => {
		for (const [name, f] of brands) if (is(f, v)) return name;
		if (call(typedName, v) !== undefined) return "typedarray";
		if (is(weakMapHas, v, key)) return "weakmap";
		if (is(weakSetHas, v, key)) return "weakset";
		return "";
	};
	const className = (v) => {
		for (let o = v; o !== null; o = getPrototypeOf(o)) {
			const d = getOwnPropertyDescriptor(o, "constructor");
			if (d === undefined || typeof d.value !== "function") continue;
			const name = getOwnPropertyDescriptor(d.value, "name");
			if (name !== undefined && typeof name.value === "string" && name.value !== "") return name.value;
		}
		return "Object";
	};
	const own = (v, name) => {
		const d = getOwnPropertyDescriptor(v, name);
		if (d === undefined || "value" in d) return d?.value;
		return name === "stack" && d.get ? call(d.get, v) : undefined;
	};
	const entries = (v) => {
		const list = [];
		const add = (e) => call(push, list, e);
		if (is(brands[0][1], v)) call(mapEach, v, (value, k) => add([k, value]));
		else call(setEach, v, (value) => add([value]));
		return list;
	};
	return {
		kind, className, own, entries, ownKeys, getPrototypeOf, getOwnPropertyDescriptor,
		json: (v) => stringify(v),
		functionText: Function.prototype.toString,
		dateText: Date.prototype.toString,
		regexpText: RegExp.prototype.toString,
		mapSize: brands[0][1],
		setSize: brands[1][1],
		byteLength: brands[2][1],
		typedLength: getter(typed, "length"),
	};
})()
