import { expect, it } from "vitest";
import * as shapes from "./src/shapes.js";
import { plural } from "./src/words.ts";
import { use } from "./uses.js";

it("uses them", async () => {
  expect(await use(shapes)).toEqual([9, "odd", "even", "negative", 8, 3, 1, "no", 2, 1, "x", [0, 1, 2]]);
  expect(plural({ text: "bus", count: 2 })).toBe("buses");
});
