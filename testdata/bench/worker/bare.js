// For workerd alone, which has neither queues nor a bundler.
import { handler } from "./handler.js";
import { plain } from "./plain.js";
import { web } from "./web.js";

export default handler({ ...plain, ...web });
