package bridge

import (
	"errors"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/timers"
	"eddy/runtime/webapi/webapitest"
)

// Arguments come over as the bytes and numbers that they are, and failures go back with Node's codes.
func TestCrossing(t *testing.T) {
	r := webapitest.New(t, timers.Install, func(h *host.Host) {
		rt := h.Runtime()
		set := func(name string, f func(goja.FunctionCall) goja.Value) { _ = rt.Set(name, f) }
		set("bytes", func(fc goja.FunctionCall) goja.Value {
			shared, copied := NeedBytes(h, fc.Argument(0)), CopyBytes(h, fc.Argument(0))
			if len(shared) > 0 {
				shared[0]++ // which the script sees, and the copy does not
				return rt.ToValue([]any{string(copied), len(shared)})
			}
			return rt.ToValue("empty")
		})
		set("number", func(fc goja.FunctionCall) goja.Value { return rt.ToValue(Number(fc.Argument(0), 7)) })
		set("fail", func(fc goja.FunctionCall) goja.Value {
			switch fc.Argument(0).ToInteger() {
			case 0:
				ThrowCode(h, "RangeError", "ERR_OUT", "out")
			case 1:
				OrThrow(h, Coded("TypeError", "ERR_X", "x"))
			case 2:
				OrThrow(h, Coded("TypeError", "", "bare"))
			case 3:
				OrThrow(h, errors.New("plain"))
			}
			OrThrow(h, nil)
			return rt.ToValue("none")
		})
		set("later", func(fc goja.FunctionCall) goja.Value {
			fail := fc.Argument(1).ToBoolean()
			return Deliver(h, fc.Argument(0), func() ([]byte, error) {
				if fail {
					return nil, Coded("Error", "ERR_LATE", "late")
				}
				return []byte("done"), nil
			})
		})
	})
	text := `const text = b => String.fromCharCode(...new Uint8Array(b));`
	for _, c := range [][2]string{
		{`const u = Uint8Array.from([97, 98]); return bytes(u).join() + u[0]`, "ab,298"},
		{`const u = Uint8Array.from([97, 98, 99, 100]); return bytes(new DataView(u.buffer, 1, 2)).join() + u[1]`,
			"bc,299"},
		{`return bytes(new ArrayBuffer(0)) + bytes(new Uint16Array(1).subarray(1))`, "emptyempty"},
		{`try { bytes("text") } catch (e) { return e.name + e.code }`, "TypeErrorERR_INVALID_ARG_TYPE"},
		{`return [number(), number(null), number(3.9), number("12")].join()`, "7,7,3,12"},
		{`return [0, 1, 2, 3, 4].map(n => { try { return fail(n) } catch (e) { ` +
			`return e.name + e.code + e.message } }).join()`,
			"RangeErrorERR_OUTout,TypeErrorERR_Xx,TypeErrorundefinedbare,Errorundefinedplain,none"},
		{text + `return text(later(undefined, false))`, "done"},
		{`try { later(undefined, true) } catch (e) { return e.code }`, "ERR_LATE"},
		{text + `return new Promise(done => { ` +
			`let now = true; later((e, b) => done([e, text(b), now].join()), false); now = false })`, ",done,false"},
		{`return new Promise(done => later((e, b) => done(e.code + b), true))`, "ERR_LATEundefined"},
		{`try { later(1, false) } catch (e) { return e.code }`, "ERR_INVALID_ARG_TYPE"},
	} {
		r.Expect(c[0], c[1])
	}
}
