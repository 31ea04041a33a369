import { z } from "zod";

const Person = z.object({ name: z.string().min(1), age: z.number().int() });

export default {
  fetch() {
    const bad = Person.safeParse({ name: 1, age: "x" });
    return Response.json({
      ok: Person.parse({ name: "ann", age: 3, dropped: true }),
      problems: bad.error.issues.map((i) => `${i.path.join(".")}: ${i.expected}`),
    });
  },
};
