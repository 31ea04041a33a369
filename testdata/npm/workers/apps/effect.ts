import * as EffectAll from "effect";
import { answer } from "./answer.js";
const { Effect, Schema, Stream, Option, Duration, Schedule, Queue, Ref, Layer, Context, Fiber, Cause, Exit } = EffectAll as any;
export default {
  fetch: () =>
    answer({
      gen: () =>
        Effect.runPromise(
          Effect.gen(function* () {
            const a = yield* Effect.succeed(1);
            yield* Effect.sleep("5 millis");
            return a + 1;
          }),
        ),
      fail: () => Effect.runPromise(Effect.fail(new Error("no"))),
      exit: async () => Exit.isFailure(await Effect.runPromiseExit(Effect.fail("x"))),
      retry: () => {
        let n = 0;
        return Effect.runPromise(
          Effect.retry(
            Effect.suspend(() => (++n < 3 ? Effect.fail("e") : Effect.succeed(n))),
            Schedule.recurs(5),
          ),
        );
      },
      schema: () => Schema.decodeUnknownSync(Schema.Struct({ a: Schema.Number, b: Schema.optional(Schema.String) }))({ a: 1 }),
      schemaErr: () => {
        try {
          Schema.decodeUnknownSync(Schema.Struct({ a: Schema.Number }))({ a: "x" });
        } catch (e) {
          return e.message;
        }
      },
      stream: () =>
        Effect.runPromise(Stream.runCollect(Stream.map(Stream.make(1, 2, 3), (x) => x * 2))).then((c) => [...(c as any)]),
      conc: () =>
        Effect.runPromise(
          Effect.all(
            [1, 2, 3].map((n) => Effect.as(Effect.sleep(n + " millis"), n)),
            { concurrency: "unbounded" },
          ),
        ),
      ref: () =>
        Effect.runPromise(
          Effect.gen(function* () {
            const r = yield* Ref.make(0);
            yield* Effect.all(
              Array.from({ length: 100 }, () => Ref.update(r, (n) => n + 1)),
              { concurrency: 10 },
            );
            return yield* Ref.get(r);
          }),
        ),
      timeout: () => Effect.runPromise(Effect.timeout(Effect.never, "10 millis")),
      option: () => [Option.some(1), Option.none()].map(String),
      duration: () => String(Duration.toMillis(Duration.seconds(2))),
    }),
};
