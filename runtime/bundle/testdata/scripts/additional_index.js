import { loads } from "./lang/en.js";
export const hello = async (lang) => (await import("./lang/" + lang + ".js")).hello;
export const text = async (name) => (await import(name)).default;
export { loads };
export default (async () => [await hello("en"), await hello("deep/fr"), await text("./note.txt"), loads.n].join(
	))()
