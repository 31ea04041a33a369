import { Agent } from "agents";
import { envelope } from "../shared/envelope";
import { Journal } from "./journal";
import type { Env } from "./index";

export interface Brand {
  voice: string;
  keywords: string[];
  /** How much had been published in all a day after a campaign began, by the campaign; null until then. */
  campaigns: Record<string, number | null>;
}

/** Looks after one brand: what it stands for, and when its campaigns begin. */
export class BrandAgent extends Agent<Env, Brand> {
  initialState: Brand = { voice: "plain", keywords: [], campaigns: {} };

  /** The cron asks KV for the brands, and who writes for one asks for its voice. */
  async learn(brand: Partial<Brand>): Promise<Brand> {
    this.setState({ ...this.state, ...brand });
    await this.env.BRANDS.put(`brand/${this.name}`, this.state.voice);
    return this.state;
  }

  about(): Brand {
    return this.state;
  }

  /**
   * Begins a campaign. on says which one it is: the same one is not begun twice, and what was sent before a crash is sent
   * again with the same ids.
   */
  async launch(on: string): Promise<void> {
    if (on in this.state.campaigns) return;
    const cause = { ...(await envelope("brand-agent", "brand.due", {})), event_id: `${this.name}/${on}` };
    const command = await envelope("brand-agent", "campaign.start", { keywords: this.state.keywords }, cause);
    await this.env.STRATEGY_QUEUE.send(command);
    await this.schedule(24 * 3600, "review", on);
    this.note(on, null);
  }

  async review(on: string): Promise<void> {
    const published = (await new Journal(this.env.DB).counts())["content.published"] ?? 0;
    this.note(on, published);
    console.log(`${this.name}: ${published} published since the campaign of ${on}`);
  }

  private note(on: string, published: number | null): void {
    this.setState({ ...this.state, campaigns: { ...this.state.campaigns, [on]: published } });
  }
}
