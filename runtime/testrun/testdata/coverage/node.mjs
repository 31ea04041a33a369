// Run by record.sh: node --test with its own coverage.
import { test } from "node:test";
import * as shapes from "./src/shapes.js";
import { use } from "./uses.js";

test("uses them", () => use(shapes));
