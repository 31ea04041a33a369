// What both the test of Node and that of eddy do with the functions.
export async function use(shapes) {
  const { area, classify, twice, sum, safe, Stack, later, count } = shapes;
  const out = [area({ kind: "square", a: 3 }), classify(3), classify(4), classify(-1), twice(4), sum([1, null, 2])];
  out.push(safe(() => 1), safe(() => { throw new Error("no"); }));
  const s = Stack.of(1, 2);
  out.push(s.pop(), s.size, await later("x"), [...count(3)]);
  return out;
}
