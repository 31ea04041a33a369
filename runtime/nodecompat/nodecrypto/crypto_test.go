package nodecrypto_test

import (
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat"
	"eddy/runtime/webapi"
	"eddy/runtime/webapi/webapitest"
)

// cases is a table of async function bodies and what they must return: both halves of node:crypto together.
type cases [][2]string

func (c cases) run(t *testing.T) {
	t.Helper()
	r := newRunner(t)
	for _, x := range c {
		r.Expect(x[0], x[1])
	}
	for _, u := range r.Uncaught {
		t.Errorf("uncaught: %s", u)
	}
}

// newRunner makes an isolate with every web API and require.
func newRunner(t *testing.T) *webapitest.Runner {
	t.Helper()
	return webapitest.New(t, func(h *host.Host) {
		if _, err := ecma.Install(h.Runtime(), ecma.Options{}); err != nil {
			t.Fatal(err)
		}
		h.Flag = func(string) bool { return true }
		webapi.Install(h)
		nodecompat.InstallGlobals(h, h.Flag, func() goja.Value { return h.Runtime().NewObject() })
		_ = h.Runtime().Set("require", func(fc goja.FunctionCall) goja.Value {
			ns, err := nodecompat.Namespace(h, fc.Argument(0).String())
			if err != nil {
				panic(h.Realm.ErrorValue(err))
			}
			return ns.Get("default")
		})
	})
}

// Digests are those of the functions' own standards (FIPS 180-4, RFC 2202, RFC 6070, RFC 7914, RFC 5869).
func TestDigestsAndDerivation(t *testing.T) {
	const c = `const c = require("crypto");`
	cases{
		{c + `return c.createHash("sha256").update("a").update("bc").digest("hex")`,
			"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{c + `return c.createHmac("md5", "Jefe").update("what do ya want for nothing?").digest("hex")`,
			"750c783e6ab0b503eaa86e310a5db738"},
		{c + `return c.pbkdf2Sync("password", "salt", 2, 20, "sha1").toString("hex")`,
			"ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"},
		{c + `return c.scryptSync("", "", 16, { N: 16, r: 1, p: 1 }).toString("hex")`,
			"77d6576238657b203b19ca42c18a0497"},
		{c + `return Buffer.from(c.hkdfSync("sha256", Buffer.alloc(22, 0x0b), ` +
			`Buffer.from("000102030405060708090a0b0c", "hex"), Buffer.from("f0f1f2f3f4f5f6f7f8f9", "hex"), ` +
			`16)).toString("hex")`, "3cb25f25faacd57a90434f64d0362f2a"},
		{c + `const h = c.createHash("sha1").update("a"), k = h.copy(); ` +
			`return h.update("b").digest("hex") === c.hash("sha1", "ab") && k.digest("hex") === c.hash("sha1", "a")`,
			"true"},
		{c + `const h = c.createHash("sha1"); h.digest(); h.digest()`, "throws Error: Digest already called"},
		{c + `c.createHash("none")`, "throws Error: Digest method not supported"},
		{c + `return [c.randomBytes(3).length, c.randomInt(3) < 3, c.randomUUID().length]`, "3,true,36"},
		{c + `return require("util").promisify(c.scrypt)("p", "s", 8).then((b) => b.equals(c.scryptSync("p", "s", 8)))`,
			"true"},
		{c + `return c.timingSafeEqual(Buffer.from("a"), Buffer.from("ab"))`,
			"throws RangeError: Input buffers must have the same byte length"},
		{c + `c.scryptSync("p", "s", 8, { N: 3 })`, "throws RangeError: Invalid scrypt params"},
	}.run(t)
}

func TestCiphers(t *testing.T) {
	const c = `const c = require("crypto"); const turn = (alg, k, iv, text) => { ` +
		`const e = c.createCipheriv(alg, k, iv); let x = e.update(text.slice(0, 3), "utf8", "hex"); ` +
		`x += e.update(text.slice(3), "utf8", "hex") + e.final("hex"); const d = c.createDecipheriv(alg, k, iv); ` +
		`if (e.getAuthTag && /gcm|poly/.test(alg)) d.setAuthTag(e.getAuthTag()); ` +
		`return d.update(x, "hex", "utf8") + d.final("utf8") };`
	cases{
		{c + `return ["aes-128-cbc", "aes-256-ctr", "aes-192-ecb", "aes-256-gcm", ` +
			`"chacha20-poly1305"].map((a) => { const i = c.getCipherInfo(a); ` +
			`return turn(a, Buffer.alloc(i.keyLength, 1), i.ivLength ? Buffer.alloc(i.ivLength, 2) : null, ` +
			`"seventeen bytes €") === "seventeen bytes €" })`, "true,true,true,true,true"},
		// NIST SP 800-38A, F.2.1, first block.
		{c + `const e = c.createCipheriv("aes-128-cbc", Buffer.from("2b7e151628aed2a6abf7158809cf4f3c", "hex"), ` +
			`Buffer.from("000102030405060708090a0b0c0d0e0f", "hex")); ` +
			`return e.update("6bc1bee22e409f96e93d7e117393172a", "hex", "hex")`, "7649abac8119b246cee98e9b12e9197d"},
		{c + `return turn("aes-256-gcm", Buffer.alloc(32), Buffer.alloc(16, 3), "long nonce")`, "long nonce"},
		{c + `const d = c.createDecipheriv("aes-256-gcm", Buffer.alloc(32), Buffer.alloc(12)); ` +
			`d.setAuthTag(Buffer.alloc(16)); d.update("00", "hex"); d.final()`,
			"throws Error: Unsupported state or unable to authenticate data"},
		{c + `const d = c.createDecipheriv("aes-128-cbc", Buffer.alloc(16), Buffer.alloc(16)); ` +
			`d.update(Buffer.alloc(16)); try { d.final() } catch (e) { return e.code }`, "ERR_OSSL_BAD_DECRYPT"},
		{c + `c.createCipheriv("aes-128-cbc", Buffer.alloc(5), Buffer.alloc(16))`,
			"throws RangeError: Invalid key length"},
		{c + `c.createCipheriv("rot13", "k", "")`, "throws Error: Unknown cipher"},
	}.run(t)
}

// How long numbers may be was asked of wrangler dev 4.160.
func TestPrimeSizes(t *testing.T) {
	const c = `const c = require("crypto");`
	const told = `.catch((e) => [e.name, e.message, e.code])`
	cases{
		{c + `return c.checkPrimeSync(2n ** 127n - 1n) && !c.checkPrimeSync(2n ** 8191n)`, "true"},
		{c + `return (async () => c.checkPrimeSync(2n ** 8192n))()` + told,
			"RangeError,checkPrime candidate exceeds maximum size,"},
		{c + `const long = new Uint8Array(1025); long[1024] = 7; return (async () => c.checkPrimeSync(long))()` + told,
			"RangeError,checkPrime candidate exceeds maximum size,"},
		{c + `return (async () => c.generatePrimeSync(8193))()` + told,
			"RangeError,generatePrime size exceeds maximum (8192 bits),"},
	}.run(t)
}

func TestKeysAndSignatures(t *testing.T) {
	const c = `const c = require("crypto");`
	cases{
		{c + `const { publicKey, privateKey } = c.generateKeyPairSync("ec", { namedCurve: "P-256" }); ` +
			`const s = c.sign("sha256", Buffer.from("m"), { key: privateKey, dsaEncoding: "ieee-p1363" }); ` +
			`return [s.length, c.verify("sha256", Buffer.from("m"), { key: publicKey, dsaEncoding: "ieee-p1363" }, ` +
			`s), c.verify("sha256", Buffer.from("n"), { key: publicKey, dsaEncoding: "ieee-p1363" }, s)]`,
			"64,true,false"},
		{c + `const { publicKey, privateKey } = c.generateKeyPairSync("ed25519"); ` +
			`const pem = privateKey.export({ type: "pkcs8", format: "pem" }); ` +
			`return c.verify(null, Buffer.from("m"), publicKey.export({ type: "spki", format: "pem" }), ` +
			`c.sign(null, Buffer.from("m"), pem))`, "true"},
		{c + `const { publicKey, privateKey } = c.generateKeyPairSync("ec", { namedCurve: "secp384r1" }); ` +
			`const again = c.createPrivateKey({ key: privateKey.export({ format: "jwk" }), format: "jwk" }); ` +
			`return [again.equals(privateKey), c.createPublicKey(again).equals(publicKey), ` +
			`again.asymmetricKeyDetails.namedCurve]`, "true,true,secp384r1"},
		{c + `const { publicKey, privateKey } = c.generateKeyPairSync("rsa", { modulusLength: 1024 }); ` +
			`const s = c.createSign("RSA-SHA256").update("x").sign(privateKey, "hex"); ` +
			`return [c.createVerify("sha256").update("x").verify(publicKey, s, "hex"), ` +
			`c.privateDecrypt(privateKey, c.publicEncrypt(publicKey, Buffer.from("q"))).toString(), ` +
			`c.publicDecrypt(publicKey, c.privateEncrypt(privateKey, Buffer.from("r"))).toString(), ` +
			`privateKey.asymmetricKeyDetails.modulusLength]`, "true,q,r,1024"},
		{c + `const a = c.createECDH("prime256v1"), b = c.createECDH("prime256v1"); a.generateKeys(); ` +
			`b.generateKeys(); return a.computeSecret(b.getPublicKey("hex", "compressed"), "hex", ` +
			`"hex") === b.computeSecret(a.getPublicKey(), null, "hex")`, "true"},
		{c + `const a = c.generateKeyPairSync("x25519"), b = c.generateKeyPairSync("x25519"); ` +
			`return c.diffieHellman({ privateKey: a.privateKey, publicKey: b.publicKey }).equals(c.diffieHellman({ ` +
			`privateKey: b.privateKey, publicKey: a.publicKey }))`, "true"},
		{c + `const k = c.createSecretKey("secret", "utf8"); return [k.type, k.symmetricKeySize, ` +
			`k.export().toString(), k.export({ format: "jwk" }).k]`, "secret,6,secret,c2VjcmV0"},
		{c + `const { publicKey } = await require("util").promisify(c.generateKeyPair)("ec", ` +
			`{ namedCurve: "P-521" }); return publicKey.asymmetricKeyType`, "ec"},
	}.run(t)
}
