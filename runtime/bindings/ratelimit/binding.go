package ratelimit

import (
	"math"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
	"eddy/runtime/worker"
)

// Binding is a Rate Limit binding: env[Key], with the limit and the period in seconds of the configuration.
type Binding struct {
	Key           string
	Limiter       *Limiter
	Limit, Period int
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	type key struct{}
	class, ok := iso.Value(key{}).(*webidl.Interface)
	if !ok {
		class = iso.Realm.Define(webidl.Spec{Name: "Ratelimit", Members: []webidl.Member{
			webidl.Async("limit", (*limits).limit),
		}})
		iso.SetValue(key{}, class)
	}
	return class.Wrap(&limits{Binding: b, iso: iso}), nil
}

// limits is the state of a Ratelimit. Loop goroutine only, but for the Limiter.
type limits struct {
	Binding
	iso *worker.Isolate
}

// Refusal implements [structured.Refuser]. The platform's class wraps a Worker, hence the text.
func (b *limits) Refusal() string { return "ServiceStub cannot be serialized in this context." }

// limit is limit({key, limit, period, delta}); the checks and their texts are the reference's.
func (b *limits) limit(c *webidl.Call) goja.Value {
	r := b.iso.Realm
	options, ok := c.Arg(0).(*goja.Object)
	if _, isFunction := goja.AssertFunction(c.Arg(0)); !ok || isFunction {
		r.ThrowError("Error", "invalid rate limit options")
	}
	var unknown []string
	for _, name := range options.Keys() {
		switch name {
		case "key", "limit", "period", "delta":
		default:
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		r.ThrowError("Error", "bad rate limit options: [%s]", strings.Join(unknown, ","))
	}
	key := ""
	if v := given(options, "key"); v != nil {
		s, ok := v.(goja.String)
		if !ok {
			r.ThrowError("Error", "invalid key: %s", webidl.ToString(v))
		}
		key = s.String()
	}
	limit := b.number(options, "limit", b.Limit)
	period := b.number(options, "period", b.Period)
	if period != 10 && period != 60 {
		r.ThrowError("Error", "unsupported period: %s", webidl.ToString(given(options, "period")))
	}
	delta := uint32(1)
	if v := given(options, "delta"); v != nil {
		delta = b.weight(v)
	}
	out := b.iso.Runtime().NewObject()
	_ = out.Set("success", b.Limiter.Limit(key, limit, int(period), delta))
	return out
}

// given is an option that is not undefined, else nil.
func given(options *goja.Object, name string) goja.Value {
	if v := options.Get(name); v != nil && !goja.IsUndefined(v) {
		return v
	}
	return nil
}

func (b *limits) number(options *goja.Object, name string, otherwise int) float64 {
	v := given(options, name)
	if v == nil {
		return float64(otherwise)
	}
	switch webidl.Primitive(v).(type) {
	case int64, float64:
		return v.ToFloat()
	}
	b.iso.Realm.ThrowError("Error", "%s must be a number: %s", name, webidl.ToString(v))
	return 0
}

func (b *limits) weight(v goja.Value) uint32 {
	r := b.iso.Realm
	n := v.ToFloat()
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0):
		r.ThrowType("The value cannot be converted because it is not an integer.")
	case n < 0:
		r.ThrowType("The value cannot be converted because it is negative and this API expects a positive number.")
	case n > math.MaxUint32:
		r.ThrowType("Value out of range. Must be less than or equal to %d.", uint32(math.MaxUint32))
	case math.Trunc(n) == 0:
		r.ThrowError("RangeError", "delta must be non-zero")
	}
	return uint32(n)
}
