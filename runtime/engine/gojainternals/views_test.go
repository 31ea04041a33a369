package gojainternals

import (
	"math"
	"testing"

	"github.com/dop251/goja"
)

func TestWindow(t *testing.T) {
	l, rt := layout(t), goja.New()
	for source, want := range map[string][3]int{
		"new Uint8Array(new ArrayBuffer(16), 2, 4)":     {1, 2, 4},
		"new Float64Array(new ArrayBuffer(16), 8)":      {8, 1, 1},
		"new DataView(new ArrayBuffer(16), 3, 5)":       {1, 3, 5},
		"new Uint32Array(new ArrayBuffer(16)).fill(-1)": {4, 0, 4},
	} {
		w, ok := l.Window(object(t, rt, source))
		if got := [3]int{w.Unit(), w.Offset(), w.Length()}; !ok || got != want {
			t.Errorf("%s: %v, %t", source, got, ok)
		}
	}
	if _, ok := l.Window(object(t, rt, "[1]")); ok {
		t.Error("an array has a window")
	}
}

// A view can be pointed at another part of its buffer, and out of its bounds.
func TestWindowMoves(t *testing.T) {
	l, rt := layout(t), goja.New()
	buffer := object(t, rt, "var b = new ArrayBuffer(16); new Uint8Array(b).set([1, 2, 3, 4, 5, 6, 7, 8]); b")
	view := object(t, rt, "var v = new Uint8Array(b, 0, 2); v")
	other := object(t, rt, "new DataView(b)")
	w, _ := l.Window(view)
	o, _ := l.Window(other)
	if !l.IsArrayBuffer(buffer) || l.IsArrayBuffer(view) || !l.IsTypedArray(view) || l.IsTypedArray(other) {
		t.Error("buffer and views are not told apart")
	}
	if !w.SameMemory(o) || w.Buffer() != buffer || w.Gone() {
		t.Error("it is not the buffer's view")
	}
	script := func(source, want string) {
		t.Helper()
		v, err := rt.RunString(source)
		if err != nil || v.String() != want {
			t.Errorf("%s is %v, %v, expected %s", source, v, err, want)
		}
	}
	w.Show(buffer, 4, 3)
	script("[...v].join()", "5,6,7")
	w.Leave(buffer)
	if !w.Gone() || w.Buffer() != buffer || w.SameMemory(o) {
		t.Error("it is not out of bounds")
	}
	script("[v.length, v.byteOffset, v[0], v.buffer === b, new Uint8Array(b)[4]].join()", "0,0,,true,5")
	w.Show(buffer, 0, 1)
	script("v.join()", "1")
	data := l.BufferBytes(buffer)
	*data = (*data)[:2]
	script("b.byteLength", "2")
}

// Float16Array: what is written is rounded, what is read is a number, and goja's own algorithms work on it.
func TestBecomeFloat16(t *testing.T) {
	l, rt := layout(t), goja.New()
	o := object(t, rt, "var h = new Uint16Array(5); h")
	l.BecomeFloat16(o, object(t, rt, "(function Float16Array() {})"))
	v, err := rt.RunString(`h.set([1.1, -0, NaN, 65520, 2]);
		[h.join(), h.indexOf(2), h.includes(NaN), h.indexOf(1.1), h.includes(0), Object.is(h[1], -0), ` +
		`h.sort().join()].join(" ")`)
	if want := "1.099609375,0,NaN,Infinity,2 4 true -1 true true 0,1.099609375,2,Infinity,NaN"; err != nil ||
		v.String() != want {
		t.Errorf("%v, %v, expected %s", v, err, want)
	}
}

// Each of the 65,536 values survives, and what lies between two goes to the nearer, ties to the even one.
func TestFloat16(t *testing.T) {
	for h := range 1 << 16 {
		f := FromFloat16(uint16(h))
		if f != f {
			if ToFloat16(f) != 0x7e00 {
				t.Fatalf("%#x is no NaN again", h)
			}
			continue
		}
		if got := ToFloat16(f); got != uint16(h) {
			t.Fatalf("%#x is %g and then %#x", h, f, got)
		}
		if next := FromFloat16(uint16(h + 1)); h&0x7fff < 0x7bff { // finite, and so is the next
			even := uint16(h + h&1)
			if got := ToFloat16(f/2 + next/2); got != even {
				t.Fatalf("between %#x and the next: %#x", h, got)
			}
			if got := ToFloat16(math.Nextafter(f/2+next/2, f)); got != uint16(h) {
				t.Fatalf("below the middle above %#x: %#x", h, got)
			}
		}
	}
}
