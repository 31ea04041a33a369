import { env, exports } from "cloudflare:workers";
import { createExecutionContext, SELF, waitOnExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";

it("a fetch handler", async () => {
  await SELF.fetch("http://x/never");
});

it("a body", async () => {
  const answer = await exports.default.fetch("http://x/body");
  await answer.text();
});

it("a method of an object", async () => {
  await env.NODE.getByName("n").never();
});

it("a service binding", async () => {
  expect(await env.SERVICE.never()).toBe(1);
});

it("a promise of waitUntil", async () => {
  const ctx = createExecutionContext();
  ctx.waitUntil(new Promise(() => {}));
  await waitOnExecutionContext(ctx);
});

it("an answer after an hour", async () => {
  expect(await (await SELF.fetch("http://x/late")).text()).toBe("late");
});
