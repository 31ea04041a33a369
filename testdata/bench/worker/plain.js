// Computations without packages. Each does its work n times and gives back something that depends on all of it.
const order = (i) => ({
  id: i, name: "order " + i, tags: ["a", "b", "c"], paid: i % 2 === 0, total: i * 1.25,
  customer: { name: "Ann", mail: "ann@example.com", address: { street: "Main Street 1", zip: "12345" } },
});

const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));

const random = (seed) => () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff);

const log = Array.from({ length: 200 }, (_, i) =>
  `2026-04-0${i % 9 + 1}T10:00:00Z [${i % 3 ? "info" : "error"}] user${i}@example.com GET /items/${i}?page=${i % 7} ${i * 3}ms`).join("\n");

export const plain = {
  json(n) {
    const list = Array.from({ length: 50 }, (_, i) => order(i));
    let length = 0;
    for (let i = 0; i < n; i++) length += JSON.stringify(JSON.parse(JSON.stringify(list))).length;
    return length;
  },
  strings(n) {
    let length = 0;
    for (let i = 0; i < n; i++) {
      let text = "";
      for (let j = 0; j < 500; j++) text += "item " + j + ", ";
      length += text.split(", ").map((s) => s.toUpperCase().replace("ITEM", "x").trim()).join("-").length;
    }
    return length;
  },
  maps(n) {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const map = new Map(), set = new Set();
      for (let j = 0; j < 500; j++) {
        map.set("key" + (j % 100), (map.get("key" + (j % 100)) ?? 0) + j);
        set.add(j % 50);
      }
      for (const [, value] of map) sum += value;
      sum += set.size;
    }
    return sum;
  },
  sort(n) {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const next = random(i + 1);
      const list = Array.from({ length: 500 }, () => ({ key: next() % 1000, name: "n" + next() % 100 }));
      list.sort((a, b) => a.key - b.key || (a.name < b.name ? -1 : 1));
      sum += list[0].key;
    }
    return sum;
  },
  fib(n) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += fib(18);
    return sum;
  },
  async await(n) {
    const one = async (i) => i;
    const two = async (i) => (await one(i)) + 1;
    let sum = 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < 500; j++) sum += await two(j);
    return sum;
  },
  spread(n) {
    let sum = 0;
    const add = (...list) => list.length;
    for (let i = 0; i < n; i++) {
      let state = { a: 1, b: 2, c: 3, list: [1, 2, 3] };
      for (let j = 0; j < 200; j++) {
        const { a, ...rest } = state;
        const [first, ...others] = state.list;
        state = { ...rest, a: a + 1, list: [...others, first] };
        sum += add(...state.list, ...others);
      }
      sum += state.a;
    }
    return sum;
  },
  bytes(n) {
    const bytes = new Uint8Array(8192);
    let a = 1, b = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < bytes.length; j++) bytes[j] = (bytes[j] * 31 + j + i) & 0xff;
      for (let j = 0; j < bytes.length; j++) {
        a = (a + bytes[j]) % 65521;
        b = (b + a) % 65521;
      }
    }
    return (b << 16) | a;
  },
  regexps(n) {
    let found = 0;
    for (let i = 0; i < n; i++) {
      for (const line of log.split("\n")) {
        const m = /^(\d{4}-\d\d-\d\d)T\S+ \[(info|error)\] (\S+@\S+\.com) (GET|POST) (\/[^?]*)\?page=(\d+) (\d+)ms$/.exec(line);
        found += m ? Number(m[7]) : 0;
      }
      found += log.replace(/[aeiou]+/g, "_").length + (log.match(/\berror\b/g)?.length ?? 0);
    }
    return found;
  },
};
