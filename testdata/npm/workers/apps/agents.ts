import * as sdk from "agents";
import { agent, worker } from "./agent";

export const Counter = agent(sdk);
export default worker(sdk);
