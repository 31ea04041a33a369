const sum = (list) => { let s = 0; for (let i = 0; i < list.length; i++) s += list[i] ^ i; return s; };
const marked = new WeakMap([[Symbol("marked"), 1]]), ends = new FinalizationRegistry(() => {});
async function* numbers() { yield 1; yield 2; }
export default {
	async fetch(request) {
		ends.register(request, 1);
		let n = sum(new Uint8Array(1e5));
		for await (const x of numbers()) n += x;
		setTimeout(() => {}, 1e6);
		return new Response(String(n).replace(/\d+/g, (d) => "n=" + d) + structuredClone("."));
	},
};
