// Fetches the page again when the session says that something has changed, and morphs what differs into the document.
const main = () => document.querySelector("main");
const dirty = (e) => e.matches("input,textarea,select") && (e.type === "checkbox" || e.type === "radio"
  ? e.checked !== e.defaultChecked
  : e.tagName === "SELECT" ? e.dataset.touched : e.value !== e.defaultValue);
addEventListener("change", (e) => { if (e.target.tagName === "SELECT") e.target.dataset.touched = 1; });
let busy = false, again = false, tag = "";
// Looks again at most ten times a second, and works for no more than a sixteenth of the time: fifteen times as long as
// a look took, to the frame that shows it, nobody looks.
async function refresh() {
  if (busy) { again = true; return; }
  busy = true;
  const began = performance.now();
  try {
    const held = document.querySelector("[data-hold]:checked");
    const url = new URL(location); url.searchParams.delete("said");
    const headers = { "If-None-Match": tag, Accept: "text/html", "Eddy-Live": "1" };
    const r = held ? null : await fetch(url, { headers, cache: "no-store" });
    if (r) document.body.classList.toggle("gone", r.status === 204);
    if (r && r.status === 200) {
      tag = r.headers.get("ETag") || "";
      const next = new DOMParser().parseFromString(await r.text(), "text/html").querySelector("main");
      if (next) Idiomorph.morph(main(), next, { ignoreActiveValue: true, restoreFocus: true, callbacks: {
        beforeNodeMorphed: (a) => !(a.nodeType === 1 && (dirty(a) || a.matches("[role=status]"))),
        beforeNodeRemoved: (a) => !(a.nodeType === 1 && a.matches("[role=status]")),
        beforeAttributeUpdated: (name, a) => !(name === "open" && a.tagName === "DETAILS") } });
      count();
    }
  } catch { /* the session is away; its return is a change, too */ }
  if (!document.hidden) await new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)));
  setTimeout(() => {
    busy = false;
    if (again) { again = false; refresh(); }
  }, Math.min(5000, Math.max(100, 15 * (performance.now() - began))));
}
// Counts down to what is due: by the machine's clock, or, where the session has another, from what that said last.
function count() {
  const now = Date.parse(main().dataset.now) || Date.now();
  for (const e of document.querySelectorAll("time[data-due]")) {
    const s = Math.round((Date.parse(e.dateTime) - now) / 1000);
    const [n, unit] = s < 120 ? [1, "s"] : s < 7200 ? [60, "min"] : s < 172800 ? [3600, "h"] : [86400, "days"];
    const text = s <= 0 ? "now" : `in ${Math.round(s / n)} ${unit}`;
    if (e.textContent !== text) e.textContent = text;
  }
}
setInterval(count, 1000); count();
// What no event of the session tells of is looked at again from time to time.
setInterval(() => { const s = main().querySelector("[data-every]"); if (s && !document.hidden) refresh(); }, 2000);
// "All" ticks every box of its form.
addEventListener("click", (e) => {
  const all = e.target.closest("[data-all]");
  for (const b of all ? all.closest("form").querySelectorAll("td [type=checkbox]") : []) b.checked = all.checked;
});
addEventListener("submit", (e) => { const q = e.submitter?.dataset.sure; if (q && !confirm(q)) e.preventDefault(); });
// Only a page that is seen has a stream: a browser has six connections for all pages of one origin.
let stream;
function connect() {
  stream?.close();
  if (document.hidden) return;
  stream = new EventSource("/cdn-cgi/eddy/live");
  stream.addEventListener("change", refresh);
  stream.onerror = () => {
    document.body.classList.add("away");
    if (stream.readyState === 2) setTimeout(connect, 1000);
  };
  // What has changed between the page and its stream is not told: look once.
  stream.onopen = () => { document.body.classList.remove("away"); refresh(); };
}
connect();
addEventListener("pagehide", () => stream?.close());
addEventListener("pageshow", (e) => { if (e.persisted) { connect(); refresh(); } });
addEventListener("visibilitychange", () => { connect(); if (!document.hidden) refresh(); });
