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

// Microtasks run in the order in which they were queued, also those that one queues while another waits, and a long
// chain of them needs no stack.
func TestMicrotaskOrder(t *testing.T) {
	r := webapitest.New(t, events.Install, Install)
	r.Expect(`
		const out = [];
		const p = Promise.resolve();
		queueMicrotask(() => { out.push("a"); queueMicrotask(() => out.push("d")); p.then(() => out.push("e")) });
		p.then(() => { out.push("b"); queueMicrotask(() => out.push("f")) });
		queueMicrotask(() => out.push("c"));
		setTimeout(() => {
			out.push("timer");
			queueMicrotask(() => { out.push("1"); queueMicrotask(() => out.push("3")) });
			queueMicrotask(() => out.push("2"));
		}, 1);
		await scheduler.wait(5);
		return out.join("")`, "abcdeftimer123")
	r.Expect(`
		let n = 0;
		await new Promise(done => {
			const next = () => { if (++n === 50000) done(); else queueMicrotask(next) };
			queueMicrotask(next);
		});
		return n`, "50000")
}
