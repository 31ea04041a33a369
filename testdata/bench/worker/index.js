import { handler } from "./handler.js";
import { plain } from "./plain.js";

export { Counter } from "./object.js";
export default handler(plain);
