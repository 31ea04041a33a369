import { describe, it } from "vitest";
describe("one", () => { describe("two", () => { it("is deep", () => {}); }); });
