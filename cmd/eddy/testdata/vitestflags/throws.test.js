import { it } from "vitest";
throw new Error("at the top");
it("never runs", () => {});
