import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { z } from "zod";
import { answer } from "./answer.js";
const make = () => {
  const s = new McpServer({ name: "demo", version: "1.0.0" });
  s.registerTool(
    "add",
    { title: "Add", description: "adds", inputSchema: { a: z.number(), b: z.number() } },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
  );
  s.registerResource(
    "greeting",
    new ResourceTemplate("greeting://{name}", { list: undefined }),
    { title: "G" },
    async (uri, { name }) => ({ contents: [{ uri: uri.href, text: "Hello, " + name }] }),
  );
  s.registerPrompt("p", { argsSchema: { q: z.string() } }, ({ q }) => ({
    messages: [{ role: "user", content: { type: "text", text: q } }],
  }));
  return s;
};
export default {
  async fetch(req) {
    const s = make();
    const [a, b] = InMemoryTransport.createLinkedPair();
    const c = new Client({ name: "c", version: "1" });
    await Promise.all([s.connect(a), c.connect(b)]);
    return answer({
      tools: async () => (await c.listTools()).tools,
      call: () => c.callTool({ name: "add", arguments: { a: 1, b: 2 } }),
      bad: () => c.callTool({ name: "add", arguments: { a: "x" } }),
      res: () => c.readResource({ uri: "greeting://bob" }),
      prompt: () => c.getPrompt({ name: "p", arguments: { q: "why" } }),
      missing: () => c.callTool({ name: "nope", arguments: {} }),
      inproc: async () => {
        const c2 = new Client({ name: "h", version: "1" });
        await c2.connect(
          new StreamableHTTPClientTransport(new URL("http://in/mcp"), {
            fetch: async (u, i) => {
              const s = make();
              const t = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
              await s.connect(t);
              return t.handleRequest(new Request(u as any, i));
            },
          }),
        );
        return c2.callTool({ name: "add", arguments: { a: 5, b: 6 } });
      },
    });
  },
};
