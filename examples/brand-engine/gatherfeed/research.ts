import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { envelope, type Envelope } from "../shared/envelope";
import type { Env } from "./index";

type Request = Envelope<{ keyword: string }>;

const model = "@cf/meta/llama-3.1-8b-instruct";

/** Researches one keyword. The sources are read side by side, and what was read is not read again after a crash. */
export class Research extends WorkflowEntrypoint<Env, Request> {
  async run({ payload: cause }: Readonly<WorkflowEvent<Request>>, step: WorkflowStep) {
    const { keyword } = cause.payload;
    const patient = { retries: { limit: 3, delay: "30 seconds", backoff: "exponential" } } as const;
    try {
      const sources = await step.do("find sources", patient, async () => (await this.ask(`Sources: ${keyword}`)).split("\n"));
      const read = await Promise.all(sources.map((s) => step.do(`read ${s}`, patient, () => this.ask(`Summary: ${s}`))));
      const notes = await step.do("keep the notes", async () => {
        const key = `research/${cause.event_id}.json`;
        await this.env.CONTENT.put(key, JSON.stringify({ keyword, sources, read }));
        return key;
      });
      await step.do("tell", async () => {
        const payload = { keyword, sources: sources.length, notes };
        await this.env.EVENTS_QUEUE.send(await envelope("gatherfeed", "research.completed", payload, cause));
      });
      return notes;
    } catch (error) {
      // The command was acknowledged when the instance began, so that its queue cannot give it up: it is done here.
      await step.do("give up", () => this.env.DEAD_QUEUE.send(cause));
      throw error;
    }
  }

  private async ask(prompt: string): Promise<string> {
    return ((await this.env.AI.run(model, { prompt })) as { response: string }).response;
  }
}
