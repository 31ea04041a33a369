package events

import (
	"testing"

	"eddy/runtime/webapi/webapitest"
)

func table(t *testing.T, r *webapitest.Runner, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		r.Expect("return "+c[0], c[1])
	}
}

func TestEventAndTarget(t *testing.T) {
	r := webapitest.New(t, Install)
	table(t, r, [][2]string{
		{`(e => [e.type, e.bubbles, e.cancelable, e.composed, e.isTrusted, e.eventPhase, e.timeStamp, ` +
			`e.target === undefined, e.currentTarget].join())(new Event("x", {cancelable: true}))`,
			"x,false,true,false,false,0,0,true,"},
		{`(t => { const out = []; t.addEventListener(
			"x", { handleEvent(e) { out.push(this === t, e.target === t, e.eventPhase, e.currentTarget === t,
			e.composedPath().length) } });
			t.onx = () => out.push("on"); const ok = t.dispatchEvent(new Event("x")); return [...out, ok].join() })(
				new EventTarget)`,
			"on,false,true,2,true,1,true"},
		{`(t => { let n = 0; const f = () => n++; t.addEventListener("x", f); t.addEventListener("x", f); ` +
			`t.dispatchEvent(new Event("x")); t.removeEventListener("x", f); t.dispatchEvent(new Event("x")); ` +
			`return n })(new EventTarget)`, "1"},
		{`(t => { let n = 0; t.addEventListener("x", () => n++, {once: true}); t.dispatchEvent(new Event("x")); ` +
			`t.dispatchEvent(new Event("x")); return n })(new EventTarget)`, "1"},
		{`(t => { t.addEventListener("x", e => e.preventDefault()); ` +
			`return t.dispatchEvent(new Event("x", {cancelable: true})) })(new EventTarget)`, "false"},
		{`(t => { const out = []; t.addEventListener("x", e => { out.push(1); e.stopImmediatePropagation() }); ` +
			`t.addEventListener("x", () => out.push(2)); t.dispatchEvent(new Event("x")); ` +
			`return out.join() })(new EventTarget)`, "1"},
		{`(t => { t.addEventListener("x", () => { throw new RangeError("r") }); ` +
			`t.dispatchEvent(new Event("x")) })(new EventTarget)`, "throws RangeError: r"},
		{`(t => { t.addEventListener("x", e => t.dispatchEvent(e)); ` +
			`t.dispatchEvent(new Event("x")) })(new EventTarget)`,
			"throws InvalidStateError: The event is already being dispatched."},
		{`new EventTarget().addEventListener("x", () => {}, true)`,
			"throws TypeError: addEventListener(): useCapture must be false."},
		{`new EventTarget().addEventListener("x", null)`, "undefined"},
		{`(c => { let n = 0; const t = new EventTarget; t.addEventListener("x", () => n++, {signal: c.signal}); ` +
			`c.abort(); t.dispatchEvent(new Event("x")); return n })(new AbortController)`, "0"},
		{`new CustomEvent("c", {detail: 5}).detail + Object.prototype.toString.call(new CustomEvent("c"))`,
			"5[object CustomEvent]"},
		{`new ErrorEvent("e", {message: "m", lineno: 3, error: 4}).error + ` +
			`new CloseEvent("close", {code: 1001, reason: "r", wasClean: true}).reason + ` +
			`new MessageEvent("m", {data: 6}).data`, "4r6"},
		{`new ExtendableEvent("x")`, "throws TypeError: Illegal constructor"},
	})
}

func TestSubclassTarget(t *testing.T) {
	r := webapitest.New(t, Install)
	r.Expect(`
		class T extends EventTarget { #n = 1;
			go() { this.ony = () => this.#n++; this.dispatchEvent(new Event("y")); return this.#n } }
		return new T().go()`, "2")
}

// A listener that returns a promise is worth one warning per target.
func TestListenerResultWarning(t *testing.T) {
	r := webapitest.New(t, Install)
	r.Expect(`const t = new EventTarget; t.addEventListener("x", async () => {}); t.dispatchEvent(new Event("x")); `+
		`t.dispatchEvent(new Event("x")); return "ok"`, "ok")
	if len(r.Logs) != 1 || r.Logs[0][:5] != "warn:" {
		t.Errorf("logs: %q", r.Logs)
	}
}

// RT10: the default reason.
func TestAbort(t *testing.T) {
	r := webapitest.New(t, Install)
	table(t, r, [][2]string{
		{`(c => { const out = []; c.signal.onabort = () => out.push("on");
			c.signal.addEventListener("abort", e => out.push(e.type + e.isTrusted)); c.abort(); c.abort(1);
			return [...out, c.signal.aborted, c.signal.reason.name, c.signal.reason.message].join() })(
				new AbortController)`,
			"on,aborttrue,true,AbortError,The operation was aborted"},
		{`AbortSignal.abort("r").reason + AbortSignal.abort().reason.code`, "r20"},
		{`AbortSignal.abort(new RangeError("q")).throwIfAborted()`, "throws RangeError: q"},
		{`new AbortSignal()`, "throws TypeError: Illegal constructor"},
		{`(c => { const s = AbortSignal.any([new AbortController().signal, c.signal]); c.abort("z"); ` +
			`return s.aborted + s.reason })(new AbortController)`, "truez"},
		{`AbortSignal.any([]).aborted`, "false"},
		{`AbortSignal.any([AbortSignal.abort(3)]).reason`, "3"},
		{`new Promise(r => { const s = AbortSignal.timeout(50); ` +
			`s.onabort = () => r(s.reason.name + ": " + s.reason.message) })`,
			"TimeoutError: The operation was aborted due to timeout"},
	})
}

func TestGlobalTarget(t *testing.T) {
	r := webapitest.New(t, Install)
	table(t, r, [][2]string{
		{`(() => { let n = 0; addEventListener("x", () => n++); dispatchEvent(new Event("x")); ` +
			`globalThis.dispatchEvent(new Event("x")); self = globalThis; return n })()`, "2"},
		{`globalThis instanceof EventTarget`, "true"},
		{`(() => { const out = []; addEventListener("error", e => { ` +
			`out.push(e.message, e.error); e.preventDefault() }, {once: true}); reportError("bad"); ` +
			`reportError("logged"); return out.join() })()`, "Uncaught bad,bad"},
	})
	if len(r.Uncaught) != 1 || r.Uncaught[0] != "logged" {
		t.Errorf("uncaught: %q", r.Uncaught)
	}
	r.On(func() {
		v, err := r.Host.Runtime().RunString(
			`addEventListener("unhandledrejection", e => { if (e.reason === 1) e.preventDefault() }); ` +
				`Promise.resolve()`)
		if err != nil {
			t.Fatal(err)
		}
		rt := r.Host.Runtime()
		if !UnhandledRejection(r.Host, v, rt.ToValue(1)) || UnhandledRejection(r.Host, v, rt.ToValue(2)) {
			t.Error("unhandledrejection: preventDefault is not what counts")
		}
	})
}

func TestMessageChannel(t *testing.T) {
	r := webapitest.New(t, Install)
	r.Expect(`
		const { port1, port2 } = new MessageChannel();
		const out = [];
		port1.postMessage("early");
		port2.onmessage = e => out.push(e.data);
		port1.postMessage("now");
		await 0; await 0; await 0;
		port1.addEventListener("close", () => out.push("closed1"));
		port2.addEventListener("close", () => out.push("closed2"));
		port2.close(); port1.postMessage("late");
		await 0; await 0;
		try { port1.postMessage(1, [new ArrayBuffer(1)]) } catch (e) { out.push(e.message) }
		return out.join()`, "early,now,closed1,closed2,Transfer list is not supported")
}
