import * as sdk from "agents-0.9";
import { agent, worker } from "./agent";
import { answer } from "./answer.js";

export const Counter = agent(sdk);
const base = worker(sdk);
export default {
  async fetch(request: Request, env: any) {
    if (new URL(request.url).pathname !== "/names") return base.fetch(request, env);
    return answer({
      "AG3 not awaited": () => {
        const stub = env.Counter.get(env.Counter.idFromName("four"));
        stub.setName("four");
        return stub.who();
      },
      "AG3 another name": () => env.Counter.getByName("four").setName("five"),
    });
  },
};
