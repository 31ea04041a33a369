// Small modules of the platform: cloudflare:email and cloudflare:workflows.
(function () {
  "use strict";
  class EmailMessage {
    constructor(from, to, raw) {
      if (typeof from !== "string" || typeof to !== "string") throw new TypeError(
        "EmailMessage requires the addresses from and to as strings.");
      Object.defineProperties(this, {
        from: { value: from, enumerable: true },
        to: { value: to, enumerable: true },
        raw: { value: raw, enumerable: true },
      });
    }
  }
  class NonRetryableError extends Error {
    constructor(message, name = "NonRetryableError") {
      super(message);
      this.name = name;
    }
  }
  return { email: { EmailMessage }, workflows: { NonRetryableError } };
})
