package workflowjs

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
	"eddy/workflows"
)

// maxValue is the greatest size of a result, a payload or parameters (FLOW-28).
const maxValue = 1 << 20

// maxDuration is the longest time in ms that a time.Duration holds.
const maxDuration = math.MaxInt64 / int64(time.Millisecond)

func milliseconds(v goja.Value) time.Duration {
	ms := v.ToFloat()
	if !(ms < float64(maxDuration)/2) {
		return time.Duration(maxDuration/2) * time.Millisecond
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// native is an object with the functions of a life that the script calls.
func (e *lifeEvent) native() *goja.Object {
	iso := e.runner.Isolate
	rt := iso.Runtime()
	o := rt.NewObject()
	limit := e.runner.Steps
	if limit == 0 {
		limit = defaultSteps
	}
	_ = o.Set("limit", limit)
	if e.life.Rollback {
		_ = o.Set("begunSteps", e.life.Steps)
	}
	set := func(name string, f func(goja.FunctionCall) goja.Value) { _ = o.Set(name, iso.Realm.Function(name, f)) }
	set("begin", func(fc goja.FunctionCall) goja.Value {
		id, config := e.stepID(fc.Argument(0)), fc.Argument(1).String()
		return e.begun(func(done func(workflows.Begun, error)) { e.life.Begin(id, config, done) })
	})
	set("look", func(fc goja.FunctionCall) goja.Value {
		id := e.stepID(fc.Argument(0))
		return e.begun(func(done func(workflows.Begun, error)) { e.life.Look(id, done) })
	})
	set("fail", func(fc goja.FunctionCall) goja.Value {
		id, why := e.stepID(fc.Argument(0)), fc.Argument(1).ToObject(rt)
		failure := &workflows.Failure{Name: why.Get("name").String(), Message: why.Get("message").String()}
		retry, delay := fc.Argument(2).ToBoolean(), milliseconds(fc.Argument(3))
		attempt := failure // the failure of the attempt, where the step fails for another reason
		if o, ok := fc.Argument(4).(*goja.Object); ok {
			attempt = &workflows.Failure{Name: o.Get("name").String(), Message: o.Get("message").String()}
		}
		return e.begun(func(done func(workflows.Begun, error)) {
			if retry {
				e.life.Retry(id, failure, delay, done)
			} else {
				e.life.Fail(id, attempt, failure, done)
			}
		})
	})
	set("crossed", crossed(iso))
	set("succeed", func(fc goja.FunctionCall) goja.Value {
		id, v := e.stepID(fc.Argument(0)), e.value(fc.Argument(0), fc.Argument(1), fc.Argument(2))
		v.Chunks = int(fc.Argument(3).ToInteger())
		return promise(e, func(done func(struct{}, error)) { e.life.Succeed(id, v, done) },
			func(struct{}) goja.Value { return goja.Undefined() })
	})
	set("sleep", func(fc goja.FunctionCall) goja.Value {
		id, d := e.stepID(fc.Argument(0)), milliseconds(fc.Argument(1))
		return e.begun(func(done func(workflows.Begun, error)) { e.life.Sleep(id, d, done) })
	})
	set("sleepUntil", func(fc goja.FunctionCall) goja.Value {
		id, at := e.stepID(fc.Argument(0)), fc.Argument(1).ToInteger()
		return e.begun(func(done func(workflows.Begun, error)) { e.life.SleepUntil(id, at, done) })
	})
	set("wait", func(fc goja.FunctionCall) goja.Value {
		id, typ, timeout := e.stepID(fc.Argument(0)), fc.Argument(1).String(), milliseconds(fc.Argument(2))
		timeOut := fc.Argument(3).ToBoolean()
		return promise(e,
			func(done func(workflows.Received, error)) {
				if e.life.Rollback {
					e.life.LookEvent(id, typ, done)
				} else {
					e.life.WaitForEvent(id, typ, workflows.EventTimeout{After: timeout, Now: timeOut}, done)
				}
			},
			func(r workflows.Received) goja.Value {
				b := r.Begun
				b.Chunks = -1
				b.Value = r.Payload
				res := e.result(b)
				_ = res.Set("time", r.Time)
				_ = res.Set("type", r.Type)
				return res
			})
	})
	set("chunk", func(fc goja.FunctionCall) goja.Value {
		id, n := e.stepID(fc.Argument(0)), int(fc.Argument(1).ToInteger())
		b, _ := iso.Realm.Bytes(fc.Argument(2))
		b = bytes.Clone(b)
		return promise(e, func(done func(struct{}, error)) { e.life.StoreChunk(id, n, b, done) },
			func(struct{}) goja.Value { return goja.Undefined() })
	})
	set("piece", func(fc goja.FunctionCall) goja.Value {
		id, n := e.stepID(fc.Argument(0)), int(fc.Argument(1).ToInteger())
		return promise(e, func(done func([]byte, error)) { e.life.Chunk(id, n, done) },
			func(b []byte) goja.Value { return iso.Realm.Uint8Array(b) })
	})
	set("rollback", func(fc goja.FunctionCall) goja.Value {
		what := map[string]workflows.EventType{"start": workflows.RollbackStart, "failed": workflows.RollbackFailed,
			"complete": workflows.RollbackComplete}[fc.Argument(0).String()]
		return promise(e, func(done func(struct{}, error)) { e.life.RollingBack(what, done) },
			func(struct{}) goja.Value { return goja.Undefined() })
	})
	set("after", func(fc goja.FunctionCall) goja.Value {
		f, _ := goja.AssertFunction(fc.Argument(1))
		scope := e.inv.Scope
		id := scope.SetTimer(milliseconds(fc.Argument(0)), false, func() {
			if _, err := f(goja.Undefined()); err != nil {
				panic(err)
			}
		})
		return iso.Realm.Function("stop", func(goja.FunctionCall) goja.Value {
			scope.ClearTimer(id)
			return goja.Undefined()
		})
	})
	return o
}

// crossed copies a value as an RPC call does, which is how results and payloads travel here (FLOW-18, FLOW-27). It
// refuses a value that needs a connection with an error whose member alive is set.
func crossed(iso *worker.Isolate) func(goja.FunctionCall) goja.Value {
	return func(fc goja.FunctionCall) goja.Value {
		v, refusal, err := rpc.Of(iso.Host).Crossed(fc.Argument(0))
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		if refusal != "" {
			failed := iso.Realm.DOMException("DataCloneError", refusal)
			_ = failed.Set("alive", true)
			panic(failed)
		}
		return v
	}
}

func (e *lifeEvent) stepID(v goja.Value) workflows.StepID { return stepID(e.runner.Isolate, v) }

func stepID(iso *worker.Isolate, v goja.Value) workflows.StepID {
	o := v.ToObject(iso.Runtime())
	return workflows.StepID{Kind: workflows.Kind(o.Get("kind").ToInteger()), Name: utf8(o.Get("name").String()),
		Count: int(o.Get("count").ToInteger())}
}

// value encodes the result of a step.
func (e *lifeEvent) value(step, v, shown goja.Value) workflows.Value {
	b := encode(e.runner.Isolate, v)
	if len(b) > maxValue {
		realm := e.runner.Isolate.Realm
		err := realm.NewError("Error", "Step "+e.stepID(step).Label()+
			" output is too large. Maximum allowed size is 1MiB.")
		_ = err.Set("code", "too large")
		panic(err)
	}
	return workflows.Value{Clone: b, Shown: shown.String(), Chunks: -1}
}

// encode makes the structured clone of a value. It throws if the value cannot be cloned.
func encode(iso *worker.Isolate, v goja.Value) []byte {
	enc, err := iso.Codec().Encode(v, structured.EncodeOptions{})
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return enc.Data
}

func (e *lifeEvent) decode(b []byte) goja.Value { return decode(e.runner.Isolate, b) }

// decode makes a value from a structured clone or from JSON. A payload that came through the API is stored as JSON; no
// structured clone begins as JSON does.
func decode(iso *worker.Isolate, b []byte) goja.Value {
	if len(b) > 0 && b[0] != 0xFF {
		parse, _ := goja.AssertFunction(iso.Runtime().Get("JSON").ToObject(iso.Runtime()).Get("parse"))
		v, err := parse(nil, iso.Runtime().ToValue(string(b)))
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		return v
	}
	v, err := iso.Codec().Decode(b, structured.DecodeOptions{})
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return v
}

// begun asks the workflow about a step that the life has come to.
func (e *lifeEvent) begun(start func(done func(workflows.Begun, error))) goja.Value {
	return promise(e, start, func(b workflows.Begun) goja.Value { return e.result(b) })
}

// result is a Begun in the form that the script reads.
func (e *lifeEvent) result(b workflows.Begun) *goja.Object {
	iso := e.runner.Isolate
	o := iso.Runtime().NewObject()
	_ = o.Set("ended", b.Ended)
	_ = o.Set("attempt", b.Attempt)
	_ = o.Set("config", b.Config)
	_ = o.Set("past", b.Past)
	_ = o.Set("chunks", b.Chunks)
	if b.Failure != nil {
		_ = o.Set("failure", failureObject(iso, b.Failure))
	} else if len(b.Value) > 0 && b.Chunks < 0 {
		_ = o.Set("value", e.decode(b.Value))
	}
	return o
}

// promise asks the workflow, and returns a promise of the answer. It never settles if the life has ended, or the
// workflow has: a script that heard of that could go on where another life is. Its ticket does not hold the clock,
// because the answer may come in a week.
func promise[T any](e *lifeEvent, start func(done func(T, error)), result func(T) goja.Value) goja.Value {
	rt := e.runner.Isolate.Runtime()
	p, resolve, reject := rt.NewPromise()
	ticket := e.inv.Scope.Within()
	e.calls++
	e.out++
	start(func(v T, err error) {
		var said *workflows.Failure
		if err != nil && !errors.As(err, &said) {
			return
		}
		ticket.Return(func() {
			e.out--
			var settled error
			if err != nil {
				settled = reject(e.runner.Isolate.Realm.NewError("Error", err.Error()))
			} else {
				settled = resolve(result(v))
			}
			if settled != nil {
				panic(settled)
			}
		})
	})
	return rt.ToValue(p)
}

func newDate(iso *worker.Isolate, ms int64) goja.Value {
	d, err := iso.Runtime().New(iso.Runtime().Get("Date"), iso.Runtime().ToValue(ms))
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return d
}

// utf8 replaces the lone surrogates of a script's text, which the file cannot hold.
func utf8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
