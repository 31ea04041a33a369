export default {
  async fetch(r, env, ctx) {
    ctx.waitUntil(env.Q.send("x".repeat(200_000)));
    await Promise.all([env.Q.send(1), env.R.send(2), env.S.send(3)]);
    return Response.json([
      (await env.Q.metrics()).backlogCount,
      (await env.R.metrics()).backlogCount,
      (await env.S.metrics()).backlogCount,
    ]);
  },
};
