import { describe, expect, it } from "vitest";
console.log("top", { a: 1 });
describe("s", () => { it("one", () => { console.log("one a"); console.log("one b"); console.warn("w"); console.error("e"); });
it("two", () => { console.info("two"); expect(1).toBe(2); }); });
it.skip("sk", () => {});
