export default {
	async fetch(req, env) {
		const illegal = (f) => { try { return f() } catch (e) { return e.name } };
		const { writeDataPoint } = env.A;
		return new Response([
			env.A.constructor.name, Object.prototype.toString.call(env.A), Object.keys(env.A).length,
			env.A.writeDataPoint({ blobs: ["a", null], doubles: [1.5], indexes: ["i"] }), env.A.writeDataPoint(),
			env.B.writeDataPoint({}), env.A.constructor === env.B.constructor,
			illegal(() => writeDataPoint({})), illegal(() => new env.A.constructor()),
				typeof LocalAnalyticsEngineDataset,
		].map(String).join());
	},
};
