// A Worker that does its act when it is evaluated.
import { env } from "cloudflare:workers";
import { acts } from "./acts.js";

await acts[env.ACT]();

export { default, Named, Place, Trap, Walked } from "./index.js";
