// The methods of an assets binding beside fetch(): those that programs were seen to call. read(path) gives a promise of
// { body, type }, null where there is no such file; tag(path) one of its ETag; answers(method, url) tells whether
// fetch() would find something. They are put on the binding.
(function (binding, read, tag, answers) {
  'use strict';
  const methods = {
    async unstable_getByPathname(pathname) {
      const file = await read(String(pathname));
      return file && { readableStream: new Response(file.body).body, contentType: file.type, cacheStatus: 'HIT' };
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
