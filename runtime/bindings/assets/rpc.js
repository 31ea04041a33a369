// The methods of an assets binding beside fetch(): those that programs were seen to call. read(path) gives a promise of
// { body, type }, null where there is no such file; tag(path) one of its ETag; tagged(tag) one of the path of a file
// with that ETag, null where there is none; answers(method, url) says whether fetch() would find something. They stand
// on the binding.
(function (binding, read, tag, tagged, answers) {
  'use strict';
  const asset = (file) =>
    file && { readableStream: new Response(file.body).body, contentType: file.type, cacheStatus: 'HIT' };
  const methods = {
    async unstable_getByPathname(pathname) {
      return asset(await read(String(pathname)));
    },
    async unstable_getByETag(etag) {
      const path = await tagged(String(etag));
      if (path === null) {
        throw new Error(`Requested asset ${etag} exists in the asset manifest but not in the KV namespace.`);
      }
      return asset(await read(path));
    },
    async unstable_exists(pathname) {
      return tag(String(pathname));
    },
    async unstable_canFetch(request) {
      return answers(request.method, request.url);
    },
  };
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(binding, name, { value, writable: true, configurable: true });
  }
});
