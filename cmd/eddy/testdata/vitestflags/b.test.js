import { expect, it } from "vitest";
it("adds", () => { expect(1 + 1).toBe(2); });
it("is a text", () => { expect("a").toBe("a"); });
