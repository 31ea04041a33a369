import { DurableObject } from "cloudflare:workers";

export class Shelf extends DurableObject {
  async put(key, value) {
    await this.ctx.storage.put(key, value);
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS t (big INTEGER)");
    this.ctx.storage.sql.exec("INSERT INTO t VALUES (4503599627370497)");
    await this.ctx.storage.setAlarm(Date.now() + 3_600_000);
  }
  get(key) {
    return this.ctx.storage.get(key);
  }
  alarm() {}
}

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

  SECRET: (env, method) => env.SECRET[method](),

  // The first argument is the object's name.
  OBJ: (env, method, [name, ...args]) => env.OBJ.getByName(name)[method](...args),

  Q: async (env, method, args) => void (await env.Q[method](...args)),

  PIPE: (env, method, args) => env.PIPE[method](...args),

  // describe gives what does not change from run to run, a mutation nothing.
  async VEC(env, method, args) {
    const { processedUpToDatetime, processedUpToMutation, mutationId, ...rest } = await env.VEC[method](...(args ?? []));
    return rest;
  },

  // The statements of a batch are lists: SQL and its parameters.
  async DB(env, method, args) {
    const list = args.map(([sql, ...params]) => env.DB.prepare(sql).bind(...params));
    const results = await env.DB.batch(list);
    return results.map((r) => r.results);
  },

  async R2(env, method, args) {
    if (method === 'large') return large(env.R2, ...args);
    if (method === 'sum') return sum(env.R2, ...args);
    const got = await env.R2[method](...args);
    if (got?.text) return { key: got.key, size: got.size, text: await got.text(), custom: got.customMetadata };
    return got?.objects ? got.objects.map((o) => o.key) : got?.key;
  },
};

// large puts an object of parts of so many MiB, each full of its number.
async function large(bucket, key, parts, size) {
  const upload = await bucket.createMultipartUpload(key);
  const done = [];
  for (let i = 1; i <= parts; i++) {
    done.push(await upload.uploadPart(i, new Uint8Array(size << 20).fill(i)));
  }
  return (await upload.complete(done)).size;
}

// sum reads an object as a stream.
async function sum(bucket, key, options) {
  let bytes = 0;
  for await (const chunk of (await bucket.get(key, options)).body) {
    bytes += chunk.length;
  }
  return bytes;
}
