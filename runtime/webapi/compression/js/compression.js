// CompressionStream and DecompressionStream (https://compression.spec.whatwg.org/). native.compress(format) and
// native.decompress(format) make the Go side's algorithms.
(function (kit, native) {
  'use strict';

  const { TransformStream, publish, secret, setUpByteTransform } = kit;

  const formats = ['deflate', 'deflate-raw', 'gzip'];

  function checked(name, args, format) {
    if (args.length === 0) {
      throw new TypeError(`Failed to construct '${name}': constructor parameter 1 is not of type 'string'.`);
    }
    const text = `${format}`;
    for (const known of formats) if (known === text) return text;
    throw new TypeError("The compression format must be either 'deflate', 'deflate-raw' or 'gzip'.");
  }

  class CompressionStream extends TransformStream {
    constructor(format) {
      const algorithms = native.compress(checked('CompressionStream', arguments, format));
      super(secret, (t) => setUpByteTransform(t, algorithms));
    }
  }

  class DecompressionStream extends TransformStream {
    constructor(format) {
      const algorithms = native.decompress(checked('DecompressionStream', arguments, format));
      super(secret, (t) => setUpByteTransform(t, algorithms));
    }
  }

  return { CompressionStream: publish(CompressionStream), DecompressionStream: publish(DecompressionStream) };
})
