// A call is the path /<store>/<method> with the arguments as JSON in ?args=; the answer is what the method gave.
export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const [, store, method] = url.pathname.split('/');
    const args = JSON.parse(url.searchParams.get('args') ?? '[]');
    try {
      return Response.json((await calls[store](env, method, args)) ?? null);
    } catch (e) {
      return new Response(e.message, { status: 500 });
    }
  },
};

const calls = {
  KV: (env, method, args) => env.KV[method](...args),
};
