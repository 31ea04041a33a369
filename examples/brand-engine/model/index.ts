// Answers in the place of Workers AI. The same prompt has the same answer, and costs nothing.

interface Asked {
  inputs: { prompt: string };
}

/** What is asked, by the first word of the prompt; the rest is the keyword. */
const answers: Record<string, (about: string) => string> = {
  Sources: (about) => [`${about} weekly`, `the ${about} review`, `${about} for beginners`].join("\n"),
  Summary: (about) => `${about} has something new to say.`,
  Article: (about) => `Why ${about} matters, in three sources.`,
  Post: (about) => `Have you heard of ${about}? We wrote about it.`,
};

export default {
  async fetch(request: Request): Promise<Response> {
    const { inputs } = await request.json<Asked>();
    const [kind, ...rest] = inputs.prompt.split(": ");
    const about = rest.join(": ");
    if (about === "speechless") {
      return Response.json({ internalCode: 3040, description: "Capacity temporarily exceeded" }, { status: 429 });
    }
    return Response.json({ response: answers[kind](about) });
  },
};
