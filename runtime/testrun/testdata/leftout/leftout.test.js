import { expect, it } from "vitest";
import { Box, choose, Colour } from "./src/deep/ignored.ts";
import { nothing } from "./src/deep/nothing.ts";
import { half } from "./src/worker.js";

it("leaves code out", () => {
  expect(choose(1)).toBe(1);
  expect(new Box(Colour.Red).value).toBe(2);
  expect(nothing(0)).toBe(2);
  expect(half(4)).toBe(2);
});
