package wasm

import (
	"runtime"
	"testing"
)

// A program is there as long as somebody has it, and once: modules that are rebuilt again and again leave nothing
// behind.
func TestProgramsAreForgotten(t *testing.T) {
	known := func() int {
		e := theEngine()
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.mu.programs)
	}
	build := func(version byte) *program {
		p, err := compile(sample{
			types: []signature{sig(nil, i32)}, funcs: []int{0}, exports: [][]byte{exportOf("version", kindFunction, 0)},
			code: [][]byte{bodyOf([]byte{0x41, version})},
		}.binary())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	runtime.GC()
	before := known()
	kept := build(0)
	for version := range 20 {
		build(byte(version))
	}
	if build(0) != kept {
		t.Error("a binary has two programs")
	}
	for known() > before+1 { // the test's own deadline ends a wait in vain
		runtime.GC()
		runtime.Gosched()
	}
	if build(0) != kept {
		t.Error("the program that is in use was forgotten")
	}
}
