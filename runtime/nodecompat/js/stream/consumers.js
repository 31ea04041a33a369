(function (require, module) {
  "use strict";
  const { Buffer } = require("buffer");
  const { each } = require("internal/iteration");

  async function chunks(stream) {
    const list = [];
    await each(stream, (c) => {
      list.push(c);
    });
    return list;
  }
  const bytes = (c) => (typeof c === "string" ? Buffer.from(c) : c instanceof ArrayBuffer ? Buffer.from(c) :
    Buffer.from(c.buffer, c.byteOffset, c.byteLength));
  const buffer = async (stream) => Buffer.concat((await chunks(stream)).map(bytes));
  async function text(stream) {
    const decoder = new TextDecoder();
    let out = "";
    for (const c of await chunks(stream)) out += typeof c === "string" ? c : decoder.decode(c, { stream: true });
    return out + decoder.decode();
  }
  module.exports = {
    buffer, text,
    arrayBuffer: async (stream) => {
      const b = await buffer(stream);
      return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength);
    },
    bytes: async (stream) => new Uint8Array(await buffer(stream)),
    blob: async (stream) => new Blob(await chunks(stream)),
    json: async (stream) => JSON.parse(await text(stream)),
  };
})
