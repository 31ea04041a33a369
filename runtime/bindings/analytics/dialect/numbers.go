package dialect

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

func init() {
	register("intDiv", 2, 2, func(c *called) expr {
		c.numeric(0)
		c.numeric(1)
		a, b := c.args[0].kind, c.args[1].kind
		k := integerOf(max(a.bits(), 8), a.signed() || b.signed() || !a.integer())
		if !a.integer() {
			k = intKind
		}
		return c.gives(k, func(v []any) any {
			d := whole(v[1])
			if d == 0 {
				return int64(0)
			}
			return k.wrap(floorDiv(whole(v[0]), d))
		})
	})
	float := func(names string, n int, f func(v []any) float64) {
		register(names, n, n, func(c *called) expr {
			for i := range c.args {
				c.numeric(i)
			}
			return c.gives(floatKind, func(v []any) any { return f(v) })
		})
	}
	float("log ln", 1, func(v []any) float64 { return math.Log(number(v[0])) })
	float("pow power", 2, func(v []any) float64 { return math.Pow(number(v[0]), number(v[1])) })
	rounding("round", math.RoundToEven)
	rounding("floor", math.Floor)
	rounding("ceil ceiling", math.Ceil)
	for name, k := range map[string]kind{"toUInt8": byteKind, "toUInt32": uintKind} {
		register(name, 1, 1, func(c *called) expr {
			from := c.args[0].kind
			c.wants(0, "a number, a time or a String", from.numeric() || from.timed() || from.name == "String")
			return c.gives(k, func(v []any) any {
				if s, ok := v[0].(string); ok {
					f, _ := strconv.ParseFloat(strings.TrimSpace(s), 64) // what is no number becomes 0
					return k.wrap(whole(f))
				}
				return k.wrap(whole(v[0]))
			})
		})
	}
	register("if", 3, 3, func(c *called) expr {
		c.numeric(0)
		k, ok := common(c.args[1].kind, c.args[2].kind)
		if !ok {
			c.refuse("%s and %s have no common type", c.args[1].kind, c.args[2].kind)
		}
		cond, yes, no := c.args[0], into(c.args[1], k), into(c.args[2], k)
		return expr{k, cond.constant && yes.constant && no.constant, func(f *frame) any {
			if truth(cond.eval(f)) {
				return yes.eval(f)
			}
			return no.eval(f)
		}}
	})
	registerBits()
}

// into converts to a kind that was found with common.
func into(e expr, k kind) expr {
	switch {
	case k.name == "Float64" && e.kind.integer():
		return expr{k, e.constant, func(f *frame) any { return number(e.eval(f)) }}
	case k.name == "DateTime" && e.kind.name == "Date":
		return expr{k, e.constant, func(f *frame) any { return whole(e.eval(f)) * daySecs }}
	}
	return expr{k, e.constant, e.eval}
}

func rounding(names string, f func(float64) float64) {
	register(names, 1, 2, func(c *called) expr {
		for i := range c.args {
			c.numeric(i)
		}
		k := c.args[0].kind
		if k.integer() && len(c.args) == 1 {
			return c.args[0]
		}
		return c.gives(k, func(v []any) any {
			x, places := number(v[0]), int64(0)
			if len(v) > 1 {
				places = min(max(whole(v[1]), -300), 300)
			}
			scale := math.Pow(10, math.Abs(float64(places)))
			switch {
			case places == 0:
				x = f(x)
			case places < 0:
				x = f(x/scale) * scale
			case !math.IsInf(x*scale, 0):
				x = f(x*scale) / scale
			}
			if k.integer() {
				return k.wrap(whole(x))
			}
			return x
		})
	})
}

// word is the bits of a number: of an integer as wide as it is, of a float its 64.
func word(v any) uint64 {
	if f, ok := v.(float64); ok {
		return math.Float64bits(f)
	}
	return uint64(whole(v))
}

// mask has as many ones as an integer of the kind has bits.
func mask(k kind) uint64 {
	if n := k.bits(); n > 0 && n < 64 {
		return 1<<n - 1
	}
	return math.MaxUint64
}

func registerBits() {
	binary := func(name string, f func(a, b uint64) uint64) {
		register(name, 2, 2, func(c *called) expr {
			c.numeric(0)
			c.numeric(1)
			k, _ := common(c.args[0].kind, c.args[1].kind) // both are numbers
			if !k.integer() {
				k = countKind
			}
			return c.gives(k, func(v []any) any { return k.wrap(int64(f(word(v[0]), word(v[1])))) })
		})
	}
	binary("bitAnd", func(a, b uint64) uint64 { return a & b })
	binary("bitOr", func(a, b uint64) uint64 { return a | b })
	binary("bitXor", func(a, b uint64) uint64 { return a ^ b })
	moving := func(name string, f func(a uint64, n, width int) uint64) {
		register(name, 2, 2, func(c *called) expr {
			c.numeric(0)
			c.numeric(1)
			k := c.args[0].kind
			if !k.integer() {
				k = countKind
			}
			from := c.args[0].kind
			return c.gives(k, func(v []any) any {
				n := int(min(max(whole(v[1]), 0), 64))
				return k.wrap(int64(f(word(v[0])&mask(from), n, k.bits())))
			})
		})
	}
	moving("bitShiftLeft", func(a uint64, n, _ int) uint64 { return a << n })
	moving("bitShiftRight", func(a uint64, n, _ int) uint64 { return a >> n })
	moving("bitRotateLeft", func(a uint64, n, width int) uint64 { return a<<(n%width) | a>>(width-n%width) })
	moving("bitRotateRight", func(a uint64, n, width int) uint64 { return a>>(n%width) | a<<(width-n%width) })
	register("bitNot", 1, 1, func(c *called) expr {
		c.numeric(0)
		k := c.args[0].kind
		if !k.integer() {
			k = countKind
		}
		return c.gives(k, func(v []any) any { return k.wrap(int64(^word(v[0]))) })
	})
	register("bitCount", 1, 1, func(c *called) expr {
		c.numeric(0)
		k := c.args[0].kind
		return c.gives(byteKind, func(v []any) any { return int64(bits.OnesCount64(word(v[0]) & mask(k))) })
	})
	register("bitHammingDistance", 2, 2, func(c *called) expr {
		c.numeric(0)
		c.numeric(1)
		return c.gives(byteKind, func(v []any) any { return int64(bits.OnesCount64(word(v[0]) ^ word(v[1]))) })
	})
	register("bitTest", 2, 2, func(c *called) expr {
		c.numeric(0)
		c.numeric(1)
		return c.gives(byteKind, func(v []any) any {
			n := whole(v[1])
			return bit(n >= 0 && n < 64 && word(v[0])>>n&1 == 1)
		})
	})
}
