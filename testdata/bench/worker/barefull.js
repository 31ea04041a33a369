import { handler } from "./handler.js";
import { packages } from "./packages.js";
import { plain } from "./plain.js";

export default handler({ ...plain, ...packages });
