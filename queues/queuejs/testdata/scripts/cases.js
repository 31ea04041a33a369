const run = {};
export default {
	async fetch(request, env) {
		const name = new URL(request.url).searchParams.get("run");
		try { const v = await run[name](env); return new Response(typeof v === "string" ? v : JSON.stringify(v)); }
		catch (e) { return new Response(e.name + ": " + e.message); }
	},
};
