import { Resvg, initWasm } from "@resvg/resvg-wasm";
import wasm from "@resvg/resvg-wasm/index_bg.wasm";

const ready = initWasm(wasm);
export default {
  async fetch() {
    await ready;
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>';
    return new Response(new Resvg(svg).render().width === 10 ? "Hello World!" : "no picture");
  },
};
