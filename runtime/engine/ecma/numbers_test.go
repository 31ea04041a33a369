package ecma

import "testing"

// Conversions of numbers have V8's digits; the answers are Node's.
func TestNumbers(t *testing.T) {
	each(t, map[string]string{
		`[-0.75, 0.1, 10.5, -255.5, 2 ** -40, 1e-7].map((x) => x.toString(16)).join()`: "" +
			"-0.c,0.1999999999999a,a.8,-ff.8,0.0000000001,0.000001ad7f29abcaf48",
		`[(-0.75).toString(2), (1e21).toString(7), (2 ** 60).toString(36), (123.456).toString(36), (1 / 3).toString(3),
			(0.000001).toString(36), NaN.toString(2), (-Infinity).toString(3), (2 ** 55 + 24).toString(7)].join()`: "" +
			"-0.11,5135235413265003022600000,8rc4kbdvss00,3f.gez4w97ry,0.1,0.0001ogs5wo29m8,NaN,-Infinity," +
			"31060622453661533345",
		`[(12).toString({ valueOf: () => 16 }), Object(10.5).toString(2), (255).toString("16"),
			(5.5).toString(2.9)].join()`: "c,1010.1,ff,101.1",
		`try { (10.5).toString(1) } catch (e) { e.message }`: "toString() radix argument must be between 2 and 36",
		`[BigInt(["12345678901234567890"]), BigInt({ valueOf: () => "90071992547409931" }), BigInt(Object(5n)),
			BigInt({ [Symbol.toPrimitive]: (hint) => hint.length })].join()`: "" +
			"12345678901234567890,90071992547409931,5,6",
		`[2n ** 64n - 1n, -(2n ** 63n) - 1025n, 2n ** 53n + 1n, 2n ** 53n + 3n, 10n ** 400n, -5n,
			Object(2n ** 64n)].map((n) => [Number(n), +new Number(n)]).join()`: "" +
			"18446744073709552000,18446744073709552000,-9223372036854778000,-9223372036854778000," +
			"9007199254740992,9007199254740992,9007199254740996,9007199254740996,Infinity,Infinity,-5,-5," +
			"18446744073709552000,18446744073709552000",
		`[Number(), Number([7]), Number(null), Number(undefined),
			Number({ valueOf: () => "5" })].join()`: "0,7,0,NaN,5",
		`[5, true, 7n].map((v) => Uint8Array.from(v).length).join()`: "0,0,0",
		`try { BigInt({}) } catch (e) {
			String(e) }`: "SyntaxError: Cannot convert [object Object] to a BigInt",
		`["12\u00a0", "\u20035", "é", "x", " 5 "].map((s) => [isNaN(s), isFinite(s)])
			.join()`: "" +
			"false,true,false,true,true,false,true,false,false,true",
	})
}
