var late, errors = [];
addEventListener("fetch", e => {
	late = e;
	e.waitUntil("promise");
	e.respondWith(e.request + e.type + e.isTrusted);
	try { e.respondWith(1) } catch (x) { errors.push(x.name + ": " + x.message) }
});
addEventListener("fetch", () => errors.push("the first listener answered"));
addEventListener("scheduled", e => { e.noRetry(); e.waitUntil(e.cron + e.scheduledTime) });
