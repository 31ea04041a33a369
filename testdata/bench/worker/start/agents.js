import { Agent, routeAgentRequest } from "agents";

export class Counter extends Agent {
  initialState = { count: 0 };
}
export default {
  fetch: async (request, env) => (await routeAgentRequest(request, env)) ?? new Response("Hello World!"),
};
