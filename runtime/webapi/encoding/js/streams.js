// TextEncoderStream and TextDecoderStream (https://encoding.spec.whatwg.org/#interface-textencoderstream) on top of
// TransformStream, as on the platform. native.encoder() and native.decoder(…) make the Go side's state.
(function (kit, native) {
  'use strict';

  const { TransformStream, publish, secret, setUpTransform } = kit;

  const isObject = (v) => (typeof v === 'object' && v !== null) || typeof v === 'function';
  const illegalInvocation = () => new TypeError(native.illegalInvocation);

  class TextEncoderStream extends TransformStream {
    #encoding;

    constructor() {
      const run = native.encoder();
      super(secret, (t) => setUpTransform(t, {
        run: (chunk, enqueue) => {
          const bytes = run(chunk, false);
          if (bytes !== null) enqueue(bytes);
        },
        flush: (enqueue) => {
          const bytes = run('', true);
          if (bytes !== null) enqueue(bytes);
        },
      }));
      this.#encoding = 'utf-8';
    }

    get encoding() {
      if (!isObject(this) || !(#encoding in this)) throw illegalInvocation();
      return this.#encoding;
    }
  }

  class TextDecoderStream extends TransformStream {
    #decoder;

    constructor(label, options) {
      const decoder = native.decoder(label, options);
      const { decode } = decoder;
      super(secret, (t) => setUpTransform(t, {
        run: (chunk, enqueue) => {
          const text = decode(chunk, false);
          if (text !== '') enqueue(text);
        },
        flush: (enqueue) => {
          const text = decode(undefined, true);
          if (text !== '') enqueue(text);
        },
      }));
      this.#decoder = decoder;
    }

    static #of(v) {
      if (!isObject(v) || !(#decoder in v)) throw illegalInvocation();
      return v.#decoder;
    }

    get encoding() {
      return TextDecoderStream.#of(this).encoding;
    }

    get fatal() {
      return TextDecoderStream.#of(this).fatal;
    }

    get ignoreBOM() {
      return TextDecoderStream.#of(this).ignoreBOM;
    }
  }

  return { TextEncoderStream: publish(TextEncoderStream), TextDecoderStream: publish(TextDecoderStream) };
})
