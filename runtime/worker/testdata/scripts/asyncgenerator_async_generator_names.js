let promise,
  isYieldStar,
  generator,
  __this,
  __arguments,
  value,
  obj,
  it,
  method,
  __await = 1,
  __asyncGenerator = 2,
  __yieldStar = 3,
  __forAwait = 4;
async function* g() {
  for await (const v of [await 1, 2]) yield v;
  yield* [3];
}
export default {
  async fetch() {
    const out = [];
    for await (const v of g()) out.push(v);
    return new Response(
      [
        out,
        promise,
        isYieldStar,
        generator,
        __this,
        __arguments,
        value,
        obj,
        it,
        method,
        __await,
        __asyncGenerator,
        __yieldStar,
        __forAwait,
        Object.prototype.toString.call(g()),
      ].join(),
    );
  },
};
