// workers-ai-provider and the ai SDK on the binding of Workers AI, for which the Worker app-model answers.
import { embedMany, generateImage, generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { createWorkersAI } from "workers-ai-provider";
import { z } from "zod";
import { answer } from "./answer.js";

const name = "@cf/meta/llama-3.3-70b-instruct-fp8-fast";

export default {
  fetch(_: Request, env: { AI: Ai }) {
    const workersai = createWorkersAI({ binding: env.AI });
    const model = workersai(name as any);
    return answer({
      text: async () => {
        const { text, usage, finishReason } = await generateText({ model, prompt: "hi" });
        return [text, usage.inputTokens, usage.outputTokens, finishReason];
      },
      system: async () => (await generateText({ model, system: "be brief", messages: [{ role: "user", content: "why?" }] })).text,
      stream: async () => {
        const result = streamText({ model, prompt: "you" });
        const parts = [];
        for await (const part of result.textStream) parts.push(part);
        return [parts, await result.finishReason, (await result.usage).totalTokens];
      },
      response: async () => (await streamText({ model, prompt: "you" }).toUIMessageStreamResponse().text()).match(/"delta":"[^"]*"/g),
      object: async () => (await generateObject({ model, prompt: "weather", schema: z.object({ city: z.string(), degrees: z.number() }) })).object,
      tools: async () => {
        const result = await generateText({
          model, prompt: "weather?", stopWhen: stepCountIs(3),
          tools: {
            weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `21 degrees in ${city}` }),
          },
        });
        return [result.steps.length, result.steps[0].toolCalls[0]?.toolName, result.steps[0].toolResults[0]?.output, result.text];
      },
      embed: async () => (await embedMany({ model: workersai.textEmbedding("@cf/baai/bge-base-en-v1.5"), values: ["a", "bcd"] })).embeddings,
      image: async () => new TextDecoder().decode((await generateImage({ model: workersai.image("@cf/black-forest-labs/flux-1-schnell"), prompt: "x" })).image.uint8Array),
      "no such model": () => generateText({ model: workersai("@cf/none" as any), prompt: "x", maxRetries: 0 }),
      binding: async () => env.AI.run(name as any, { messages: [{ role: "user", content: "plain" }] } as any),
    });
  },
};
