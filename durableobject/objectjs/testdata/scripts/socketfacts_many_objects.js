export class O extends DurableObject {
  n = 0;
  add(i) {
    return (this.n += i);
  }
}
const each = async (env, n) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += await env.O.getByName("o" + i).add(i);
  return sum;
};
const tests = { each: (env, ctx, request) => each(env, Number(new URL(request.url).searchParams.get("n"))) };
