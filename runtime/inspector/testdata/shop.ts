let n: number = 0;
export default {
	async fetch(request: Request) {
		n++;
		await Promise.resolve();
		if (request.url.endsWith("/spin")) return new Response(String(spin(20_000)));
		return new Response(String(n));
	},
};
function spin(rounds: number) {
	let sum = 0;
	for (let i = 0; i < rounds; i++) sum += i % 7;
	return sum;
}
