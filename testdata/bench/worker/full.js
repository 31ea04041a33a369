import { handler } from "./handler.js";
import { packages } from "./packages.js";
import { plain } from "./plain.js";

export { Counter } from "./object.js";
export default handler({ ...plain, ...packages });
