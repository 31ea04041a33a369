import { Agent } from "agents";
import { envelope } from "../shared/envelope";
import { Journal } from "./journal";
import type { Env } from "./index";

export interface Brand {
  voice: string;
  keywords: string[];
  campaigns: number;
  /** How much had been published in all when a campaign was looked at, a day after it began. */
  reviews: number[];
}

/** Looks after one brand: what it stands for, and when its campaigns begin. */
export class BrandAgent extends Agent<Env, Brand> {
  initialState: Brand = { voice: "plain", keywords: [], campaigns: 0, reviews: [] };

  /** The cron asks KV for the brands, and who writes for one asks for its voice. */
  async learn(brand: Partial<Brand>): Promise<Brand> {
    this.setState({ ...this.state, ...brand });
    await this.env.BRANDS.put(`brand/${this.name}`, this.state.voice);
    return this.state;
  }

  about(): Brand {
    return this.state;
  }

  /** Begins a campaign. on says which one it is: the same one is not begun twice. */
  async launch(on: string): Promise<void> {
    const cause = { ...(await envelope("brand-agent", "brand.due", {})), event_id: `${this.name}/${on}` };
    const command = await envelope("brand-agent", "campaign.start", { keywords: this.state.keywords }, cause);
    await this.env.STRATEGY_QUEUE.send(command);
    this.setState({ ...this.state, campaigns: this.state.campaigns + 1 });
    await this.schedule(24 * 3600, "review", on);
  }

  async review(on: string): Promise<void> {
    const published = (await new Journal(this.env.DB).counts())["content.published"] ?? 0;
    this.setState({ ...this.state, reviews: [...this.state.reviews, published] });
    console.log(`${this.name}: ${published} published since the campaign of ${on}`);
  }
}
