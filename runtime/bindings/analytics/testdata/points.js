export default {
	async fetch(req, env) {
		const attempt = (f) => { try { return String(f()) } catch (e) { return `${e.name}: ${e.message}` } };
		const { writeDataPoint } = env.A;
		const a = (point) => attempt(() => env.A.writeDataPoint(point));
		if (new URL(req.url).pathname === "/many") {
			for (let i = 0; i < 300; i++) env.A.writeDataPoint({ doubles: [i] });
			return new Response("done");
		}
		const wide = (n, v) => Array(n).fill(v);
		return new Response([
			env.A.constructor.name, Object.prototype.toString.call(env.A), Object.keys(env.A).length,
			a({ blobs: ["a", null, 5, new Uint8Array([66]).buffer, new Uint8Array([67, 68])], doubles: [1.5, "2", NaN, -Infinity],
				indexes: ["i"] }),
			a(), a(null), a({ blobs: undefined }), a({ indexes: [null] }), attempt(() => env.B.writeDataPoint({ doubles: [1] })),
			env.A.constructor === env.B.constructor, typeof LocalAnalyticsEngineDataset,
			attempt(() => writeDataPoint({})), attempt(() => new env.A.constructor()),
			a("a"), a({ blobs: wide(21, "a") }), a({ doubles: wide(21, 1) }), a({ indexes: ["a", "b"] }),
			a({ indexes: ["a".repeat(96)] }), a({ indexes: ["é".repeat(49)] }), a({ blobs: ["a".repeat(16384)] }),
			a({ blobs: ["a".repeat(16384), "b"] }), a({ blobs: 1 }), a({ doubles: { length: 1 } }),
			a({ blobs: Array(4294967295) }), a({ blobs: [Symbol()] }),
		].join("\n"));
	},
};
