// What an agent of the SDK does beside its state: workflows with approval, schedules, mail and an MCP server. Its brand is the
// one of the example brand-engine.
import { Agent, getAgentByName, routeAgentEmail } from "agents";
import { createAddressBasedEmailResolver } from "agents/email";
import { McpAgent } from "agents/mcp";
import { AgentWorkflow, type AgentWorkflowEvent, type AgentWorkflowStep } from "agents/workflows";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { answer, until } from "./answer.js";

/** Researches a keyword, and publishes when somebody has approved. */
export class Research extends AgentWorkflow<BrandAgent, { keyword: string }> {
  async run({ payload }: AgentWorkflowEvent<{ keyword: string }>, step: AgentWorkflowStep) {
    const { keyword } = payload;
    const found = await step.do("find", async () => [`${keyword} weekly`, `the ${keyword} review`]);
    await this.reportProgress({ step: "find", status: "complete", percent: 0.5 });
    if (keyword === "nothing") throw new Error("nothing was found");
    await this.agent.note(`asks for ${keyword}`);
    const approval = await this.waitForApproval<{ by: string }>(step, { timeout: "1 hour" });
    await step.mergeAgentState({ found });
    await step.reportComplete({ keyword, by: approval.by });
    return found.length;
  }
}

export class BrandAgent extends Agent<any> {
  initialState = { found: [] as string[] };
  notes: string[] = [];

  note(text: string) {
    this.notes.push(text);
  }
  heard() {
    return this.notes;
  }
  found() {
    return (this.state as { found: string[] }).found;
  }
  async research(keyword: string) {
    return this.runWorkflow("RESEARCH", { keyword });
  }
  approve(id: string) {
    return this.approveWorkflow(id, { reason: "good", metadata: { by: "ada" } });
  }
  reject(id: string) {
    return this.rejectWorkflow(id, { reason: "dull" });
  }
  pause(id: string) {
    return this.pauseWorkflow(id);
  }
  resume(id: string) {
    return this.resumeWorkflow(id);
  }
  tracked(id: string) {
    return this.getWorkflow(id)?.status;
  }
  async status(id: string) {
    return (await this.getWorkflowStatus("RESEARCH", id)).status;
  }
  async onWorkflowProgress(name: string, _id: string, progress: unknown) {
    this.note(`${name} progress ${JSON.stringify(progress)}`);
  }
  async onWorkflowComplete(name: string, _id: string, result: unknown) {
    this.note(`${name} complete ${JSON.stringify(result)}`);
  }
  async onWorkflowError(name: string, _id: string, error: string) {
    this.note(`${name} error ${error}`);
  }

  async plan() {
    const soon = await this.schedule(1, "remind", { n: 1 });
    await this.schedule(new Date(Date.now() + 500), "remind", { n: 2 });
    const monday = await this.schedule("0 6 * * 1", "remind", { n: 3 });
    const every = await this.scheduleEvery(3600, "remind", { n: 4 });
    const kinds = this.getSchedules().map((s) => s.type).sort();
    return [soon.type, monday.type, every.type, kinds, await this.cancelSchedule(monday.id)];
  }
  remind({ n }: { n: number }) {
    this.note(`remind ${n}`);
  }

  async onEmail(email: { from: string; to: string; headers: Headers; getRaw(): Promise<Uint8Array> }) {
    const raw = new TextDecoder().decode(await email.getRaw());
    this.note(`mail ${email.from} ${email.to} ${email.headers.get("subject")} ${raw.includes("Three keywords")}`);
  }
}

export class Tools extends McpAgent<any, { calls: number }> {
  server = new McpServer({ name: "tools", version: "1.0.0" });
  initialState = { calls: 0 };
  async init() {
    this.server.registerTool("add", { description: "adds", inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => {
      this.setState({ calls: this.state.calls + 1 });
      return { content: [{ type: "text", text: `${a + b} in call ${this.state.calls}` }] };
    });
  }
}

const mcp = Tools.serve("/mcp", { binding: "Tools" });

export default {
  async fetch(request: Request, env: any, ctx: ExecutionContext) {
    if (new URL(request.url).pathname === "/mcp") return mcp.fetch(request, env, ctx);
    const agent = await getAgentByName<any, BrandAgent>(env.BrandAgent, "harbour");
    const has = (text: string) => until(async () => (await agent.heard()).find((n: string) => n.includes(text)));
    let id = "";
    let session = "";
    const tool = async (method: string, params: unknown, n?: number) => {
      const res = await mcp.fetch(new Request("http://tools/mcp", {
        method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: n, method, params }),
        headers: {
          "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18",
          ...(session ? { "mcp-session-id": session } : {}),
        },
      }), env, ctx);
      session ||= res.headers.get("mcp-session-id") ?? "";
      const text = await res.text();
      return [res.status, text.includes("data: ") ? JSON.parse(text.slice(text.indexOf("data: ") + 6)).result : text];
    };
    return answer({
      "workflow runs": async () => typeof (id = await agent.research("tide")),
      "workflow progress": () => has("progress"),
      "agent is called": () => has("asks for"),
      "workflow waits": () => agent.tracked(id),
      "workflow pauses": async () => {
        await agent.pause(id);
        return until(async () => (await agent.status(id)) === "paused" && "paused");
      },
      "workflow resumes": async () => {
        await agent.resume(id);
        return agent.tracked(id);
      },
      "workflow approved": () => agent.approve(id),
      "workflow complete": () => has("RESEARCH complete"),
      "state merged": () => agent.found(),
      "workflow status": () => until(async () => (await agent.status(id)) === "complete" && "complete"),
      "workflow rejected": async () => {
        await agent.reject(await agent.research("dull"));
        return has("error dull");
      },
      "workflow fails": async () => {
        await agent.research("nothing");
        return has("nothing was found");
      },
      "schedules": () => agent.plan(),
      "delayed": () => has("remind 1"),
      "scheduled": () => has("remind 2"),
      "mail": async () => {
        const raw = "From: ada@example.com\r\nTo: harbour@example.com\r\nSubject: Keywords\r\n\r\nThree keywords\r\n";
        const message = {
          from: "ada@example.com", to: "brand-agent+harbour@example.com", headers: new Headers({ subject: "Keywords" }),
          raw: new Blob([raw]).stream(), rawSize: raw.length, setReject() {}, async forward() {}, async reply() {},
        };
        await routeAgentEmail(message as any, env, { resolver: createAddressBasedEmailResolver("brand-agent") });
        return has("mail");
      },
      "mcp initialize": async () => (await tool("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } }, 1))[0],
      "mcp session": () => session.length > 0,
      "mcp initialized": async () => (await tool("notifications/initialized", {}))[0],
      "mcp list": async () => (await tool("tools/list", {}, 2))[1]?.tools?.map((t: any) => [t.name, t.description]),
      "mcp call": () => tool("tools/call", { name: "add", arguments: { a: 1, b: 2 } }, 3),
      "mcp again": () => tool("tools/call", { name: "add", arguments: { a: 3, b: 4 } }, 4),
    });
  },
};
