// The classes over one fetch() to a made-up host (BIND-5). Each gets the stub that its requests go to.
(function () {
  'use strict';

  const base64 = (bytes) => {
    let text = '';
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(text);
  };

  class InferenceUpstreamError extends Error {
    constructor(message, name = 'InferenceUpstreamError') { super(message); this.name = name; }
  }
  class AiInternalError extends Error {
    constructor(message, name = 'AiInternalError') { super(message); this.name = name; }
  }

  async function upstreamError(res) {
    const text = await res.text();
    try {
      const e = JSON.parse(text);
      if (e.internalCode) return new InferenceUpstreamError(`${e.internalCode}: ${e.description}`, e.name);
      const first = e.errors && e.errors[0];
      if (first) return new InferenceUpstreamError(`${first.code}: ${first.message}`);
    } catch { /* the text itself */ }
    return new InferenceUpstreamError(text);
  }

  const isStream = (v) => v instanceof ReadableStream;
  const withBody = (v) => v !== null && typeof v === 'object' && 'body' in v &&
    (v.body instanceof ReadableStream || v.body instanceof FormData);

  class Ai {
    #fetcher;
    lastRequestId = null;
    aiGatewayLogId = null;
    lastRequestHttpStatusCode = null;
    lastRequestInternalStatusCode = null;

    constructor(fetcher) { this.#fetcher = fetcher; }

    fetch(input, init) { return this.#fetcher.fetch(input, init); }

    async run(model, inputs, options = {}) {
      const { prefix, extraHeaders, sessionOptions, signal, ...rest } = options ?? {};
      const headers = { ...extraHeaders, ...sessionOptions?.extraHeaders, 'content-type': 'application/json',
        'cf-consn-sdk-version': '2.0.0', 'cf-consn-model-id': prefix ? `${prefix}:${model}` : model };
      const init = { method: 'POST', headers };
      if (signal) init.signal = signal;
      const gateway = rest.gateway && rest.gateway.id;
      let url = `https://workers-binding.ai${gateway ? '/ai-gateway' : ''}/run?version=3`;
      const streams = Object.keys(inputs ?? {}).filter((k) => withBody(inputs[k]) || isStream(inputs[k]));
      if (streams.length > 1) throw new AiInternalError(
        `Multiple ReadableStreams are not supported. Found streams in keys: [${streams.join(', ')}]`);
      if (rest.websocket) {
        delete headers['content-type'];
        headers.Upgrade = 'websocket';
        return this.#fetcher.fetch(`${url}&body=${encodeURIComponent(JSON.stringify({ inputs, options: rest }))}`,
          { ...init, method: 'GET' });
      }
      if (streams.length === 1) {
        if (gateway) throw new AiInternalError('AI Gateway does not support ReadableStreams yet.');
        const { [streams[0]]: media, ...userInputs } = inputs;
        const contentType = media.contentType ??
          (media.body instanceof FormData ? new Response(media.body).headers.get('content-type') : undefined);
        if (!contentType) throw new AiInternalError('Content-Type is required with ReadableStream inputs');
        const query = new URLSearchParams({ version: '3', userInputs: JSON.stringify(userInputs) });
        for (const [k, v] of Object.entries(rest)) query.set(k, typeof v === 'string' ? v : JSON.stringify(v));
        url = `https://workers-binding.ai/run?${query}`;
        headers['content-type'] = contentType;
        init.body = media.body;
      } else {
        init.body = JSON.stringify({ inputs, options: rest });
      }
      const res = await this.#fetcher.fetch(url, init);
      this.lastRequestId = res.headers.get('cf-ai-req-id');
      this.aiGatewayLogId = res.headers.get('cf-aig-log-id');
      this.lastRequestHttpStatusCode = res.status;
      if (options?.returnRawResponse) return res;
      if (!res.ok || !res.body) {
        const e = await upstreamError(res);
        this.lastRequestInternalStatusCode = Number.parseInt(e.message, 10) || null;
        throw e;
      }
      return res.headers.get('content-type') === 'application/json' ? res.json() : res.body;
    }

    async #json(path, init) {
      const res = await this.#fetcher.fetch(`https://workers-binding.ai${path}`, init);
      if (!res.ok) throw await upstreamError(res);
      return res.json();
    }

    #post(path, body) {
      return this.#json(path, { method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body) });
    }

    async models(params = {}) {
      const query = new URLSearchParams(Object.entries(params).map(([k, v]) => [k, String(v)]));
      return (await this.#json(`/ai-api/models/search?${query}`)).result;
    }

    getLogs() { return []; }

    toMarkdown(files, options) {
      if (files === undefined) return {
        transform: (given, o) => this.#markdown(given, o),
        supported: async () => (await this.#json('/to-everything/markdown/supported')).result,
      };
      return this.#markdown(files, options);
    }

    async #markdown(given, options) {
      const files = await Promise.all((Array.isArray(given) ? given : [given]).map(async ({ name, blob }) => ({
        name, mimeType: blob.type, data: base64(new Uint8Array(await blob.arrayBuffer())) })));
      const { result } = await this.#post('/to-everything/markdown/transformer', { files, options });
      return Array.isArray(given) ? result : result[0];
    }

    gateway(id) {
      const logs = `/ai-gateway/gateways/${encodeURIComponent(id)}/logs/`;
      return {
        getUrl: async (provider) => {
          const path = `/ai-gateway/gateways/${encodeURIComponent(id)}/url/${provider ?? 'universal'}`;
          return (await this.#json(path)).result.url;
        },
        getLog: async (log) => (await this.#json(logs + log)).result,
        patchLog: async (log, data) => {
          await this.#json(logs + log, { method: 'PATCH', headers: { 'content-type': 'application/json' },
            body: JSON.stringify(data) });
        },
        run: (data, options = {}) => this.#fetcher.fetch(
          `https://workers-binding.ai/ai-gateway/universal/run/${encodeURIComponent(id)}`,
          { method: 'POST', headers: { ...options.extraHeaders, 'content-type': 'application/json' },
            body: JSON.stringify(Array.isArray(data) ? data : [data]), signal: options.signal }),
      };
    }

    autorag(id) {
      const path = `/autorag/rags/${encodeURIComponent(id)}`;
      const answer = async (way, params) => {
        if (params.stream && way === '/ai-search') {
          return this.#fetcher.fetch(`https://workers-binding.ai${path}${way}`, { method: 'POST',
            headers: { 'content-type': 'application/json' }, body: JSON.stringify(params) });
        }
        return (await this.#post(path + way, params)).result;
      };
      return {
        list: async () => (await this.#json('/autorag/rags')).result,
        search: (params) => answer('/search', params),
        aiSearch: (params) => answer('/ai-search', params),
      };
    }

    aiSearch() { return this.#fetcher.aiSearch(); }
  }

  class VectorizeIndexImpl {
    #fetcher;
    constructor(fetcher) { this.#fetcher = fetcher; }

    async #send(operation, path, init) {
      const res = await this.#fetcher.fetch(`http://vector-search/${path}`, init);
      const text = await res.text();
      if (res.status === 200) {
        try { return JSON.parse(text); } catch {
          throw new Error(`Failed to parse body as JSON, got: ${text}`);
        }
      }
      let e;
      try { e = JSON.parse(text); } catch { /* below */ }
      const name = { info: 'INDEX_GET', query: 'QUERY', insert: 'INSERT', upsert: 'UPSERT', getByIds: 'GET',
        deleteByIds: 'DELETE' }[operation];
      const prefix = operation === 'info' ? 'VECTOR_INDEX_GET_ERROR' : `VECTOR_${name}_ERROR`;
      if (e && e.error) {
        throw new Error(`${prefix}${e.code === undefined ? '' : ` (code = ${e.code})`}: ${e.error}`,
          { cause: new Error(e.error) });
      }
      throw new Error(`${prefix}: Status + ${res.status}`, { cause: new Error(`Status ${res.status}`) });
    }

    #post(operation, body, headers = {}) {
      return this.#send(operation, operation, { method: 'POST',
        headers: { 'content-type': 'application/json', 'cf-vector-search-query-version': '2', ...headers },
        body: JSON.stringify(body) });
    }

    describe() { return this.#send('info', 'info', { method: 'GET' }); }

    #options(options = {}) {
      const { returnMetadata: given = false, ...rest } = options;
      const returnMetadata = given === true ? 'all' : given === false ? 'none' : given;
      if (!['none', 'indexed', 'all'].includes(returnMetadata)) throw new Error(
        `Invalid returnMetadata option. Expected: true, false, "none", "indexed" or "all"; got: ${given}`);
      return { ...rest, returnMetadata };
    }

    async query(vector, options) {
      return this.#post('query', { ...this.#options(options), vector: Array.from(vector) });
    }

    async queryById(vectorId, options) { return this.#post('query', { ...this.#options(options), vectorId }); }

    #mutate(operation, vectors) {
      return this.#post(operation, { vectors: vectors.map((v) => ({ ...v, values: Array.from(v.values) })) },
        { 'cf-vector-search-dim-width': String(vectors.length ? vectors[0].values.length : 0),
          'cf-vector-search-dim-height': String(vectors.length) });
    }

    async insert(vectors) { return this.#mutate('insert', vectors); }
    async upsert(vectors) { return this.#mutate('upsert', vectors); }
    async getByIds(ids) { return this.#post('getByIds', { ids }); }
    async deleteByIds(ids) { return this.#post('deleteByIds', { ids }); }
  }

  class ImagesErrorImpl extends Error {
    constructor(message, code) { super(message); this.code = code; }
  }

  const throwImages = async (res, kind) => {
    const header = res.headers.get('cf-images-binding') || '';
    const match = /err=(\d+)/.exec(header);
    if (match) throw new ImagesErrorImpl(`IMAGES_${kind}_${await res.text()}`.trim(), Number(match[1]));
    if (res.status > 399) throw new ImagesErrorImpl(
      `Unexpected error response ${res.status}: ${await res.text()}`, 9523);
  };

  const decoded = (stream, encoding) => encoding !== 'base64' ? stream : stream
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new TransformStream({
      start() { this.rest = ''; },
      transform(text, c) {
        const all = this.rest + text.replace(/\s/g, '');
        const whole = all.length - all.length % 4;
        this.rest = all.slice(whole);
        c.enqueue(Uint8Array.from(atob(all.slice(0, whole)), (x) => x.charCodeAt(0)));
      },
      flush(c) { if (this.rest) c.enqueue(Uint8Array.from(atob(this.rest), (x) => x.charCodeAt(0))); },
    }));

  const bytesOf = async (stream, options) =>
    new Blob([await new Response(decoded(stream, options?.encoding)).arrayBuffer()]);

  class ImageTransformationResult {
    #res;
    constructor(res) { this.#res = res; }
    contentType() {
      const type = this.#res.headers.get('content-type');
      if (!type) throw new ImagesErrorImpl('IMAGES_TRANSFORM_ERROR 9523: No content-type on bindings response', 9523);
      return type;
    }
    response() {
      return new Response(this.image(), { headers: { 'content-type': this.contentType() } });
    }
    image(options) {
      const stream = this.#res.body || new ReadableStream();
      if (options?.encoding !== 'base64') return stream;
      return stream.pipeThrough(new TransformStream({
        start() { this.rest = new Uint8Array(); },
        transform(chunk, c) {
          const all = new Uint8Array(this.rest.length + chunk.length);
          all.set(this.rest); all.set(chunk, this.rest.length);
          const whole = all.length - all.length % 3;
          this.rest = all.slice(whole);
          c.enqueue(new TextEncoder().encode(base64(all.subarray(0, whole))));
        },
        flush(c) { if (this.rest.length) c.enqueue(new TextEncoder().encode(base64(this.rest))); },
      }));
    }
  }

  class ImageTransformer {
    #fetcher; #stream; #options;
    #consumed = false;
    #steps = [];
    constructor(fetcher, stream, options) {
      this.#fetcher = fetcher; this.#stream = stream; this.#options = options;
    }

    transform(transform) { this.#steps.push({ transform }); return this; }

    draw(image, options = {}) {
      if (image instanceof ImageTransformer) image.#consume();
      this.#steps.push({ draw: image, options });
      return this;
    }

    #consume() {
      if (this.#consumed) throw new ImagesErrorImpl(
        'IMAGES_TRANSFORM_ERROR 9525: ImageTransformer consumed; ' +
        'you may only call .output() or draw a transformer once',
        9525);
      this.#consumed = true;
    }

    async #serialize(form, transforms, index, next) {
      for (const step of this.#steps) {
        if (step.transform) {
          transforms.push({ imageIndex: index, ...step.transform });
          continue;
        }
        const drawn = next();
        const layer = step.draw instanceof ImageTransformer ? step.draw : new ImageTransformer(null, step.draw);
        form.append('draw_image', await bytesOf(layer.#stream, layer.#options), 'image');
        await layer.#serialize(form, transforms, drawn, next);
        transforms.push({ drawImageIndex: drawn, targetImageIndex: index, ...step.options });
      }
    }

    async output(options) {
      this.#consume();
      const form = new FormData();
      form.append('image', await bytesOf(this.#stream, this.#options), 'image');
      form.append('output_format', options.format);
      if (options.quality !== undefined) form.append('output_quality', String(options.quality));
      if (options.background !== undefined) form.append('background', options.background);
      if (options.anim !== undefined) form.append('anim', String(options.anim));
      const transforms = [];
      let last = 0;
      await this.#serialize(form, transforms, 0, () => ++last);
      form.append('transforms', JSON.stringify(transforms));
      const res = await this.#fetcher.fetch('https://js.images.cloudflare.com/transform',
        { method: 'POST', body: form });
      await throwImages(res, 'TRANSFORM');
      return new ImageTransformationResult(res);
    }
  }

  class ImagesBindingImpl {
    #fetcher;
    constructor(fetcher) { this.#fetcher = fetcher; }

    async info(stream, options) {
      const form = new FormData();
      form.append('image', await bytesOf(stream, options), 'image');
      const res = await this.#fetcher.fetch('https://js.images.cloudflare.com/info', { method: 'POST', body: form });
      await throwImages(res, 'INFO');
      const r = await res.json();
      if (r.format === 'image/svg+xml') return { format: r.format };
      return { format: r.format, fileSize: r.file_size, width: r.width, height: r.height };
    }

    input(stream, options) { return new ImageTransformer(this.#fetcher, stream, options); }

    get hosted() { return this.#fetcher; }
  }

  class MediaResult {
    #start; #res;
    constructor(start) { this.#start = start; }
    #once() { return this.#res ??= this.#start(); }
    async response() { return this.#once(); }
    async media() { return (await this.#once()).body; }
    async contentType() { return (await this.#once()).headers.get('content-type'); }
  }

  class MediaBindingImpl {
    #fetcher;
    constructor(fetcher) { this.#fetcher = fetcher; }
    input(stream) {
      const output = (transform) => (options = {}) => new MediaResult(async () => {
        const form = new FormData();
        form.append('media', await bytesOf(stream), 'media');
        form.append('transform', JSON.stringify(transform));
        form.append('output', JSON.stringify(options));
        const res = await this.#fetcher.fetch('https://media.cloudflare.com/transform',
          { method: 'POST', body: form });
        if (!res.ok) throw new Error(`Unexpected error response ${res.status}: ${await res.text()}`);
        return res;
      });
      return { transform: (t) => ({ output: output(t ?? {}) }), output: output({}) };
    }
  }

  class Pipeline {
    #fetcher;
    constructor(fetcher) { this.#fetcher = fetcher; }
    async send(records) {
      if (!Array.isArray(records)) throw new TypeError('send() of a pipeline takes an array of records');
      const lines = records.map((record) => {
        if (record === null || typeof record !== 'object') throw new TypeError('a record of a pipeline is an object');
        return JSON.stringify(record) + '\n';
      });
      const res = await this.#fetcher.fetch('https://pipelines/send', { method: 'POST', body: lines.join('') });
      if (!res.ok) throw new Error(await res.text());
    }
  }

  class BrowserRendering {
    #fetcher;
    constructor(fetcher) { this.#fetcher = fetcher; }
    fetch(input, init) { return this.#fetcher.fetch(input, init); }
    quickAction(action, options) {
      return this.#fetcher.fetch(`https://browser/v1/quick-action/${encodeURIComponent(action)}`, { method: 'POST',
        headers: { 'content-type': 'application/json' }, body: JSON.stringify(options ?? {}) });
    }
  }

  return { browser: BrowserRendering, pipelines: Pipeline, ai: Ai, vectorize: VectorizeIndexImpl,
    images: ImagesBindingImpl, media: MediaBindingImpl };
})
