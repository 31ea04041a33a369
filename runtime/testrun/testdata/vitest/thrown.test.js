import { describe, expect, it } from "vitest";
class MyError extends Error { constructor(m, code) { super(m); this.name = "MyError"; this.code = code; this.details = { a: [1], d: new Date(0) }; } }
class Unnamed extends Error {}
describe("thrown", () => {
  it("error", () => { throw new Error("plain"); });
  it("own", () => { throw new MyError("own", 42); });
  it("unnamed", () => { throw new Unnamed("unnamed"); });
  it("cause", () => { throw new Error("outer", { cause: new TypeError("inner", { cause: new Error("innermost") }) }); });
  it("cause text", () => { throw new Error("outer", { cause: "a text" }); });
  it("cause object", () => { throw new Error("outer", { cause: { code: 5 } }); });
  it("aggregate", () => { throw new AggregateError([new Error("a"), new TypeError("b")], "several"); });
  it("string", () => { throw "a string"; });
  it("number", () => { throw 42; });
  it("undefined", () => { throw undefined; });
  it("null", () => { throw null; });
  it("object", () => { throw { code: 1, message: "like an error" }; });
  it("array", () => { throw [1, 2]; });
  it("rejected", async () => { await Promise.reject(new Error("rejected")); });
  it("rejected string", async () => { await Promise.reject("rejected text"); });
  it("multi line", () => { throw new Error("line one\nline two\n  line three"); });
  it("nested function", () => { function a() { b(); } function b() { throw new RangeError("deep"); } a(); });
  it("from async", async () => { async function a() { await null; throw new Error("after await"); } await a(); });
  it("expected actual", () => { throw Object.assign(new Error("diffed"), { expected: "a\nb", actual: "a\nc" }); });
});
describe("toThrow", () => {
  const bad = () => { throw new MyError("bad thing", 1); };
  it("none", () => expect(() => {}).toThrow());
  it("text", () => expect(bad).toThrow("good"));
  it("regexp", () => expect(bad).toThrow(/good/));
  it("class", () => expect(bad).toThrow(TypeError));
  it("instance", () => expect(bad).toThrow(new Error("other")));
  it("asymmetric", () => expect(bad).toThrow(expect.objectContaining({ code: 2 })));
  it("not", () => expect(bad).not.toThrow());
  it("not text", () => expect(bad).not.toThrow("bad"));
  it("not a function", () => expect(5).toThrow());
  it("rejects", () => expect(Promise.resolve(1)).rejects.toThrow("x"));
  it("rejects text", () => expect(Promise.reject(new Error("a"))).rejects.toThrow("b"));
  it("resolves", () => expect(Promise.reject(new Error("a"))).resolves.toBe(1));
  it("resolves value", () => expect(Promise.resolve({ a: 1 })).resolves.toEqual({ a: 2 }));
  it("resolves no promise", () => expect(1).resolves.toBe(1));
  it("rejects function", () => expect(async () => { throw new Error("in fn"); }).rejects.toThrow("out"));
  it("rejects equal", () => expect(Promise.reject({ code: 1 })).rejects.toEqual({ code: 2 }));
  it("thrown string", () => expect(() => { throw "text"; }).toThrow("other"));
  it("unreachable", () => expect.unreachable("here"));
  it("fail", () => expect.fail("failed by hand"));
});
