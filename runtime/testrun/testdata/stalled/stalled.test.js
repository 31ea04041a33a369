import { beforeEach, describe, expect, it } from "vitest";
import { opened } from "./never.js";
import worker from "./worker.js";

it("a promise that nobody resolves", async () => {
  await new Promise(() => {});
});

it("a promise made elsewhere", async () => {
  const done = new Promise(() => {});
  await done;
});

it("an event, in another file", async () => {
  await opened(new EventTarget());
});

it("the Worker's own function", async () => {
  await worker.work(new Promise(() => {}));
});

it("an assertion", async () => {
  await expect(new Promise(() => {})).resolves.toBe(1);
});

it("several", async () => {
  await Promise.all([opened(new EventTarget()), worker.queue()]);
});

it("a promise that it returns", () => new Promise(() => {}));

describe("a hook", () => {
  beforeEach(async () => {
    await opened(new EventTarget());
  });
  it("is not reached", () => {});
});

it.concurrent("one of two", async () => {
  await new Promise(() => {});
});

it.concurrent("the other", async () => {
  await opened(new EventTarget());
});
