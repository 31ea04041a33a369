package ecma

import "testing"

// The name of a minus sign and numbers from 2^63 on as arguments of built-ins; the answers are Node's.
func TestArguments(t *testing.T) {
	each(t, map[string]string{
		`const r = []; for (const o of [new String("a"), new Uint8Array(1), Object.create(new String("a"))]) {
			r.push(o.hasOwnProperty("-"), Object.hasOwn(o, "-"), Reflect.has(o, "-"), Reflect.get(o, "-"));
			r.push(Reflect.set(o, "-", 1), o.propertyIsEnumerable("-"), Reflect.get(o, "-"));
			r.push(Object.getOwnPropertyDescriptor(o, "-").value, Reflect.deleteProperty(o, "-"));
			Object.defineProperty(o, "-", { get: () => 5, configurable: true }); r.push(o["-"]); delete o["-"] }
			r.push("a".hasOwnProperty("-"), Object.hasOwn("a", "-"));
			r.push(Object.getOwnPropertyDescriptor("a", "-")); r.join()`: "" +
			"false,false,false,,true,true,1,1,true,5,false,false,false,,true,true,1,1,true,5," +
			"false,false,false,,true,true,1,1,true,5,false,false,",
		`[Math.imul(2 ** 64 + 4096, 3), Math.clz32(1e20), Math.imul("1e20", 1), Math.clz32({ valueOf: () => 1e21 }),
			String.fromCharCode(2 ** 64 + 4096).charCodeAt(0),
			...["1e20", "0x10"].map((s) => [s | 0, ~s])].join()`: "" +
			"12288,1,1661992960,0,4096,1661992960,-1661992961,16,-17",
		`const i = new Int32Array(4), u = new Uint16Array(1), f = new Float64Array(1); let v = i[0] = 1e20;
			u[0] = 2 ** 64 + 4096; f[0] = 1e20; i[1] = 1; i[1] *= 1e20; i[2] = -1e20; i[3] = NaN;
			[v, i, u, f].join()`: "" +
			"100000000000000000000,1661992960,1661992960,-1661992960,0,4096,100000000000000000000",
		`const d = new DataView(new ArrayBuffer(8)); d.setInt32(0, 1e20); d.setUint16(4, 2 ** 64 + 4096);
			[d.getInt32(0), d.getUint16(4), new Int32Array([1, 1e20]), new Int32Array(1).fill(1e20),
				Int32Array.from([1e20])].join()`: "1661992960,4096,1,1661992960,1661992960,1661992960",
		`const t = new Int32Array(2); t.set([1e20, 2]); t.join()`: "1661992960,2",
		`try { Math.imul(1n, 1) } catch (e) { e.name }`:           "TypeError",
	})
}
