// The classes of mail: SendEmail, and the message that email() gets. send(from, to, raw) and build(json) keep a message
// and give its id, or reject; codes of production come as the text of the error's cause.
(function () {
  'use strict';

  const bytesOf = async (raw) => new Uint8Array(await new Response(raw).arrayBuffer());

  const base64 = (given) => {
    if (typeof given === 'string') return given;
    const bytes = given instanceof ArrayBuffer ? new Uint8Array(given) :
      new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    let text = '';
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(text);
  };

  const address = (given) => {
    if (given === undefined || given === null) return undefined;
    if (typeof given === 'object') return { Name: given.name ?? '', Address: given.email };
    const named = /^\s*(.*?)\s*<([^<>]*)>\s*$/.exec(given);
    if (named) return { Name: named[1].replace(/^"(.*)"$/, '$1'), Address: named[2] };
    return { Name: '', Address: String(given) };
  };
  const addresses = (given) => given === undefined || given === null ? [] :
    (Array.isArray(given) ? given : [given]).map(address);

  const builderJSON = (m) => JSON.stringify({
    From: address(m.from), To: addresses(m.to), CC: addresses(m.cc), BCC: addresses(m.bcc),
    ReplyTo: address(m.replyTo), Subject: m.subject, Text: m.text, HTML: m.html, Headers: m.headers,
    Attachments: (m.attachments ?? []).map((a) => ({ Disposition: a.disposition, ContentID: a.contentId,
      Filename: a.filename, Type: a.type, Content: base64(a.content) })),
  });

  const isRaw = (m) => m !== null && typeof m === 'object' &&
    (m.raw instanceof ReadableStream || typeof m.raw === 'string');

  class SendEmail {
    #send; #build;
    constructor(send, build) { this.#send = send; this.#build = build; }
    async send(message) {
      if (isRaw(message)) return { messageId: await this.#send(message.from, message.to, await bytesOf(message.raw)) };
      if (message === null || typeof message !== 'object') throw new TypeError(
        "Failed to execute 'send' on 'SendEmail': parameter 1 is not of type 'EmailMessage'.");
      return { messageId: await this.#build(builderJSON(message)) };
    }
  }

  class ForwardableEmailMessage {
    #native; #headers; #bytes; #raw;
    constructor(from, to, headers, bytes, native) {
      Object.defineProperties(this, { from: { value: from, enumerable: true }, to: { value: to, enumerable: true } });
      this.#headers = new Headers(headers);
      this.#bytes = bytes;
      this.#native = native;
    }
    get headers() { return this.#headers; }
    get raw() { return this.#raw ??= new Response(this.#bytes).body; }
    get rawSize() { return this.#bytes.byteLength; }
    get canBeForwarded() { return true; }
    setReject(reason) { this.#native.reject(String(reason)); }
    async forward(rcptTo, headers) {
      return { messageId: this.#native.forward(String(rcptTo), [...(headers ?? [])].map(([k, v]) => [k, v])) };
    }
    async reply(message) {
      if (!isRaw(message)) {
        if (message === null || typeof message !== 'object') throw new TypeError(
          "Failed to execute 'reply' on 'ForwardableEmailMessage': parameter 1 is not of type 'EmailMessage'.");
        return { messageId: await this.#native.replyBuilt(builderJSON(message)) };
      }
      return { messageId: await this.#native.reply(message.from, message.to, await bytesOf(message.raw)) };
    }
  }

  return { SendEmail, ForwardableEmailMessage };
})
