import {
  generateText,
  streamText,
  generateObject,
  tool,
  stepCountIs,
  simulateReadableStream,
  embed,
  cosineSimilarity,
  createUIMessageStreamResponse,
  createUIMessageStream,
  wrapLanguageModel,
  extractReasoningMiddleware,
  smoothStream,
} from "ai";
import { MockLanguageModelV3, MockEmbeddingModelV3 } from "ai/test";
import { z } from "zod";
import { answer } from "./answer.js";
const usage = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 2, text: 2 } } as any;
const model = new MockLanguageModelV3({
  doGenerate: async () =>
    ({ finishReason: { unified: "stop" }, usage, content: [{ type: "text", text: '{"a":1,"b":"x"}' }], warnings: [] }) as any,
  doStream: async () =>
    ({
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start", warnings: [] },
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: "Hel" },
          { type: "text-delta", id: "1", delta: "lo" },
          { type: "text-end", id: "1" },
          { type: "finish", finishReason: { unified: "stop" }, usage },
        ] as any,
      }),
    }) as any,
});
let step = 0;
const toolModel = new MockLanguageModelV3({
  doGenerate: async () =>
    (step++
      ? { finishReason: { unified: "stop" }, usage, content: [{ type: "text", text: "done" }], warnings: [] }
      : {
          finishReason: { unified: "tool-calls" },
          usage,
          content: [{ type: "tool-call", toolCallId: "t1", toolName: "weather", input: '{"city":"Rome"}' }],
          warnings: [],
        }) as any,
});
export default {
  fetch: () =>
    answer({
      text: async () => (await generateText({ model, prompt: "hi" })).text,
      object: async () =>
        (await generateObject({ model, schema: z.object({ a: z.number(), b: z.string() }), prompt: "x" })).object,
      stream: async () => {
        const r = streamText({ model, prompt: "x" });
        const o = [];
        for await (const p of r.textStream) o.push(p);
        return [o, await r.finishReason];
      },
      smooth: async () => {
        const r = streamText({ model, prompt: "x", experimental_transform: smoothStream({ delayInMs: null }) });
        return await r.text;
      },
      ui: async () => {
        const r = streamText({ model, prompt: "x" }).toUIMessageStreamResponse();
        return [r.headers.get("content-type"), await r.text()];
      },
      textresp: async () => streamText({ model, prompt: "x" }).toTextStreamResponse().text(),
      tools: async () => {
        const r = await generateText({
          model: toolModel,
          prompt: "w",
          stopWhen: stepCountIs(3),
          tools: {
            weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => ({ t: 20, city }) }),
          },
        });
        return [r.text, r.steps.length, r.steps[0].toolResults[0].output];
      },
      cos: () => cosineSimilarity([1, 0], [1, 1]).toFixed(3),
      uistream: async () =>
        createUIMessageStreamResponse({
          stream: createUIMessageStream({
            execute: ({ writer }) => {
              writer.write({ type: "data-x", data: 5 } as any);
            },
          }),
        }).text(),
      err: async () => generateObject({ model, schema: z.object({ z: z.number() }), prompt: "x" }),
    }),
};
