// @cloudflare/puppeteer on the Browser binding: pages, forms, requests that it answers itself, pictures, and a browser that is left
// and found again. No page comes from a network.
import puppeteer from "@cloudflare/puppeteer";
import { answer, until } from "./answer.js";

const shop = `<title>Shop</title><h1>Shop</h1><ul><li class=p>rope<li class=p>net</ul>
  <form onsubmit="event.preventDefault(); document.querySelector('output').textContent = this.q.value + '!'">
  <input name=q><button>go</button></form><output></output>`;

export default {
  async fetch(_: Request, env: { BROWSER: Fetcher }) {
    const browser = await puppeteer.launch(env.BROWSER);
    const page = await browser.newPage();
    const said: string[] = [];
    page.on("console", (m) => said.push(`${m.type()} ${m.text()}`));
    const id = browser.sessionId();
    const result = await answer({
      version: async () => /^(Headless)?Chrome\/\d+/.test(await browser.version()),
      content: async () => {
        await page.setContent(shop);
        return [await page.title(), await page.$$eval(".p", (list) => list.map((e) => e.textContent))];
      },
      form: async () => {
        await page.type("input", "knot");
        await page.click("button");
        await page.waitForFunction(() => document.querySelector("output")!.textContent);
        return page.$eval("output", (e) => e.textContent);
      },
      evaluate: () => page.evaluate((a, b) => ({ sum: a + b, list: [a, { b }] }), 2, 3),
      "evaluate throws": () => page.evaluate(() => { throw new TypeError("in the page"); }).catch((e) => String(e.message).split("\n")[0]),
      exposed: async () => {
        await page.exposeFunction("double", (n: number) => n * 2);
        return page.evaluate("double(21)");
      },
      console: async () => {
        await page.evaluate(() => { console.log("one", 1); console.warn("two"); });
        return said;
      },
      intercepted: async () => {
        await page.setRequestInterception(true);
        page.on("request", (r) => r.url().includes("missing") ? r.abort() : r.respond({ status: 203, contentType: "text/html", body: `<p>${r.method()} ${new URL(r.url()).pathname}</p>` }));
        const response = await page.goto("http://shop.example/tide?a=1");
        return [response!.status(), await page.$eval("p", (e) => e.textContent), page.url()];
      },
      aborted: () => page.goto("http://shop.example/missing").catch((e) => String(e.message).split(" at ")[0]),
      cookies: async () => {
        await page.goto("http://shop.example/");
        await page.setCookie({ name: "a", value: "b", url: "http://shop.example/" });
        return [(await page.cookies()).map((c) => `${c.name}=${c.value}`), await page.evaluate(() => document.cookie)];
      },
      viewport: async () => {
        await page.setViewport({ width: 320, height: 200, deviceScaleFactor: 2 });
        return page.evaluate(() => [innerWidth, innerHeight, devicePixelRatio]);
      },
      picture: async () => {
        const png = await page.screenshot();
        const view = new DataView(png.buffer, png.byteOffset);
        return [new TextDecoder().decode(png.subarray(1, 4)), view.getUint32(16), view.getUint32(20)];
      },
      pdf: async () => new TextDecoder().decode((await page.pdf({ format: "a4" })).subarray(0, 5)),
      "two pages": async () => {
        const other = await browser.newPage();
        await other.setContent("<b>other</b>");
        const pages = (await browser.pages()).length;
        await other.close();
        return [pages, (await browser.pages()).length];
      },
      sessions: async () => (await puppeteer.sessions(env.BROWSER)).map((s) => [s.sessionId === id, s.connectionId !== undefined]),
      limits: async () => (await puppeteer.limits(env.BROWSER)).maxConcurrentSessions,
      "left and found": async () => {
        await browser.disconnect();
        const again = await puppeteer.connect(env.BROWSER, id);
        const page = (await again.pages()).find((p) => p.url().startsWith("http://shop.example"))!;
        const text = await page.$eval("p", (e) => e.textContent);
        await again.close();
        return [again.sessionId() === id, text];
      },
      gone: () => until(async () => (await puppeteer.sessions(env.BROWSER)).length === 0),
      "no such session": () => puppeteer.connect(env.BROWSER, "00000000-0000-4000-8000-000000000000").then(() => "connected", (e) => e.constructor.name),
    });
    return result;
  },
};
