// The classes of an R2 binding (B2). call(method, options, bytes) asks the bucket: a promise of { result, body },
// result from JSON, body a stream or undefined. lengthOf(stream) is the number of its bytes, undefined if nobody knows.
(function (call, lengthOf) {
  'use strict';

  const { Blob, Headers, ReadableStream, Response, TextEncoder } = globalThis;
  const text = new TextEncoder();

  const tag = (c, name) => Object.defineProperty(c.prototype, Symbol.toStringTag, { value: name, configurable: true });
  const notOfType = (method, i, type, owner = 'R2Bucket') =>
    new TypeError(`Failed to execute '${method}' on '${owner}': parameter ${i} is not of type '${type}'.`);

  const wrongField = (field, owner, type) => new TypeError(
    `Incorrect type for the '${field}' field on '${owner}': the provided value is not of type '${type}'.`);

  function keyOf(method, args) {
    if (args.length === 0) throw notOfType(method, 1, 'string');
    return `${args[0]}`;
  }

  async function ask(method, options, bytes) {
    try {
      return await call(method, JSON.stringify(options), bytes);
    } catch (e) {
      throw new Error(`${method}: ${e.message}`);
    }
  }

  // contents are the bytes of what put and uploadPart take.
  async function contents(value, refuse) {
    if (value === null || value === undefined) return new Uint8Array(0);
    if (typeof value === 'string') return text.encode(value);
    if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
    if (value instanceof Blob) return new Uint8Array(await value.arrayBuffer());
    if (value instanceof ReadableStream) {
      if (lengthOf(value) === undefined) {
        throw new TypeError(
          'Provided readable stream must have a known length (request/response body or readable half of ' +
            'FixedLengthStream)');
      }
      return new Uint8Array(await new Response(value).arrayBuffer());
    }
    throw refuse();
  }

  const dateOf = (v) => (v === undefined ? undefined : v instanceof Date ? v.getTime() : Number(v));

  // tags reads a list of entity tags, as RFC 9110 writes it.
  function tags(header, name) {
    const list = [];
    let rest = header.trim();
    let comma = false;
    while (rest !== '') {
      if (rest[0] === ',') {
        comma = false;
        rest = rest.slice(1).trimStart();
        continue;
      }
      if (comma) {
        const what = { '*': "a wildcard character '*'", W: "a weak quotation character 'W'",
          '"': "a double quote character '\"'" }[rest[0]];
        if (what) {
          const kind = { W: ' This would otherwise indicate the start of a new weak etag.',
            '"': ' This would otherwise indicate the start of a new strong etag.' }[rest[0]] ?? '';
          throw new Error(`Comma was expected to separate etags. Encountered ${what} instead.${kind}`);
        }
      }
      if (rest[0] === '*') return [{ any: true }];
      const weak = rest[0] === 'W';
      if (weak) {
        if (rest.length <= 2 || rest[1] !== '/' || rest[2] !== '"') throw new Error(
          'Weak etags must start with W/ and their value must be quoted');
        rest = rest.slice(2);
      }
      if (rest[0] !== '"') {
        rest = rest.slice(1).trimStart();
        continue;
      }
      const end = rest.indexOf('"', 1);
      if (end < 0) throw new Error('Unclosed double quote for Etag');
      list.push({ value: rest.slice(1, end), weak });
      rest = rest.slice(end + 1).trimStart();
      comma = true;
    }
    if (list.length === 0) throw new Error(`Invalid ETag in ${name} header`);
    return list;
  }

  function single(etag) {
    if (etag === undefined || etag === null) return undefined;
    const value = `${etag}`;
    if (/^".*"$/.test(value)) throw new TypeError(`Conditional ETag should not be wrapped in quotes (${value}).`);
    return [value === '*' ? { any: true } : { value, weak: false }];
  }

  function condition(c) {
    if (c === undefined || c === null) return undefined;
    if (!(c instanceof Headers)) {
      return {
        match: single(c.etagMatches), notMatch: single(c.etagDoesNotMatch), before: dateOf(c.uploadedBefore),
          after: dateOf(c.uploadedAfter),
        seconds: Boolean(c.secondsGranularity),
      };
    }
    const header = (name, f) => (c.has(name) ? f(c.get(name), name) : undefined);
    return {
      match: header('if-match', tags), notMatch: header('if-none-match', tags),
      before: header('if-unmodified-since', Date.parse), after: header('if-modified-since', Date.parse), seconds: true,
    };
  }

  function whole(n, what, name) {
    if (n === undefined || n === null) return undefined;
    const v = Number(n);
    if (v < 0) throw new RangeError(`Invalid ${what}. ${name} (${v}) must be greater than or equal to 0.`);
    if (!Number.isInteger(v)) throw new RangeError(
      `Invalid range. ${name} (${v}) must be an integer, not floating point.`);
    return v;
  }

  function range(r) {
    if (r === undefined || r === null) return undefined;
    if (r instanceof Headers) {
      const m = /^bytes=(\d*)-(\d*)$/.exec((r.get('range') ?? '').trim());
      if (!m || (m[1] === '' && m[2] === '')) return undefined;
      if (m[1] === '') return { suffix: Number(m[2]) };
      if (m[2] === '') return { offset: Number(m[1]) };
      return Number(m[2]) < Number(m[1]) ? undefined : {
        offset: Number(m[1]), length: Number(m[2]) - Number(m[1]) + 1 };
    }
    const offset = whole(r.offset, 'range', 'Starting offset');
    const length = whole(r.length, 'range', 'Length');
    if (r.suffix === undefined) return { offset, length };
    if (offset !== undefined) throw new TypeError('Suffix is incompatible with offset.');
    if (length !== undefined) throw new TypeError('Suffix is incompatible with length.');
    return { suffix: whole(r.suffix, 'suffix', 'Suffix') };
  }

  const fields = { contentType: 'content-type', contentLanguage: 'content-language',
    contentDisposition: 'content-disposition', contentEncoding: 'content-encoding', cacheControl: 'cache-control' };

  function httpMetadata(m) {
    if (m === undefined || m === null) return undefined;
    const out = {};
    for (const [name, header] of Object.entries(fields)) {
      const v = m instanceof Headers ? m.get(header) ?? undefined : m[name];
      if (v !== undefined) out[name] = `${v}`;
    }
    const expiry = m instanceof Headers ? (m.has('expires') ? Date.parse(m.get('expires')) : undefined) :
      dateOf(m.cacheExpiry);
    if (expiry !== undefined) out.cacheExpiry = expiry;
    return out;
  }

  const customMetadata = (m) => (m === undefined || m === null ? undefined :
    Object.fromEntries(Object.entries(m).map(([k, v]) => [k, `${v}`])));

  const algorithms = { md5: ['MD5', 16], sha1: ['SHA-1', 20], sha256: ['SHA-256', 32], sha384: ['SHA-384', 48],
    sha512: ['SHA-512', 64] };
  const toHex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');

  function checksums(options) {
    const out = {};
    for (const [field, [name, size]] of Object.entries(algorithms)) {
      const given = options[field];
      if (given === undefined) continue;
      const isBytes = given instanceof ArrayBuffer || ArrayBuffer.isView(given);
      if (!isBytes && typeof given !== 'string') throw wrongField(field, 'PutOptions', 'BufferSource or string');
      if (Object.keys(out).length > 0) throw new TypeError('You cannot specify multiple hashing algorithms.');
      if (isBytes) {
        const bytes = given instanceof ArrayBuffer ? new Uint8Array(given) :
          new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
        if (bytes.length !== size) throw new TypeError(`${name} is ${size} bytes, not ${bytes.length}`);
        out[field] = toHex(bytes);
        continue;
      }
      const hex = given;
      if (hex.length !== 2 * size) throw new TypeError(`${name} is ${2 * size} hex characters, not ${hex.length}`);
      if (!/^[0-9a-f]*$/i.test(hex)) throw new TypeError(`Provided ${name} wasn't a valid hex string`);
      out[field] = hex.toLowerCase();
    }
    return out;
  }

  class Checksums {
    constructor(sums) {
      for (const field of Object.keys(algorithms).reverse()) {
        const value = sums[field] === undefined ? undefined :
          Uint8Array.from(sums[field].match(/../g), (x) => parseInt(x, 16)).buffer;
        Object.defineProperty(this, field, { value, enumerable: true });
      }
      this.#sums = sums;
    }

    #sums;

    toJSON() {
      return Object.fromEntries(Object.keys(algorithms).filter((f) => this.#sums[f] !== undefined).map(
        (f) => [f, this.#sums[f]]));
    }
  }
  tag(Checksums, 'Checksums');

  class HeadResult {
    constructor(o) {
      const http = o.httpMetadata;
      if (http.cacheExpiry !== undefined) http.cacheExpiry = new Date(Number(http.cacheExpiry));
      const own = {
        ssecKeyMd5: undefined, storageClass: '', range: o.range, customMetadata: o.customMetadata, httpMetadata: http,
          uploaded: new Date(o.uploaded),
        checksums: new Checksums(o.checksums), httpEtag: `"${o.etag}"`, etag: o.etag, size: o.size, version: o.version,
          key: o.key,
      };
      for (const [name, value] of Object.entries(own)) Object.defineProperty(this, name, { value, enumerable: true });
    }

    writeHttpMetadata(headers) {
      const http = this.httpMetadata;
      for (const [name, header] of Object.entries(fields)) if (http[name] !== undefined) headers.set(
        header, http[name]);
      if (http.cacheExpiry !== undefined) headers.set('expires', http.cacheExpiry.toUTCString());
    }
  }
  tag(HeadResult, 'HeadResult');

  class GetResult extends HeadResult {
    #response;

    constructor(o, body) {
      super(o);
      this.#response = new Response(body);
    }

    get body() {
      return this.#response.body;
    }

    get bodyUsed() {
      return this.#response.bodyUsed;
    }

    async arrayBuffer() {
      return this.#response.arrayBuffer();
    }

    async bytes() {
      return this.#response.bytes();
    }

    async text() {
      return this.#response.text();
    }

    async json() {
      return this.#response.json();
    }

    async blob() {
      return this.#response.blob();
    }
  }
  tag(GetResult, 'GetResult');

  const partNumber = (n) => {
    const number = Math.trunc(Number(n));
    if (!(number >= 1 && number <= 10000)) throw new TypeError(
      `Part number must be between 1 and 10000 (inclusive). Actual value was: ${number}`);
    return number;
  };

  class R2MultipartUpload {
    constructor(key, uploadId) {
      Object.defineProperties(this, { uploadId: { value: uploadId, enumerable: true },
        key: { value: key, enumerable: true } });
    }

    async uploadPart(number, value) {
      const { key, uploadId } = this;
      number = partNumber(number);
      const bytes = await contents(value,
        () => notOfType('uploadPart', 2, 'JsReadableStream or ArrayBuffer or ArrayBufferView or string or Blob',
        'R2MultipartUpload'));
      return (await ask('uploadPart', { key, uploadId, partNumber: number }, bytes)).result;
    }

    async abort() {
      await ask('abortMultipartUpload', { key: this.key, uploadId: this.uploadId });
    }

    async complete(parts) {
      const list = Array.from(parts, (p) => ({ partNumber: partNumber(p.partNumber), etag: `${p.etag}` }));
      return new HeadResult((await ask('completeMultipartUpload',
        { key: this.key, uploadId: this.uploadId, parts: list })).result);
    }
  }
  tag(R2MultipartUpload, 'R2MultipartUpload');

  const found = ({ result }) => (result === null ? null : new HeadResult(result));

  class R2Bucket {
    async head(...args) {
      return found(await ask('head', { key: keyOf('head', args) }));
    }

    async get(...args) {
      const options = args[1] ?? {};
      const { result, body } = await ask(
        'get', { key: keyOf('get', args), onlyIf: condition(options.onlyIf), range: range(options.range) });
      if (result === null || body === undefined) return found({ result });
      return new GetResult(result, body);
    }

    async put(...args) {
      const key = keyOf('put', args);
      const refuse = () => notOfType('put', 2, 'JsReadableStream or ArrayBuffer or ArrayBufferView or string or Blob');
      if (args.length < 2) throw refuse();
      const options = args[2] ?? {};
      const request = {
        key, onlyIf: condition(options.onlyIf), httpMetadata: httpMetadata(options.httpMetadata),
          customMetadata: customMetadata(options.customMetadata),
        checksums: checksums(options),
      };
      return found(await ask('put', request, await contents(args[1], refuse)));
    }

    async createMultipartUpload(...args) {
      const key = keyOf('createMultipartUpload', args);
      const options = args[1] ?? {};
      const { result } = await ask('createMultipartUpload',
        { key, httpMetadata: httpMetadata(options.httpMetadata),
        customMetadata: customMetadata(options.customMetadata) });
      return new R2MultipartUpload(key, result);
    }

    resumeMultipartUpload(key, uploadId) {
      return new R2MultipartUpload(`${key}`, `${uploadId}`);
    }

    async delete(...args) {
      if (args.length === 0) throw notOfType('delete', 1, 'string or Array');
      await ask('delete', { keys: Array.isArray(args[0]) ? args[0].map((k) => `${k}`) : [`${args[0]}`] });
    }

    async list(options) {
      if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function') {
        throw notOfType('list', 1, 'ListOptions');
      }
      const { limit: most, prefix, cursor, delimiter, startAfter, include } = options ?? {};
      for (const [field, value] of Object.entries({ prefix, cursor, delimiter, startAfter })) {
        if (value !== undefined && typeof value !== 'string') throw wrongField(field, 'ListOptions', 'string');
      }
      if (include !== undefined && !Array.isArray(include)) throw wrongField('include', 'ListOptions', 'Array');
      if (most > 2147483647 || most < -2147483648) {
        throw new TypeError('Value out of range. Must be between -2147483648 and 2147483647 (inclusive).');
      }
      const limit = most === undefined ? undefined : most | 0;
      for (const field of include ?? []) {
        if (field !== 'httpMetadata' && field !== 'customMetadata') throw new RangeError(
          `Unsupported include value ${field}`);
      }
      const { result } = await ask('list', { limit, prefix, cursor, delimiter, startAfter, include });
      return {
        objects: result.objects.map((o) => new HeadResult(o)), truncated: result.truncated, cursor: result.cursor,
          delimitedPrefixes: result.delimitedPrefixes,
      };
    }
  }
  tag(R2Bucket, 'R2Bucket');

  return new R2Bucket();
})
