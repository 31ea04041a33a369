import { SELF, env } from "cloudflare:test";
import { expect, it } from "vitest";

it("adds up the shards", async () => {
  for (let i = 0; i < 20; i++) await SELF.fetch("http://example.com/hits", { method: "POST" });
  const answer = await SELF.fetch("http://example.com/hits");
  expect(await answer.json()).toEqual({ name: "hits", total: 20 });
});

it("starts every shard at nothing", async () => {
  expect(await env.SHARD.getByName("new/0").value()).toBe(0);
});
