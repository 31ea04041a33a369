package timers

import (
	"testing"

	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/webapitest"
)

// RT7: timers return numbers, fire in order of deadline and age, pass arguments, and stop when cleared.
func TestTimers(t *testing.T) {
	r := webapitest.New(t, events.Install, Install)
	r.Expect(`
		const out = [];
		const id = setTimeout(() => out.push("never"), 5);
		setTimeout((a, b) => out.push("late" + a + b), 20, 1, 2);
		setTimeout(() => out.push("soon"), 10);
		setTimeout(() => out.push("soon2"), 10);
		clearTimeout(id); clearTimeout("x"); clearTimeout(undefined); clearTimeout(-1);
		let n = 0;
		const every = setInterval(() => { if (++n == 3) clearInterval(every) }, 7);
		await new Promise(r => setTimeout(r, 3600e3));
		return [typeof id, n, ...out].join()`, "number,3,soon,soon2,late12")
	r.Expect(`try { setTimeout("x") } catch (e) { return e.name + ": " + e.message }`,
		"TypeError: Failed to execute 'setTimeout' on 'ServiceWorkerGlobalScope': parameter 1 is not of type "+
			"'function'.")
}

func TestMicrotaskErrorsAreReported(t *testing.T) {
	r := webapitest.New(t, events.Install, Install)
	r.Expect(`
		const out = [];
		addEventListener("error", e => { out.push(e.message); e.preventDefault() }, { once: true });
		queueMicrotask(() => { throw new Error("m") });
		queueMicrotask(() => out.push("next"));
		await scheduler.wait(1);
		queueMicrotask(() => { throw new Error("logged") });
		await scheduler.wait(1);
		return out.join()`, "Uncaught Error: m,next")
	if len(r.Uncaught) != 1 || r.Uncaught[0] != "Error: logged" {
		t.Errorf("uncaught: %q", r.Uncaught)
	}
}

// scheduler.wait rejects with the reason of its signal, also when the same signal is used twice in a row.
func TestSchedulerWaitSignal(t *testing.T) {
	r := webapitest.New(t, events.Install, Install)
	r.Expect(`
		const c = new AbortController();
		setTimeout(() => c.abort("why"), 5);
		try { await scheduler.wait(1000, { signal: c.signal }) } catch (e) { var first = e }
		try { await scheduler.wait(1000, { signal: c.signal }) } catch (e) { var second = e }
		await scheduler.wait(3, { signal: undefined });
		return first + second + (await scheduler.wait(0))`, "whywhyundefined")
}

func TestTimerErrorsAreReported(t *testing.T) {
	r := webapitest.New(t, events.Install, Install)
	r.Expect(`setTimeout(() => { throw new RangeError("t") }, 1); await scheduler.wait(2); return "on"`, "on")
	if len(r.Uncaught) != 1 || r.Uncaught[0] != "RangeError: t" {
		t.Errorf("uncaught: %q", r.Uncaught)
	}
}
