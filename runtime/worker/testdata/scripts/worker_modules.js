import { env as imported, WorkerEntrypoint } from "cloudflare:workers";
export default {
	async fetch(request, env, ctx) {
		await new Promise((r) => setTimeout(r, 1));
		return new Response(new URL(request.url).pathname + env.X + imported.X + Object.keys(ctx),
			{ status: 201, headers: { a: "b" } });
	},
};
