import { it } from "vitest";
it("never runs", () => { const = 1; });
