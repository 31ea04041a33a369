package webcrypto

import (
	"testing"

	"eddy/runtime/webapi/webapitest"
)

func TestCrypto(t *testing.T) {
	run(t, []caseJS{
		{"uuid", `const u = crypto.randomUUID(); ` +
			`return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(u) && ` +
			`u !== crypto.randomUUID()`, "true"},
		{"random values", `const a = new Uint32Array(64); return crypto.getRandomValues(a) === a && a.some(x => x > 0)`,
			"true"},
		{"window only", `const b = new Uint8Array(64); crypto.getRandomValues(b.subarray(16, 48)); ` +
			`return [...b.subarray(0, 16), ...b.subarray(48)].every(x => x === 0)`, "true"},
		{"quota", `return failure(() => crypto.getRandomValues(new Uint8Array(65537)))`,
			"QuotaExceededError: getRandomValues() only accepts buffers of size <= 64K but provided 65537 bytes."},
		{"floats", `return failure(() => crypto.getRandomValues(new Float64Array(1)))`,
			"TypeMismatchError: ArrayBufferView argument to getRandomValues() must be an integer-typed view."},
		{"no view", `return failure(() => crypto.getRandomValues(new ArrayBuffer(1)))`,
			"TypeError: Failed to execute 'getRandomValues' on 'Crypto': parameter 1 is not of type " +
				"'ArrayBufferView'."},
		{"classes", `return [crypto, crypto.subtle].map(x => Object.prototype.toString.call(x)) + ` +
			`[crypto instanceof Crypto, crypto.subtle === crypto.subtle, await failure(() => new CryptoKey)]`,
			"[object Crypto],[object SubtleCrypto]true,true,TypeError: Illegal constructor"},
		{"key", `const k = await s.importKey("raw", new Uint8Array(16), "aes-cbc", false, ["decrypt", "encrypt"]);
			return [Object.prototype.toString.call(k), Object.keys(k), k.type, k.extractable,
				JSON.stringify(k.algorithm), k.usages].join(" ")`,
			`[object CryptoKey] type,extractable,algorithm,usages secret false {"name":"AES-CBC","length":128} ` +
				`encrypt,decrypt`},
		{"exponent", `const k = await s.generateKey(
			{name: "RSA-PSS", hash: "SHA-256", modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1])}, false,
			["sign"]);
			return k.publicKey.algorithm.publicExponent[Symbol.toStringTag] + k.publicKey.algorithm.publicExponent +
				k.privateKey.algorithm.modulusLength + k.publicKey.extractable`,
			"Uint8Array1,0,11024true"},
		{"timingSafeEqual", `return [s.timingSafeEqual(bytes("ab"), bytes("ab").buffer), ` +
			`s.timingSafeEqual(new Uint8Array(4), new Uint32Array(1).fill(1))].join()`, "true,false"},
	})
}

// Random values are I/O: they are refused while a module starts.
func TestNoRandomOutsideEvents(t *testing.T) {
	r := webapitest.New(t, Install)
	var got string
	done := make(chan struct{})
	r.Loop.Post(func() {
		defer close(done)
		v, err := r.Loop.Runtime().RunString(`try { crypto.randomUUID() } catch (e) { e.message }`)
		if err != nil {
			t.Error(err)
			return
		}
		got = v.String()
	})
	<-done
	if want := "Disallowed operation called within global scope."; len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("got %q", got)
	}
}
