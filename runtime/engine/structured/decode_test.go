package structured_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
)

const malformed = "Unable to deserialize cloned data."

// Malformed input ends with V8's error, whatever it claims to hold.
func TestDecodeMalformed(t *testing.T) {
	_, c := newCodec(t)
	for input, want := range map[string]string{
		"":                                       "due to invalid or unsupported version",
		"ff":                                     malformed,
		"ff10":                                   "due to invalid or unsupported version",
		"ff0c30":                                 "due to invalid or unsupported version",
		"4902":                                   "due to invalid or unsupported version",
		"ff0f":                                   malformed,
		"ff0f00":                                 malformed,
		"ff0f41":                                 malformed,
		"ff0f41ffffffff0f":                       malformed, // dense array of 2^32-1 elements
		"ff0f410149022400ff":                     malformed,
		"ff0f4101490224000249":                   malformed, // length repeated wrongly
		"ff0f22ffffffff0f61":                     malformed, // string longer than the input
		"ff0f6303aabbcc":                         malformed, // odd number of bytes in a two-byte string
		"ff0f42ffffffff0f":                       malformed,
		"ff0f7effffffff0f10":                     malformed,
		"ff0f4204000000005642":                   malformed,
		"ff0f420400000000564203":                 malformed,
		"ff0f42040000000056420002ff":             malformed, // unknown view flags
		"ff0f42040000000056570102" + "00":        malformed, // misaligned view
		"ff0f420400000000565a000100":             malformed, // unknown view kind
		"ff0f5642000100":                         malformed, // a view without a buffer
		"ff0f5e00":                               malformed,
		"ff0f3b5e013a02":                         malformed,
		"ff0f6f6f7b0049027b01":                   malformed, // an object as a name
		"ff0f6f22016149027b02":                   malformed,
		"ff0f3b49023a01":                         malformed,
		"ff0f5201":                               malformed,
		"ff0f522201618010":                       malformed, // unknown regular expression flag
		"ff0f5a0401020304":                       malformed, // BigInt of 2 bytes
		"ff0f5affffffff0f":                       malformed,
		"ff0f7261":                               malformed,
		"ff0f726d4902":                           malformed,
		"ff0f5c0a0149022e":                       "error message is not a string",
		"ff0f5c0401ffffffffffffffffff01":         "unknown host object tag 4",
		"ff0f7a":                                 malformed,
		"ff0f7400":                               malformed, // transferred buffer that was not handed over
		"ff0f7500":                               "could not be cloned",
		"ff0f" + strings.Repeat("4101", 100_000): "Maximum call stack size exceeded",
		"ff0f" + strings.Repeat("3f00", 100_000): "Maximum call stack size exceeded",
		"ff0f" + strings.Repeat("5c0a00", 100_000): "Maximum call stack size exceeded",
	} {
		data, err := hex.DecodeString(input)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Decode(data, structured.DecodeOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: error %v, want %q", input, err, want)
		}
	}
}

// Files of earlier releases carry versions 13 and 14; views have flags only
// since 14.
func TestDecodeOldVersions(t *testing.T) {
	vm, c := newCodec(t)
	for input, expr := range map[string]string{
		"ff0d420301020356420003":                     `v instanceof Uint8Array && v.join() === "1,2,3"`,
		"ff0e42030102035642000300":                   `v instanceof Uint8Array && v.join() === "1,2,3"`,
		"ff0d6f22017849027b01":                       `v.x === 1`,
		"ff0d53" + "03e282ac":                        `v === "€"`,
		"ff0d55ffffffff0f":                           `v === 4294967295`,
		"ff0e7252" + "6d220178" + "73220173" + "2e":  `v instanceof RangeError && v.message === "x" && v.stack === "s"`,
		"ff0f7e02080102":                             `v.byteLength === 2 && new Uint8Array(v).join() === "1,2"`,
		"ff0f3f01" + "4902":                          `v === 1`,
		"ff0f610449024902400104":                     `v.length === 4 && v[1] === 1 && !(0 in v)`,
		"ff0f61feffffff0f" + "4000feffffff0f":        `v.length === 4294967294`,
		"ff0f4103" + "2d" + "4902" + "2d" + "240003": `v.length === 3 && !(0 in v) && v[1] === 1 && !(2 in v)`,
	} {
		data, err := hex.DecodeString(input)
		if err != nil {
			t.Fatal(err)
		}
		v, err := c.Decode(data, structured.DecodeOptions{})
		if err != nil {
			t.Errorf("%s: %v", input, err)
			continue
		}
		_ = vm.Set("v", v)
		if !eval(t, vm, expr).ToBoolean() {
			t.Errorf("%s: %s is false for %v", input, expr, v)
		}
	}
}

// Arrays beyond the presized part are complete, holes at the end included.
func TestLongArrays(t *testing.T) {
	vm, c := newCodec(t)
	for _, expr := range []string{
		`Array.from({length: 10000}, (_, i) => i)`,
		`Array.from({length: 10000}, (_, i) => "s" + i)`,
		`Object.assign(Array.from({length: 5000}, (_, i) => i % 7 ? i : {i}), {extra: 1})`,
	} {
		v, err := c.Clone(eval(t, vm, expr), nil, structured.EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_ = vm.Set("v", v)
		if !eval(t, vm, `JSON.stringify(v) === JSON.stringify(`+expr+`) && v.extra === (`+expr+`).extra`).ToBoolean() {
			t.Errorf("%s differs", expr)
		}
	}
}

// Names with lone surrogates and __proto__ stay what they are.
func TestOddNames(t *testing.T) {
	vm, c := newCodec(t)
	v, err := c.Clone(
		eval(t, vm, `{"\ud800": 1, "\udfff\ud800": 2, ["__proto__"]: {p: 1}, "": 3, "é": 4}`), nil,
		structured.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_ = vm.Set("v", v)
	if got := eval(t, vm, `Object.keys(v).map(k => JSON.stringify(k) + JSON.stringify(v[k])).join(" ") + `+
		`(Object.getPrototypeOf(v) === Object.prototype)`).String(); got != `"\ud800"1 "\udfff\ud800"2 `+
		`"__proto__"{"p":1} ""3 "é"4true` {
		t.Errorf("got %s", got)
	}
}

// Decode never panics and what it accepts can be written and read again.
func FuzzDecode(f *testing.F) {
	for _, v := range vectors(f) {
		data, _ := hex.DecodeString(v.hex)
		f.Add(data)
	}
	vm := goja.New()
	c := structured.New(vm, structured.Options{})
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := c.Decode(data, structured.DecodeOptions{})
		if err != nil {
			return
		}
		out, err := c.Encode(v, structured.EncodeOptions{})
		if err != nil {
			if strings.Contains(err.Error(), "Maximum call stack") {
				return
			}
			t.Fatalf("%x gave a value that cannot be written: %v", data, err)
		}
		again, err := c.Decode(out.Data, structured.DecodeOptions{})
		if err != nil {
			t.Fatalf("%x was rewritten as %x, which cannot be read: %v", data, out.Data, err)
		}
		twice, err := c.Encode(again, structured.EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if string(twice.Data) != string(out.Data) {
			t.Fatalf("%x\nonce  %x\ntwice %x", data, out.Data, twice.Data)
		}
	})
}
