import { it } from "vitest";
it("loses a promise", () => { Promise.reject(new Error("lost")); });
