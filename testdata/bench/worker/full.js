import { handler } from "./handler.js";
import { packages } from "./packages.js";
import { plain } from "./plain.js";
import { web } from "./web.js";

export { Counter } from "./object.js";
export default handler({ ...plain, ...web, ...packages });
