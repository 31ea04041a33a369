package regexp_test

import (
	"errors"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma/ecmatest"
)

// Patterns that backtrack over a text in more ways than anybody can wait for, and every way in which a script matches
// one, end at an interrupt; the runtime matches on after it.
func TestEndlessMatchesEndAtAnInterrupt(t *testing.T) {
	e := ecmatest.New(t)
	began := make(chan struct{})
	if err := e.Runtime.Set("begin", func() { began <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{
		`/^(a+)+$/`, `/^(a|aa)+$/`, `/^(?:.*)*[^a!é]$/`, `/(?:a?){30}a{14}b?!/`, `/^(?:(?=(a+))a*\1?)+$/`,
		`/(?<=^b(a|aa)+é)!/`, `/^(?:(?<n>a)|\k<n>a)+$/`, `/^(\p{L}+)+$/u`, `/^([[a-z]--[b]]+)+$/v`,
		`/^(A+)+$/i`, `/^(a+)+$/y`, `/(a+)+$(?<!b)c?/m`,
	} {
		for _, use := range []string{
			"r.test(s)", "r.exec(s)", "s.match(r)", "s.search(r)", "s.replace(r, '')", "s.replace(r, () => '')",
			"s.split(r)",
			"[...s.matchAll(g)]", "s.replaceAll(g, '$&')", "s.match(g)", "r.exec({ toString: () => s })",
			"RegExp.prototype.test.call(r, s)", "[s].some(r.test, r)", "s.replace(/a{44}/, (x) => r.test(s))",
		} {
			source := `{ const s = "a".repeat(44) + "é!", r = ` + pattern +
				`, g = new RegExp(r, r.flags + "g"); begin(); ` + use + ` }`
			go func() {
				<-began
				e.Runtime.Interrupt("enough")
			}()
			_, err := e.Run("endless.js", source, true)
			e.Runtime.ClearInterrupt()
			var interrupted *goja.InterruptedError
			if !errors.As(err, &interrupted) {
				t.Errorf("%s of %s ended with %v", use, pattern, err)
			}
			if got := e.Eval(`/b(.)/.exec("abc")[1] + /x/.test("y") + "a-b".replace(/-/g, "+")`); got != "cfalsea+b" {
				t.Fatalf("after %s of %s: %s", use, pattern, got)
			}
		}
	}
}
