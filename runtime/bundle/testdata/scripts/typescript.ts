import { DurableObject } from "cloudflare:workers";
import { greet } from "./greet";
export class Room extends DurableObject { name(): string { return greet("room"); } }
export let count: number = 0;
export function increment(): void { count++; }
export default { fetch(): string { return new Room().name() + count; } };
