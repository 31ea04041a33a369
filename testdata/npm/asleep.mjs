// Creates instances of workers/asleep.jsonc in a running session, waits until they sleep and until they have woken, and
// prints rates, how late they woke, and the memory of the server's processes:
//
//   node asleep.mjs URL PID INSTANCES SECONDS
//
// It works for eddy dev and wrangler dev alike. PID is the server's process; its children are counted with it. SECONDS
// is from the beginning to the time at which all wake.
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

const [url, pid, instances, seconds] = process.argv.slice(2);
const count = Number(instances), began = Date.now(), until = began + Number(seconds) * 1000;

// memory is the resident memory of a process and all below it, in MB.
function memory() {
  const list = execFileSync("ps", ["-eo", "pid=,ppid=,rss="], { encoding: "utf8" }).trim().split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const family = new Set([Number(pid)]);
  for (let before = 0; before !== family.size;) {
    before = family.size;
    for (const [id, parent] of list) if (family.has(parent)) family.add(id);
  }
  return Math.round(list.filter(([id]) => family.has(id)).reduce((sum, [, , rss]) => sum + rss, 0) / 1024);
}

const since = (from) => (Date.now() - from) / 1000;

async function reaches(what) {
  for (;;) {
    const n = (await (await fetch(`${url}/seen`)).json())[what];
    if (n >= count) return;
    if (since(began) > 3 * Number(seconds)) throw new Error(`${n} of ${count} have ${what}`);
    await sleep(200);
  }
}

const before = memory();
for (let from = 0; from < count; from += 100) {
  const res = await fetch(`${url}/create?from=${from}&count=${Math.min(100, count - from)}&until=${until}`);
  if (!res.ok) throw new Error(await res.text());
}
const created = since(began);
await reaches("begun");
const asleep = since(began);
if (Date.now() > until) throw new Error("they were to wake before all slept: give more seconds");
await sleep(Math.max(0, Math.min(65000, until - Date.now() - 2000)));
const sleeping = memory();
await sleep(Math.max(0, until - Date.now()));
await reaches("ended");
const { first, half, last } = await (await fetch(`${url}/late`)).json();
console.log(`${count} instances: created in ${created} s, asleep after ${asleep} s (${Math.round(count / asleep)}/s), ` +
  `${before} MB before and ${sleeping} MB asleep, all woken and ended in ${since(until)} s ` +
  `(${Math.round(count / since(until))}/s), the first went on ${first} ms after its time, half of them within ${half} ms, the last ${last} ms; ` +
  `${memory()} MB then`);
