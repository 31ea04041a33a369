package webcrypto

import (
	"encoding/json"
	"testing"
)

// Every kind of key goes out and comes back in each of its formats, and still does its work.
func TestFormats(t *testing.T) {
	run(t, []caseJS{
		{"secret keys", `const seen = [];
			for (const [alg, usage] of [
				[{name: "AES-CBC", length: 256}, "encrypt"], [{name: "AES-GCM", length: 192}, "decrypt"],
				[{name: "AES-KW", length: 128}, "wrapKey"], [{name: "HMAC", hash: "SHA-384"}, "sign"]]) {
				const k = await s.generateKey(alg, true, [usage]);
				const bytes = await s.exportKey("raw", k), j = await s.exportKey("jwk", k);
				const again = await s.importKey("jwk", j, alg, true, [usage]);
				seen.push(j.kty, j.alg, j.key_ops, j.ext, hex(await s.exportKey("raw", again)) === hex(bytes));
			}
			return seen.join()`,
			"oct,A256CBC,encrypt,true,true,oct,A192GCM,decrypt,true,true,oct,A128KW,wrapKey,true,true,oct,HS384,sign," +
				"true,true"},
		{"signing keys", `const seen = [], data = bytes("data");
			for (const alg of [{name: "ECDSA", namedCurve: "P-256", hash: "SHA-256"},
				{name: "ECDSA", namedCurve: "P-384", hash: "SHA-1"},
				{name: "ECDSA", namedCurve: "P-521", hash: "SHA-512"},
				{name: "Ed25519"}, {name: "NODE-ED25519", namedCurve: "NODE-ED25519"},
				{name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 1024,
					publicExponent: new Uint8Array([1, 0, 1])},
				{name: "RSA-PSS", hash: "SHA-1", saltLength: 20, modulusLength: 1024,
					publicExponent: new Uint8Array([3])},
				{name: "RSA-PSS", hash: "SHA-256", saltLength: 0, modulusLength: 1024,
					publicExponent: new Uint8Array([1, 0, 1])}]) {
				const {publicKey, privateKey} = await s.generateKey(alg, true, ["sign", "verify"]);
				const again = [];
				for (const f of ["pkcs8", "jwk"]) again.push(
					await s.importKey(f, await s.exportKey(f, privateKey), alg, true, ["sign"]));
				const pub = [];
				for (const f of alg.name.startsWith("RSA") ? ["spki", "jwk"] : ["spki", "jwk", "raw"]) pub.push(
					await s.importKey(f, await s.exportKey(f, publicKey), alg, true, ["verify"]));
				let ok = true;
				for (const k of [privateKey, ...again]) {
					const sig = await s.sign(alg, k, data);
					for (const p of [publicKey, ...pub]) ok = ok && await s.verify(alg, p, sig, data) &&
						!await s.verify(alg, p, sig, bytes("other"));
				}
				if (!ok) seen.push(alg.name);
			}
			return seen.join()`, ""},
		{"RSA-OAEP", `const alg = {name: "RSA-OAEP", hash: "SHA-1", modulusLength: 1024,
			publicExponent: new Uint8Array([1, 0, 1]), label: bytes("l")};
			const {publicKey, privateKey} =
				await s.generateKey(alg, true, ["encrypt", "decrypt", "wrapKey", "unwrapKey"]);
			const aes = await raw("AES-CBC", "00".repeat(16), "encrypt");
			const w = await s.wrapKey("raw", aes, publicKey, alg);
			const back = await s.unwrapKey("raw", w, privateKey, alg, "AES-CBC", true, ["encrypt"]);
			return hex(await s.exportKey("raw", back)) + (await s.exportKey("jwk", publicKey)).alg +
				await failure(async () => s.decrypt("RSA-OAEP", privateKey,
				await s.encrypt(alg, publicKey, bytes("x"))))`,
			"00000000000000000000000000000000RSA-OAEPOperationError: RSA-OAEP failed encrypt/decrypt."},
		{"RSA without primes", `const alg = {
			name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1])};
			const {publicKey, privateKey} = await s.generateKey(alg, true, ["sign", "verify"]);
			const {p, q, dp, dq, qi, ...short} = await s.exportKey("jwk", privateKey);
			const k = await s.importKey("jwk", short, alg, true, ["sign"]);
			const j = await s.exportKey("jwk", k);
			return [await s.verify(alg, publicKey, await s.sign(alg, k, bytes("x")), bytes("x")),
				[j.p, j.q].sort().join() === [p, q].sort().join(),
				await failure(() => s.importKey("jwk", {...short, p}, alg, true, ["sign"]))].join(" ")`,
			`true true DataError: Invalid RSA private key in JSON Web Key; if one Prime Factor or CRT ` +
				`Exponent/Coefficient parameter is present, then they must all be present ("p", "q", "dp", "dq", ` +
				`"qi").`},
		{"wrapped as jwk", `const kek = await s.generateKey(
			{name: "AES-GCM", length: 256}, true, ["wrapKey", "unwrapKey"]),
			how = {name: "AES-GCM", iv: new Uint8Array(12)};
			const {privateKey} = await s.generateKey({name: "ECDSA", namedCurve: "P-256"}, true, ["sign"]);
			const back = await s.unwrapKey(
				"jwk", await s.wrapKey("jwk", privateKey, kek, how), kek, how, {name: "ECDSA", namedCurve: "P-256"},
				true, ["sign"]);
			return JSON.stringify(await s.exportKey("jwk", back)) === JSON.stringify(
				await s.exportKey("jwk", privateKey))`,
			"true"},
		{"compressed point", `const k = await s.generateKey({name: "ECDH", namedCurve: "P-384"}, true, ["deriveBits"]);
			const p = new Uint8Array(await s.exportKey("raw", k.publicKey)), c = p.slice(0, 49); c[0] = 2 + (p[96] & 1);
			return hex(await s.exportKey("raw", await raw({name: "ECDH", namedCurve: "P-384"}, c))) === hex(p)`,
			"true"},
		{"jwk member order", `const k = await s.generateKey({name: "HMAC", hash: "SHA-1"}, true, ` +
			`["sign", "verify"]); return Object.keys(await s.exportKey("jwk", k)).join()`, "kty,key_ops,alg,ext,k"},
	})
}

// Untrusted keys are refused or taken, never a panic.
func FuzzImport(f *testing.F) {
	f.Add("pkcs8", []byte{0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20, 1}, 0)
	f.Add("spki", []byte{0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 3, 0x21, 0}, 3)
	f.Add("jwk", []byte(`{"Kty":"RSA","N":"sw","E":"AQAB","D":"AQ"}`), 1)
	f.Add("jwk", []byte(`{"Kty":"EC","X":"AA","Y":"AA","D":"AA"}`), 2)
	f.Add("raw", []byte{4, 1, 2, 3}, 2)
	names := []string{"Ed25519", "RSA-PSS", "ECDSA", "X25519", "ECDH", "AES-GCM", "HMAC", "RSA-OAEP"}
	f.Fuzz(func(t *testing.T, format string, data []byte, which int) {
		hash, curve := "SHA-256", "P-256"
		for _, list := range [][]string{{"sign"}, {"verify"}, {"deriveBits"}, {}, {"encrypt"}, {"decrypt"}} {
			s := &source{format: format, bytes: data, extractable: true, usages: list,
				params: &parameters{name: names[uint(which)%uint(len(names))], hash: &hash, namedCurve: &curve}}
			if format == "jwk" {
				s.jwk = &jwk{}
				if json.Unmarshal(data, s.jwk) != nil {
					return
				}
			}
			k, err := importKey(s)
			if err != nil {
				continue
			}
			for _, form := range []string{"raw", "jwk", "pkcs8", "spki"} {
				_, _, _ = k.export(form)
			}
			_, _ = k.sign(s.params, data)
			_, _ = k.verify(s.params, data, data)
			_, _ = k.encrypt(s.params, data)
			_, _ = k.decrypt(s.params, data)
		}
	})
}

func BenchmarkDigest(b *testing.B) {
	r := newRunner(b)
	b.ReportAllocs()
	for b.Loop() {
		r.Expect(`let n = 0; for (let i = 0; i < 100; i++) n += (await s.digest("SHA-256", `+
			`new Uint8Array(64))).byteLength; return n`, "3200")
	}
}
