import fnv from "./fnv.wasm";

// Calls out of WebAssembly are ordinary functions.
let count = 0;
const { exports } = new WebAssembly.Instance(fnv, { env: { hashed: () => count++ } });
const { memory, fnv1a } = exports as { memory: WebAssembly.Memory; fnv1a(at: number, length: number): number };

export default {
	async fetch(request: Request): Promise<Response> {
		const body = new Uint8Array(await request.arrayBuffer());
		// A buffer is good until the memory grows; then it is detached, and memory.buffer is a new one.
		if (body.length > memory.buffer.byteLength) {
			memory.grow(Math.ceil((body.length - memory.buffer.byteLength) / 65536));
		}
		new Uint8Array(memory.buffer).set(body);
		const hash = fnv1a(0, body.length) >>> 0;
		return Response.json({ hash: hash.toString(16).padStart(8, "0"), bytes: body.length, hashed: count });
	},
};
