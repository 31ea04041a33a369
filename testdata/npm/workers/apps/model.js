// Answers for Workers AI, in the platform's own form (docs/stand-ins.md).
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

function stream(...events) {
  const text = [...events.map((e) => JSON.stringify(e)), "[DONE]"].map((e) => `data: ${e}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

export default {
  async fetch(request) {
    if (request.method === "GET") return new Response("a model");
    const model = request.headers.get("cf-consn-model-id");
    const { inputs } = await request.json();
    if (model.includes("none")) return Response.json({ internalCode: 5007, description: `No such model ${model}` }, { status: 400 });
    if (model.includes("bge")) return Response.json({ shape: [inputs.text.length, 2], data: inputs.text.map((t) => [t.length, 1]) });
    if (model.includes("flux")) return Response.json({ image: btoa("picture") });
    const last = inputs.messages.at(-1);
    const said = typeof last.content === "string" ? last.content : last.content.map((c) => c.text).join("");
    if (inputs.stream) return stream({ response: "Hel" }, { response: `lo, ${said}` }, { response: "", usage });
    if (inputs.response_format?.type === "json_schema") return Response.json({ response: { city: "Faro", degrees: 21 }, usage });
    if (inputs.tools && last.role === "user") {
      return Response.json({ response: "", tool_calls: [{ name: inputs.tools[0].function.name, arguments: { city: "Rome" } }], usage });
    }
    return Response.json({ response: `${last.role} said ${said}`, usage });
  },
};
