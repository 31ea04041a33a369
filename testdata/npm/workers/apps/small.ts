import { v4, v5, v7, validate } from "uuid";
import * as R from "remeda";
import _ from "lodash";
import dayjs from "dayjs";
import utc from "dayjs/plugin/utc";
import timezone from "dayjs/plugin/timezone";
import relativeTime from "dayjs/plugin/relativeTime";
import duration from "dayjs/plugin/duration";
import { DateTime, Interval, Duration } from "luxon";
import protobuf from "protobufjs";
import Ajv from "ajv";
import { Validator } from "@cfworker/json-schema";
import superjson from "superjson";
import { nanoid } from "nanoid";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { scrypt } from "@noble/hashes/scrypt.js";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import * as Y from "yjs";
import {
  SignJWT,
  jwtVerify,
  generateKeyPair,
  exportJWK,
  importJWK,
  CompactEncrypt,
  compactDecrypt,
  createLocalJWKSet,
  calculateJwkThumbprint,
} from "jose";
import { z } from "zod";
import { answer } from "./answer.js";
dayjs.extend(utc);
dayjs.extend(timezone);
dayjs.extend(relativeTime);
dayjs.extend(duration);
const U = z.object({
  id: z.uuid(),
  mail: z.email(),
  n: z.coerce.number().int().min(1),
  tags: z.array(z.string()).max(2).default([]),
  u: z.discriminatedUnion("k", [z.object({ k: z.literal("a"), x: z.string() }), z.object({ k: z.literal("b"), y: z.number() })]),
  d: z.iso.datetime().optional(),
  r: z.record(z.string(), z.number()).optional(),
});
const hex = (s) => new TextEncoder().encode(s);
export default {
  fetch: () =>
    answer({
      uuid: () => [validate(v4()), v5("x", v5.URL), v7().length],
      remeda: () =>
        R.pipe(
          [3, 1, 2, 2],
          R.unique(),
          R.sortBy((x) => x),
          R.map((x) => x * 2),
          R.groupBy((x) => (x > 2 ? "big" : "small")),
        ),
      lodash: () => [_.chunk(_.range(7), 3), _.merge({ a: { b: 1 } }, { a: { c: 2 } })],
      lodash2: () => [
        _.cloneDeep({ d: new Date(0), m: new Map([[1, { a: 1 }]]) }),
        _.isEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }),
        _.startCase("fooBar-baz"),
        _.debounce(() => {}, 1).name,
        _.words("a🎉b c"),
        _.deburr("déjà"),
      ],
      "lodash generates code": () => _.template("hello <%= user %>!")({ user: "fred" }),
      dayjs: () => [
        dayjs.utc("2026-04-01T10:00:00Z").tz("America/New_York").format("YYYY-MM-DD HH:mm z"),
        dayjs("2026-04-01").to(dayjs("2026-04-05")),
        dayjs.duration(100, "minutes").humanize(),
        dayjs.tz("2026-11-01 01:30", "Europe/Berlin").utc().format(),
      ],
      luxon: () => [
        DateTime.fromISO("2026-04-01T10:00", { zone: "Asia/Tokyo" }).toISO(),
        DateTime.fromISO("2026-04-01").setLocale("en-US").toLocaleString(DateTime.DATE_FULL),
        DateTime.fromFormat("Apr 3 2026", "LLL d yyyy").toFormat("cccc dd LLLL"),
        Duration.fromObject({ hours: 1.5 }).toHuman(),
        Interval.fromDateTimes(DateTime.utc(2026, 1, 1), DateTime.utc(2026, 3, 1)).length("days"),
        DateTime.utc(2026, 1, 1).toRelative({ base: DateTime.utc(2026, 1, 3) }),
        DateTime.fromISO("2026-04-01T10:00Z").setZone("Europe/Paris").toFormat("ttt ZZZZ"),
      ],
      "protobufjs generates code": () => {
        const root = protobuf.parse(
          'syntax="proto3"; message A { string name = 1; repeated int32 n = 2; map<string,int64> m = 3; }',
        ).root;
        const A = root.lookupType("A");
        return A.toObject(A.decode(A.encode(A.create({ name: "x", n: [1, 2] })).finish()));
      },
      protoReflect: () => {
        const T = new protobuf.Type("T").add(new protobuf.Field("v", 1, "string"));
        const w = protobuf.Writer.create().uint32(10).string("hé");
        const b = w.finish();
        const r = protobuf.Reader.create(b);
        return [T.name, r.uint32(), r.string()];
      },
      "ajv generates code": () => new Ajv().compile({ type: "object", properties: { a: { type: "number" } } })({ a: 1 }),
      cfworker: () =>
        new Validator({ type: "object", required: ["a"], properties: { a: { type: "number", format: "int" } } } as any).validate({
          a: "x",
        }),
      superjson: () => superjson.parse(superjson.stringify({ d: new Date(0), s: new Set([1]) })),
      nanoid: () => nanoid().length,
      hashes: () => [
        bytesToHex(sha256(hex("abc"))),
        bytesToHex(blake3(hex("abc"))),
        bytesToHex(scrypt(hex("p"), hex("s"), { N: 16, r: 1, p: 1, dkLen: 16 })),
        bytesToHex(pbkdf2(sha512, hex("p"), hex("s"), { c: 5, dkLen: 16 })),
      ],
      curves: () => {
        const k = new Uint8Array(32).fill(7);
        const sig = ed25519.sign(hex("m"), k);
        const s2 = secp256k1.sign(hex("m"), k);
        return [
          bytesToHex(sig).slice(0, 16),
          ed25519.verify(sig, hex("m"), ed25519.getPublicKey(k)),
          bytesToHex(s2).slice(0, 16),
          secp256k1.verify(s2, hex("m"), secp256k1.getPublicKey(k)),
          bytesToHex(p256.getPublicKey(k)).slice(0, 10),
        ];
      },
      yjs: () => {
        const a = new Y.Doc(),
          b = new Y.Doc();
        a.getText("t").insert(0, "hello");
        b.getText("t").insert(0, "world ");
        Y.applyUpdate(b, Y.encodeStateAsUpdate(a));
        Y.applyUpdate(a, Y.encodeStateAsUpdate(b));
        const m = a.getMap("m");
        m.set("x", { y: 1 });
        return [a.getText("t").length, a.getText("t").toString() === b.getText("t").toString(), m.toJSON()];
      },
      jose: async () => {
        const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
        const t = await new SignJWT({ a: 1 })
          .setProtectedHeader({ alg: "ES256", kid: "k" })
          .setIssuer("i")
          .setExpirationTime("2h")
          .sign(privateKey);
        const jwk = { ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" };
        const v = await jwtVerify(t, createLocalJWKSet({ keys: [jwk] }), { issuer: "i" });
        return [v.payload.a, (await calculateJwkThumbprint(jwk)).length];
      },
      jwe: async () => {
        const k = crypto.getRandomValues(new Uint8Array(32));
        const e = await new CompactEncrypt(hex("secret")).setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(k);
        return new TextDecoder().decode((await compactDecrypt(e, k)).plaintext);
      },
      zod: () => {
        const r = U.safeParse({ id: "x", mail: "a@b.co", n: "5", u: { k: "c" }, r: { a: "x" } });
        return r.error.issues;
      },
      zodOk: () => U.parse({ id: "6f1f1d3e-7c3b-4f0e-9e4e-1f1d3e7c3b4f", mail: "a@b.co", n: "5", u: { k: "b", y: 2 } }),
      zodJson: () => z.toJSONSchema(U),
      zodPretty: () => z.prettifyError(z.string().safeParse(5).error),
      zodAsync: () =>
        z
          .string()
          .refine(async (s) => s.length > 3, "short")
          .safeParseAsync("ab")
          .then((r) => r.error.issues),
    }),
};
