// What packages give for inputs of many lengths, in a Worker and in Node alike.
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { md5 as nobleMD5, ripemd160, sha1 } from "@noble/hashes/legacy.js";
import { keccak_256, sha3_256 } from "@noble/hashes/sha3.js";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { scrypt } from "@noble/hashes/scrypt.js";
import { argon2id } from "@noble/hashes/argon2.js";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { cbc, ctr, gcm, gcmsiv } from "@noble/ciphers/aes.js";
import { chacha20poly1305, xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import aes from "aes-js";
import base64 from "base64-js";
import bcrypt from "bcryptjs";
import blake from "blakejs";
import CRC32 from "crc-32";
import * as fflate from "fflate";
import hash from "hash.js";
import jpeg from "jpeg-js";
import md5 from "js-md5";
import * as jsSHA256 from "js-sha256";
import * as jsSHA3 from "js-sha3";
import LZ from "lz-string";
import lz4 from "lz4js";
import murmur from "murmurhash-js";
import * as pako from "pako";
import seedrandom from "seedrandom";
import sha from "sha.js";
import * as snappy from "snappyjs";
import SparkMD5 from "spark-md5";
import nacl from "tweetnacl";
import UPNG from "upng-js";
import XXH from "xxhashjs";

let state = 1;
const next = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 16;
/** Bytes that are noise, or, where compressible, words again and again. */
const bytes = (n, compressible) => Uint8Array.from({ length: n }, () => compressible ? 97 + (next() % 7) * (next() & 1) : next());
const text = (n) => String.fromCharCode(...Array.from({ length: n }, () => 32 + (next() % 90)));
const short = (b) => (typeof b === "string" || typeof b === "number" ? String(b) : Array.from(b).join());

const functions = {
  sha256, sha512, sha1, nobleMD5, ripemd160, keccak_256, sha3_256, blake2b, blake2s, blake3,
  gcm: (b) => gcm(bytes(32), bytes(12)).encrypt(b),
  gcmsiv: (b) => gcmsiv(bytes(32), bytes(12)).encrypt(b),
  ctr: (b) => ctr(bytes(16), bytes(16)).encrypt(b),
  cbc: (b) => {
    const key = bytes(32), iv = bytes(16);
    return cbc(key, iv).decrypt(cbc(key, iv).encrypt(b));
  },
  chacha: (b) => chacha20poly1305(bytes(32), bytes(12)).encrypt(b),
  xchacha: (b) => xchacha20poly1305(bytes(32), bytes(24)).encrypt(b),
  xsalsa: (b) => xsalsa20poly1305(bytes(32), bytes(24)).encrypt(b),
  "aes-js": (b) => new aes.ModeOfOperation.ctr(bytes(16), new aes.Counter(5)).encrypt(b),
  "base64-js": (b) => base64.toByteArray(base64.fromByteArray(b)),
  blakejs: (b) => blake.blake2bHex(b) + blake.blake2sHex(b),
  "crc-32": (b) => CRC32.buf(b) + CRC32.str(text(b.length)),
  fflate: (b) => fflate.unzlibSync(fflate.zlibSync(b, { level: 6 })).join(),
  "hash.js": (b) => hash.sha256().update(Array.from(b)).digest("hex") + hash.sha512().update(Array.from(b)).digest("hex"),
  "js-md5": (b) => md5(b) + md5(text(b.length)),
  "js-sha256": (b) => jsSHA256.sha256(b) + jsSHA256.sha224(text(b.length)),
  "js-sha3": (b) => jsSHA3.sha3_512(b) + jsSHA3.keccak256(text(b.length)),
  "lz-string": (b) => LZ.decompressFromBase64(LZ.compressToBase64(text(b.length >> 2))),
  lz4js: (b) => lz4.decompress(lz4.compress(b)),
  murmur: (b) => [murmur.murmur3(text(b.length), 5), murmur.murmur2(text(b.length), 7)],
  pako: (b) => pako.inflate(pako.deflate(b)).join(),
  seedrandom: (b) => Array.from({ length: 9 }, seedrandom(text(b.length % 20))),
  "sha.js": (b) => sha("sha256").update(b).digest("hex") + sha("sha512").update(b).digest("hex") + sha("sha1").update(b).digest("hex"),
  snappyjs: (b) => snappy.uncompress(snappy.compress(b)),
  "spark-md5": (b) => SparkMD5.ArrayBuffer.hash(b.slice().buffer) + SparkMD5.hash(text(b.length)),
  tweetnacl: (b) => nacl.secretbox(b, bytes(24), bytes(32)).join() + nacl.hash(b).join(),
  xxhashjs: (b) => XXH.h32(b.slice().buffer, 7).toString(16) + XXH.h64(b.slice().buffer, 7).toString(16),
};

const once = {
  argon2: () => argon2id(bytes(9), bytes(16), { t: 1, m: 64, p: 1 }),
  bcryptjs: () => bcrypt.hashSync(text(12), "$2b$04$abcdefghijklmnopqrstuu"),
  pbkdf2: () => pbkdf2(sha256, bytes(9), bytes(16), { c: 30, dkLen: 40 }),
  scrypt: () => scrypt(bytes(9), bytes(16), { N: 64, r: 8, p: 1, dkLen: 64 }),
  sign: () => nacl.sign(bytes(50), nacl.sign.keyPair.fromSeed(bytes(32)).secretKey),
  jpeg: () => jpeg.decode(jpeg.encode({ data: image(24), width: 24, height: 24 }, 70).data, { useTArray: true }).data,
  png: () => {
    const img = image(24);
    return new Uint8Array(UPNG.toRGBA8(UPNG.decode(UPNG.encode([img.buffer], 24, 24, 0)))[0]);
  },
};

const image = (n) => Uint8Array.from({ length: 4 * n * n }, (_, i) => (i & 3) === 3 ? 255 : (i >> 2) + (next() & 15));

/** One line for each package and length. */
export function outputs() {
  state = 1;
  const out = [];
  const line = (name, f) => {
    let of;
    try {
      of = short(f());
    } catch (e) {
      of = "threw " + (e instanceof Error ? e.name : e);
    }
    out.push(`${name}: ${sha("sha1").update(of).digest("hex")} ${of.slice(0, 40)}`);
  };
  for (const [name, f] of Object.entries(functions))
    for (const n of [0, 1, 3, 31, 63, 64, 65, 700, 2050]) line(`${name} of ${n}`, () => f(bytes(n, n > 1000)));
  for (const [name, f] of Object.entries(once)) for (let i = 0; i < 3; i++) line(name, f);
  return out;
}
