// Pure functions, some of whose lines do not run.
export function area(shape) {
  switch (shape.kind) {
    case "circle":
      return Math.PI * shape.r ** 2;
    case "square":
      return shape.a ** 2;
    default:
      throw new Error(`no area of ${shape.kind}`);
  }
}

export function classify(n) {
  if (n < 0) {
    return "negative";
  } else if (n === 0) {
    return "zero";
  }
  if (n > 1000) {
    const big = "large";
    return big;
  }
  return n % 2 === 0
    ? "even"
    : "odd";
}

export const twice = (x) => 2 * x;

export const never = (x) => {
  const y = x + 1;
  return y;
};

export function sum(list, start = 0) {
  let total = start;
  for (const x of list) {
    if (x == null) continue;
    total += x;
  }
  while (total > 1e6) {
    total -= 1e6;
  }
  return total;
}

export function safe(f) {
  try {
    return f();
  } catch (e) {
    return e.message;
  } finally {
    safe.calls = (safe.calls ?? 0) + 1;
  }
}

export class Stack {
  #items = [];
  push(x) {
    this.#items.push(x);
    return this;
  }
  pop() {
    if (this.#items.length === 0) {
      throw new RangeError("empty");
    }
    return this.#items.pop();
  }
  get size() {
    return this.#items.length;
  }
  static of(...items) {
    const s = new Stack();
    for (let i = 0; i < items.length; i++) s.push(items[i]);
    return s;
  }
}

export async function later(value) {
  await null;
  if (!value) {
    return "nothing";
  }
  return value;
}

export function* count(to) {
  for (let i = 0; i < to; i++) {
    yield i;
  }
}

function unused() {
  return 1;
}
export const hidden = () => unused;
