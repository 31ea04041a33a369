import { builtins } from "./builtins.js";
import { web } from "./web.js";
import { bindings } from "./bindings.js";
import { node } from "./node.js";

export const snippets = { ...builtins, ...web, ...bindings, ...node };
