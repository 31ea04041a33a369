package structured_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// What is written from the engine's lists is what V8 writes, of objects as goja makes them and of those of quicker
// instructions; testdata/plain.txt has what v8.serialize of Node gave.
func TestEncodePlain(t *testing.T) {
	lines, err := os.ReadFile("testdata/plain.txt")
	if err != nil {
		t.Fatal(err)
	}
	layout, err := gojainternals.Read()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		expr, want, _ := strings.Cut(strings.TrimSpace(line), "\t")
		for _, quick := range []bool{false, true} {
			vm, c := newCodec(t)
			p, err := goja.Compile("", "("+expr+")", false)
			if err != nil {
				t.Fatalf("%s: %v", expr, err)
			}
			if quick {
				layout.Quicken(p)
				layout.Twins(vm)
				if _, err := gojainternals.NewMachine(vm); err != nil {
					t.Fatal(err)
				}
				layout.PollAt(vm.Get("Object").ToObject(vm).Get("prototype").ToObject(vm))
			}
			v, err := vm.RunProgram(p)
			if err != nil {
				t.Fatalf("%s: %v", expr, err)
			}
			if got := encode(t, c, v); got != want {
				t.Errorf("%s, quick: %t\n got %s\nwant %s", expr, quick, got, want)
			}
		}
	}
}
