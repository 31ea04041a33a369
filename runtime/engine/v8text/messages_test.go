package v8text_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma/ecmatest"
)

type messageCase struct{ src, want string }

func readMessages(t testing.TB, file string) []messageCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []messageCase
	for _, block := range strings.Split("\n"+string(text), "\n-- ")[1:] {
		src, want, _ := strings.Cut(block, "\n")
		out = append(out, messageCase{src, strings.TrimRight(want, "\n")})
	}
	return out
}

// The table holds what workerd of 2026-04 answers, taken from a run of the reference (RT11, GJ4).
func TestErrorTexts(t *testing.T) {
	for _, c := range readMessages(t, "testdata/messages.txt") {
		e := ecmatest.New(t)
		v, err := e.Run(
			"worker.js",
			"(async function(){"+c.src+"\n})().then(() => 'no error', x => x.name + ': ' + x.message)",
			false,
		)
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		p, ok := v.Export().(*goja.Promise)
		if !ok {
			t.Fatalf("%s: %v", c.src, v)
		}
		if got := p.Result().String(); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}
