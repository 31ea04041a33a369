import { beforeAll, describe, it } from "vitest";
describe("set up", () => {
  beforeAll(() => { throw new Error("no set-up"); });
  it("is left out", () => {});
});
it("runs", () => {});
