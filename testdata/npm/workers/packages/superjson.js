import superjson from "superjson";

export default {
  fetch() {
    const value = { date: new Date(5), map: new Map([["a", 1]]), set: new Set([1, 2]), big: 12345678901234567890n, gone: undefined };
    const back = superjson.parse(superjson.stringify(value));
    return Response.json({
      date: back.date instanceof Date && back.date.getTime() === 5, map: [...back.map], set: [...back.set], big: String(back.big),
      undefined: "gone" in back && back.gone === undefined,
    });
  },
};
