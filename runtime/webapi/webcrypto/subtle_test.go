package webcrypto

import (
	"testing"

	"eddy/runtime/webapi/webapitest"
)

const prelude = `
	globalThis.bytes = s => Uint8Array.from(Array.from(s, c => c.charCodeAt(0)));
	globalThis.hex = b => Array.from(new Uint8Array(b), x => x.toString(16).padStart(2, "0")).join("");
	globalThis.unhex = s => Uint8Array.from(s.match(/../g) ?? [], x => parseInt(x, 16));
	globalThis.s = crypto.subtle;
	globalThis.raw = (name, k, ...usages) =>
		s.importKey("raw", typeof k == "string" ? unhex(k) : k, name, true, usages);
	globalThis.failure = async f => { try { await f(); return "no failure" } catch (e) {
		return e.name + ": " + e.message } };
`

func newRunner(t testing.TB) *webapitest.Runner {
	t.Helper()
	r := webapitest.New(t, Install)
	r.Eval(prelude)
	return r
}

type caseJS struct{ name, js, want string }

func run(t *testing.T, cases []caseJS) {
	t.Helper()
	r := newRunner(t)
	for _, c := range cases {
		if got := r.Eval(c.js); got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.name, got, c.want)
		}
	}
}

// Vectors of the RFCs and of NIST; the numbers are theirs.
func TestVectors(t *testing.T) {
	run(t, []caseJS{
		{"SHA-1", `return hex(await s.digest("SHA-1", bytes("abc")))`, "a9993e364706816aba3e25717850c26c9cd0d89d"},
		{"SHA-384", `return hex(await s.digest({name: "sha-384"}, bytes("abc")))`,
			"cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"},
		{"MD5", `return hex(await s.digest("md5", new ArrayBuffer(0)))`, "d41d8cd98f00b204e9800998ecf8427e"},
		{"HMAC, RFC 4231 case 2", `const k =
			await raw({name: "HMAC", hash: "SHA-256"}, bytes("Jefe"), "sign", "verify");
			const m = await s.sign("HMAC", k, bytes("what do ya want for nothing?"));
				return hex(m) + await s.verify("HMAC", k, m, bytes("x"))`,
			"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843false"},
		{"AES-CBC, NIST SP 800-38A F.2.1", `const k =
			await raw("AES-CBC", "2b7e151628aed2a6abf7158809cf4f3c", "encrypt");
			return hex(await s.encrypt({name: "AES-CBC", iv: unhex("000102030405060708090a0b0c0d0e0f")}, k,
				unhex("6bc1bee22e409f96e93d7e117393172a"))).slice(0, 32)`,
			"7649abac8119b246cee98e9b12e9197d"},
		{"AES-CTR, NIST SP 800-38A F.5.1", `const k =
			await raw("AES-CTR", "2b7e151628aed2a6abf7158809cf4f3c", "encrypt");
			return hex(await s.encrypt({
				name: "AES-CTR", length: 128, counter: unhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")}, k,
				unhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")))`,
			"874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"},
		{"AES-GCM, McGrew-Viega case 4", `const k = await raw("AES-GCM", "feffe9928665731c6d6a8f9467308308", "encrypt");
			return hex(await s.encrypt({
				name: "AES-GCM", iv: unhex("cafebabefacedbaddecaf888"),
				additionalData: unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")}, k,
			unhex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525" +
				"b16aedf5aa0de657ba637b39"))).slice(
				-32)`,
			"5bc94fbc3221a5db94fae95ae7121a47"},
		{"AES-KW, RFC 3394 4.1", `const kek =
			await raw("AES-KW", "000102030405060708090a0b0c0d0e0f", "wrapKey", "unwrapKey");
			const k = await raw("AES-CBC", "00112233445566778899aabbccddeeff", "encrypt");
			const w = await s.wrapKey("raw", k, kek, "AES-KW");
			const back = await s.unwrapKey("raw", w, kek, "AES-KW", "AES-CBC", true, ["encrypt"]);
			return hex(w) + " " + hex(await s.exportKey("raw", back))`,
			"1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5 00112233445566778899aabbccddeeff"},
		{"PBKDF2, RFC 6070 case 3", `const k =
			await s.importKey("raw", bytes("password"), "PBKDF2", false, ["deriveBits"]);
			return hex(await s.deriveBits(
				{name: "PBKDF2", hash: "SHA-1", salt: bytes("salt"), iterations: 4096}, k, 160))`,
			"4b007901b765489abead49d926f721d065a429c1"},
		{"HKDF, RFC 5869 case 1", `const k =
			await s.importKey("raw", unhex("0b".repeat(22)), "HKDF", false, ["deriveBits"]);
			return hex(await s.deriveBits(
				{name: "HKDF", hash: "SHA-256", salt: unhex("000102030405060708090a0b0c"),
				info: unhex("f0f1f2f3f4f5f6f7f8f9")}, k, 336))`,
			"3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"},
		{"Ed25519, RFC 8032 test 2", `const k =
			await s.importKey("jwk", {kty: "OKP", crv: "Ed25519", d: "TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs",
			x: "PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw"}, "Ed25519", true, ["sign"]);
			return hex(await s.sign("Ed25519", k, unhex("72"))).slice(0, 32)`, "92a009a9f0d4cab8720e820b5f642540"},
		{"X25519, RFC 7748 6.1", `const a =
			await s.importKey("jwk", {kty: "OKP", crv: "X25519", d: "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo",
			x: "hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo"}, "X25519", true, ["deriveBits"]);
			const b = await raw("X25519", "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
			return hex(await s.deriveBits({name: "X25519", public: b}, a, null))`,
			"4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"},
		{"ECDSA P-256, RFC 6979 A.2.5", `const k =
			await s.importKey("jwk", {kty: "EC", crv: "P-256", x: "YP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Y",
			y: "eQP-EAi4vJmkGunpVii8ZPLxsgwtfp9Rd6PClNRGIpk"}, {name: "ECDSA", namedCurve: "P-256"}, true, ["verify"]);
			const sig =
				unhex(
					"efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f" +
						"65f3e900dbb9aff4064dc4ab2f843acda8");
			return await s.verify({name: "ECDSA", hash: "SHA-256"}, k, sig, bytes("sample"))`, "true"},
	})
}

// The counter wraps within its own bits; the rest of the block stays, and the caller's buffer too.
func TestCounterWraps(t *testing.T) {
	run(t, []caseJS{
		{"32 bits", `const k = await raw("AES-CTR", "00".repeat(16), "encrypt"), zeros = new Uint8Array(48);
			const at = (counter, length, n) =>
				s.encrypt({name: "AES-CTR", length, counter: unhex(counter)}, k, zeros.subarray(0, n));
			const wrapped = hex(await at("aa".repeat(12) + "ffffffff", 32, 48));
			return wrapped === hex(await at("aa".repeat(12) + "ffffffff", 32, 16)) +
				hex(await at("aa".repeat(12) + "00000000", 32, 32))`,
			"true"},
		{"5 bits", `const k = await raw("AES-CTR", "00".repeat(16), "encrypt");
			const at = (last, n) => s.encrypt(
				{name: "AES-CTR", length: 5, counter: unhex("aa".repeat(15) + last)}, k, new Uint8Array(n));
			return hex(await at("bf", 32)) === hex(await at("bf", 16)) + hex(await at("a0", 16))`, "true"},
		{"repeats", `const k = await raw("AES-CTR", "00".repeat(16), "encrypt");
			return failure(() => s.encrypt(
				{name: "AES-CTR", length: 1, counter: new Uint8Array(16)}, k, new Uint8Array(33)))`,
			"OperationError: Counter block values will repeat."},
	})
}

func TestGCMTags(t *testing.T) {
	run(t, []caseJS{
		{"all lengths", `const k = await s.generateKey({name: "AES-GCM", length: 256}, false, ["encrypt", "decrypt"]),
			seen = [];
			for (const tagLength of [32, 64, 96, 104, 112, 120, 128]) for (const n of [12, 7, 60]) {
				const p = {name: "AES-GCM", iv: new Uint8Array(n).fill(3), tagLength, additionalData: bytes("ad")};
				const c = await s.encrypt(p, k, bytes("hello"));
				if (c.byteLength !== 5 + tagLength / 8 ||
					hex(await s.decrypt(p, k, c)) !== hex(bytes("hello"))) seen.push(tagLength + "/" + n);
				const bad = new Uint8Array(c); bad[0] ^= 1;
				if (await failure(() => s.decrypt(
					p,
						k,
							bad)) !== "OperationError: Decryption failed. This could be due to a ciphertext " +
								"authentication failure, bad padding, incorrect CryptoKey, or another " +
								"algorithm-specific reason. Input length was 5, output length expected to be 5 for " +
								"AES-GCM") seen.push(
					"forged " + tagLength);
			}
			return seen.join()`, ""},
	})
}

// Workers' texts (workerd, src/workerd/api/crypto).
func TestRefusals(t *testing.T) {
	run(t, []caseJS{
		{"digest", `return failure(() => s.digest("SHA-3", new Uint8Array))`,
			"NotSupportedError: Unrecognized or unimplemented digest algorithm requested."},
		{"usage", `return failure(() => s.generateKey({name: "AES-GCM", length: 128}, true, ["sign"]))`,
			`SyntaxError: Attempt to generate AES-GCM key with invalid usage "sign".`},
		{"no usage", `return failure(() => s.generateKey({name: "HMAC", hash: "SHA-1"}, true, []))`,
			"SyntaxError: Secret/private CryptoKeys must have at least one usage."},
		{"no private usage",
			`return failure(() => s.generateKey({name: "ECDSA", namedCurve: "P-256"}, true, ["verify"]))`,
			"SyntaxError: Attempt to generate asymmetric keys with no valid private key usages."},
		{"length", `return failure(() => s.generateKey({name: "AES-CBC", length: 100}, true, ["encrypt"]))`,
			"OperationError: Generated AES key length must be 128, 192, or 256 bits but requested 100."},
		{"missing length", `return failure(() => s.generateKey("AES-CBC", true, ["encrypt"]))`,
			`TypeError: Missing field "length" in "algorithm".`},
		{"unknown", `return failure(() => s.generateKey("PBKDF2", true, []))`,
			`NotSupportedError: Unrecognized key generation algorithm "PBKDF2" requested.`},
		{"not extractable", `return failure(async () => s.exportKey("raw", ` +
			`await s.importKey("raw", new Uint8Array(16), "AES-CBC", false, ["encrypt"])))`,
			"InvalidAccessError: Attempt to export non-extractable AES-CBC key."},
		{"wrong usage", `return failure(async () => s.decrypt({name: "AES-CBC", iv: new Uint8Array(16)}, ` +
			`await raw("AES-CBC", new Uint8Array(16), "encrypt"), new Uint8Array(16)))`,
			`InvalidAccessError: Requested key usage "decrypt" does not match any usage listed in this CryptoKey.`},
		{"wrong algorithm", `return failure(async () => s.encrypt("AES-GCM", ` +
			`await raw("AES-CBC", new Uint8Array(16), "encrypt"), new Uint8Array(16)))`,
			`InvalidAccessError: Requested algorithm "AES-GCM" does not match this CryptoKey's algorithm "AES-CBC".`},
		{"empty iv", `return failure(async () => s.encrypt({name: "AES-GCM", iv: new Uint8Array(0)}, ` +
			`await raw("AES-GCM", new Uint8Array(16), "encrypt"), new Uint8Array(16)))`,
			"OperationError: AES-GCM IV must not be empty."},
		{"iv type", `return failure(async () => s.encrypt({name: "AES-GCM", iv: "x"}, ` +
			`await raw("AES-GCM", new Uint8Array(16), "encrypt"), new Uint8Array(16)))`,
			"TypeError: Incorrect type for the 'iv' field on 'EncryptAlgorithm': the provided value is not of type " +
				"'BufferSource'."},
		{"key type", `return failure(() => s.encrypt("AES-GCM", {}, new Uint8Array(16)))`,
			"TypeError: Failed to execute 'encrypt' on 'SubtleCrypto': parameter 2 is not of type 'CryptoKey'."},
		{"format", `return failure(() => s.importKey("x", new Uint8Array(16), "AES-CBC", true, []))`,
			`NotSupportedError: Unrecognized key import format "x".`},
		{"size", `return failure(() => raw("AES-CBC", new Uint8Array(3), "encrypt"))`,
			"DataError: Imported AES key length must be 128, 192, or 256 bits but provided 24."},
		{"iterations", `return failure(async () => s.deriveBits({name: "PBKDF2", hash: "SHA-1", ` +
			`salt: new Uint8Array, iterations: 100001}, await s.importKey("raw", new Uint8Array(1), "PBKDF2", false, ` +
			`["deriveBits"]), 8))`,
			"NotSupportedError: Pbkdf2 failed: iteration counts above 100000 are not supported (requested 100001)."},
		{"exponent", `return failure(() => s.generateKey({name: "RSA-PSS", hash: "SHA-256", modulusLength: 1024, ` +
			`publicExponent: new Uint8Array([1])}, false, ["sign"]))`,
			`OperationError: The "publicExponent" must be either 3 or 65537, but got 1.`},
		{"jwk alg", `return failure(() => s.importKey("jwk", {kty: "RSA", alg: 1024n}, ` +
			`{name: "RSA-OAEP", hash: "SHA-1"}, 6, []))`,
			`NotSupportedError: Unrecognized or unimplemented algorithm "1024" listed in JSON Web Key Algorithm ` +
				`parameter.`},
		{"unequal lengths", `return failure(() => s.timingSafeEqual(new Uint8Array(1), new Uint8Array(2)))`,
			"TypeError: Input buffers must have the same byte length."},
		{"own d", `const {privateKey} = await s.generateKey({name: "ECDSA", namedCurve: "P-256"}, true, ["sign"]);
			const j = await s.exportKey("jwk", privateKey);
			const other = await s.exportKey(
				"jwk", (await s.generateKey({name: "ECDSA", namedCurve: "P-256"}, true, ["sign"])).privateKey);
			return failure(() => s.importKey(
				"jwk", {...j, d: other.d}, {name: "ECDSA", namedCurve: "P-256"}, true, ["sign"]))`,
			"DataError: Invalid EC key in JSON Web Key."},
		{"off the curve", `return failure(() => raw({name: "ECDH", namedCurve: "P-256"}, "04" + "11".repeat(64)))`,
			"DataError: Failed to import raw EC key data: Point is not on curve.."},
		{"small order", `const {privateKey} = await s.generateKey("X25519", true, ["deriveBits"]);
			const zero = await raw("X25519", new Uint8Array(32));
			return failure(() => s.deriveBits({name: "X25519", public: zero}, privateKey, 256))`,
			"OperationError: Detected small order secure curve points, aborting EDDH derivation"},
	})
}

func TestDerive(t *testing.T) {
	run(t, []caseJS{
		{"ECDH agrees", `const seen = [];
			for (const namedCurve of ["P-256", "P-384", "P-521"]) {
				const a = await s.generateKey({name: "ECDH", namedCurve}, true, ["deriveBits"]),
					b = await s.generateKey({name: "ECDH", namedCurve}, true, ["deriveBits"]);
				const x = await s.deriveBits({name: "ECDH", public: a.publicKey}, b.privateKey),
					y = await s.deriveBits({name: "ECDH", public: b.publicKey}, a.privateKey, null);
				seen.push(x.byteLength, hex(x) === hex(y),
					hex(await s.deriveBits({name: "ECDH", public: a.publicKey}, b.privateKey, 12)).length);
			}
			return seen.join()`, "32,true,4,48,true,4,66,true,4"},
		{"odd bits are zero", `const k = await s.generateKey("X25519", true, ["deriveBits"]);
			return (new Uint8Array(await s.deriveBits({name: "X25519", public: k.publicKey}, k.privateKey,
				9))[1] & 127)`,
			"0"},
		{"deriveKey", `const base = await s.importKey("raw", bytes("pw"), "PBKDF2", false, ["deriveKey"]);
			const k = await s.deriveKey(
				{name: "PBKDF2", hash: "SHA-256", salt: bytes("salt"), iterations: 10}, base,
				{name: "HMAC", hash: "SHA-512"}, true, ["sign"]);
			return JSON.stringify(k.algorithm) + k.usages + k.extractable + k.type`,
			`{"name":"HMAC","hash":{"name":"SHA-512"},"length":1024}signtruesecret`},
		{"other curve", `const a = await s.generateKey({name: "ECDH", namedCurve: "P-256"}, true, ["deriveBits"]),
			b = await s.generateKey({name: "ECDH", namedCurve: "P-384"}, true, ["deriveBits"]);
			return failure(() => s.deriveBits({name: "ECDH", public: a.publicKey}, b.privateKey, 8))`,
			`InvalidAccessError: Private key for derivation is using curve "P-384" while public key is using "P-256".`},
	})
}
