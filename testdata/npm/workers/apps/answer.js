// A Worker of this folder answers with one line for each thing it does with its package, so that a run can be compared with
// that of the reference line by line.
const show = (v) => {
  if (typeof v === "string") return v;
  if (v instanceof Error) return `${v.name}: ${v.message}`;
  return JSON.stringify(v) ?? String(v);
};

export const answer = async (cases, ...args) => {
  const lines = [];
  for (const [label, f] of Object.entries(cases)) {
    let result;
    try {
      result = show(await f(...args));
    } catch (e) {
      result = `throws ${e.constructor.name} ${show(e)}`;
    }
    lines.push(`${label} => ${result.replace(/\n/g, "\\n")}`);
  }
  return new Response(lines.join("\n") + "\n");
};

/** Asks until the answer is truthy. */
export const until = async (f) => {
  for (;;) {
    const v = await f();
    if (v) return v;
    await scheduler.wait(20);
  }
};
