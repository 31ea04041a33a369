(function (require, module) {
  "use strict";
  const names = [
    "ReadableStream", "ReadableStreamDefaultReader", "ReadableStreamBYOBReader", "ReadableStreamBYOBRequest",
      "ReadableByteStreamController",
    "ReadableStreamDefaultController", "TransformStream", "TransformStreamDefaultController", "WritableStream",
    "WritableStreamDefaultController", "WritableStreamDefaultWriter", "ByteLengthQueuingStrategy",
      "CountQueuingStrategy",
    "TextEncoderStream", "TextDecoderStream", "CompressionStream", "DecompressionStream",
  ];
  for (const name of names) module.exports[name] = globalThis[name];
})
