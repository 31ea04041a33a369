import wasm from "./mod.wasm"; import wasm2 from "./mod.wasm?module"; import text from "./a.txt";
import html from "./p.html"; import sql from "./q.sql"; import data from "./d.bin";
import fromPackage from "pkg/x.txt";
const viaRequire = require("./a.txt");
export default [wasm, wasm2, text, html, sql, data.byteLength, fromPackage, viaRequire,
	(await import("./a.txt")).default].join()
