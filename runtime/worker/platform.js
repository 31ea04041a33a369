// Small modules of the platform: cloudflare:email, cloudflare:pipelines and cloudflare:workflows.
(function (WorkerEntrypoint) {
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
  // The class that transformations of a pipeline extend (BIND-130): the platform calls _ping and _run.
  class PipelineTransformationEntrypoint extends WorkerEntrypoint {
    #used = false;
    async run() {
      throw new Error("should be implemented by parent");
    }
    async _ping() {
      if (this.run === PipelineTransformationEntrypoint.prototype.run) throw new Error(
        "the run method must be overridden by the PipelineTransformationEntrypoint subclass");
    }
    async _run(batch, metadata) {
      if (this.#used) throw new Error("pipeline entrypoint has already been initialized");
      this.#used = true;
      if (batch.format !== "json_stream") throw new Error(
        "PipelineTransformationEntrypoint run supports only the JSON_STREAM batch format");
      const text = await new Response(batch.data).text();
      const records = text.split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
      const made = await this.run(records, metadata);
      if (!Array.isArray(made)) throw new Error("transformations must return an array of PipelineRecord");
      const lines = made.map((record) => JSON.stringify(record) + "\n");
      const bytes = new TextEncoder().encode(lines.join(""));
      return { ...batch, data: new Blob([bytes]).stream(), size: { bytes: bytes.length, rows: lines.length } };
    }
  }
  return {
    email: { EmailMessage },
    pipelines: { PipelineTransformationEntrypoint },
    workflows: { NonRetryableError },
  };
})
