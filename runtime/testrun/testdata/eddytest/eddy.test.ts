import { env, SELF } from "cloudflare:test";
import { alarms, clock, crash, drainAll, evict, object, queue, seed } from "eddy:test";
import { describe, expect, it } from "vitest";

const counter = (name: string) => env.COUNTER.get(env.COUNTER.idFromName(name));
const hour = 3_600_000;

describe("clock", () => {
  it("advances by what it is told, and fires what is due on the way", async () => {
    const began = clock.now();
    expect(Date.now()).toBe(began);
    const fired: number[] = [];
    setTimeout(() => fired.push(clock.now() - began), 1000);
    setTimeout(() => fired.push(clock.now() - began), 3000);
    expect(await clock.advance(2000)).toBe(2000);
    expect(fired).toEqual([1000]);
    expect(clock.now() - began).toBe(2000);
    expect(await clock.advanceToNext()).toBe(1000);
    expect(fired).toEqual([1000, 3000]);
    await expect(clock.advance(-1)).rejects.toThrow("expected milliseconds, 0 or more");
  });
  it("stands while it is paused", async () => {
    const resume = clock.pause();
    const began = clock.now();
    let fired = false;
    setTimeout(() => (fired = true), 10);
    await SELF.fetch("http://x/");
    expect([fired, clock.now() - began]).toEqual([false, 0]);
    resume();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(fired).toBe(true);
  });
  it("runs until idle", async () => {
    let n = 0;
    const again = () => ++n < 5 && setTimeout(again, hour);
    setTimeout(again, hour);
    expect(await clock.runUntilIdle()).toBe(5 * hour);
    expect(n).toBe(5);
  });
});

describe("queue", () => {
  it("shows what it has, drains, and tells of deliveries and dead letters", async () => {
    const jobs = queue("jobs");
    await env.JOBS.send({ id: 1 });
    await env.JOBS.send({ bad: "egg" });
    expect((await jobs.messages()).map((m) => [m.body, m.state, m.attempts])).toEqual([
      [{ id: 1 }, "ready", 0],
      [{ bad: "egg" }, "ready", 0],
    ]);
    expect(await jobs.drain()).toBeGreaterThan(2 * hour);
    expect(await jobs.messages()).toEqual([]);
    const dead = await jobs.deadLetters();
    expect(dead.map((m) => m.body)).toContainEqual({ bad: "egg" });
    expect(dead.at(-1)!.deadLetter).toMatchObject({ queue: "jobs", reason: "exception", error: expect.stringContaining("bad egg"), attempts: 3 });
    expect(jobs.deliveries().map((d) => [d.attempts, d.messages.length, d.ended, d.reason])).toEqual([
      [1, 2, true, "exception"],
      [2, 2, true, "exception"],
      [3, 2, true, "exception"],
    ]);
  });
  it("lets deliveries fail", async () => {
    queue("jobs").failNext(2, "the network");
    await env.JOBS.send({ id: 2 });
    await drainAll();
    expect(await env.KV.get("done 2")).toBe("3");
    expect(queue("jobs").deliveries().slice(3).map((d) => d.error ?? d.acked)).toEqual([
      "Error: the network", "Error: the network", 1]);
  });
  it("pauses", async () => {
    const jobs = queue("jobs");
    await jobs.pause();
    await env.JOBS.send({ id: 3 });
    await clock.advance(10 * hour);
    expect((await jobs.messages()).length).toBe(1);
    await drainAll(); // a queue that is paused is not waited for
    await jobs.resume();
    await jobs.drain();
    expect(await env.KV.get("done 3")).toBe("1");
  });
  it("says what it waits for in vain", async () => {
    await env.LATER.send({ id: 4 });
    await expect(queue("later").drain()).rejects.toThrow("nothing is due that could deliver later with 1 messages");
    await expect(queue("none").drain()).rejects.toThrow('queue "none": there is none of that name');
    await expect(queue("later").deadLetters()).rejects.toThrow('queue "later" has no dead letter queue');
  });
});

describe("objects", () => {
  it("shows what is stored, and runs alarms", async () => {
    const stub = counter("a");
    await stub.increment();
    const a = object(stub);
    expect(await a.storage()).toEqual(new Map([["n", 1]]));
    expect(await a.sql("SELECT 1 + ? AS sum", 2)).toEqual([{ sum: 3 }]);
    const due = clock.now() + hour;
    await stub.wake(hour);
    expect(await a.alarm()).toBe(due);
    expect(await a.runAlarm()).toBe(true);
    expect(await a.alarm()).toBe(null);
    await stub.wake(hour);
    await counter("b").wake(2 * hour);
    const began = clock.now();
    expect(await alarms.runAll()).toBe(2 * hour);
    expect((await object(counter("b")).storage()).get("rang")).toBe(began + 2 * hour);
    expect((await a.storage()).get("rang")).toBe(began + hour);
  });
  it("evicts", async () => {
    expect(await counter("e").increment()).toEqual([1, 1]);
    expect(await counter("e").increment()).toEqual([2, 2]);
    await evict(counter("e"));
    expect(await counter("e").increment()).toEqual([3, 1]);
    await evict();
    expect(await counter("e").increment()).toEqual([4, 1]);
    await object(counter("e")).evict();
    expect(await counter("e").increment()).toEqual([5, 1]);
  });
});

describe("crash", () => {
  it("loses what is in flight and in memory, and keeps what is stored", async () => {
    expect(await counter("c").increment()).toEqual([1, 1]);
    const request = SELF.fetch("http://x/hang");
    const call = counter("c").hang();
    const gone = Promise.all([request, call].map((p) => p.then(() => "ended", (e: Error) => e.message)));
    await clock.advance(1); // both are at work
    await crash();
    expect(await gone).toEqual(["The Worker crashed.", "Network connection lost."]);
    expect(await counter("c").increment()).toEqual([2, 1]);
  });
  it("brings back the batch that was at work", async () => {
    const before = queue("jobs").deliveries().length;
    await env.JOBS.send({ id: 5, slow: true });
    await clock.advance(10_000);
    expect(queue("jobs").deliveries().length).toBe(before + 1);
    await crash();
    await drainAll();
    expect(queue("jobs").deliveries().slice(before).map((d) => d.acked)).toEqual([0, 1]);
    expect(await env.KV.get("done 5")).toBe("1");
  });
  it("keeps alarms", async () => {
    await counter("d").wake(hour);
    await crash();
    await alarms.runAll();
    expect((await object(counter("d")).storage()).has("rang")).toBe(true);
  });
});

it("has the seed", () => expect(seed).toBe(7));
