export class A extends DurableObject {
  hi() {
    return "hi";
  }
  fetch() {
    return new Response("fetched");
  }
}
const tests = {
  missing: async (env) => {
    const s = env.A.get(env.A.idFromName("a"));
    return [
      typeof s.hi,
      await caught(() => s.hi()),
      await (await s.fetch("http://x/")).text(),
      "hi" in s,
      s.id.toString().length,
    ].join("|");
  },
};
