package webidl

import (
	"testing"

	"github.com/dop251/goja"
)

// An error of ours in a function that a script calls is thrown to the script, and nothing else changes.
func TestPanicsAreContained(t *testing.T) {
	r := newRealm(t)
	var causes []any
	r.Panicked = func(cause any) goja.Value {
		causes = append(causes, cause)
		return r.NewError("Error", "internal error")
	}
	r.Define(Spec{
		Name: "Faulty",
		New: func(c *Call) any {
			if !c.Missing(0) {
				panic("assertion")
			}
			return &counter{}
		},
		Members: []Member{
			Method("fail", func(*counter, *Call) goja.Value { var s *counter; return r.rt.ToValue(s.n) })},
	}).Install()
	for _, c := range []struct{ js, want string }{
		{`try { new Faulty().fail() } catch (e) { e.message }`, "internal error"},
		{`try { new Faulty(1) } catch (e) { e.message }`, "internal error"},
		{`try { [1].map(() => new Faulty().fail()) } catch (e) { e instanceof Error }`, "true"},
		{`try { new Counter().add() } catch (e) { e.name }`, "TypeError"},
		{`new Counter(1).add(1)`, "2"},
	} {
		v, err := r.rt.RunString(c.js)
		if err != nil || v.String() != c.want {
			t.Errorf("%s: %v, %v", c.js, v, err)
		}
	}
	if len(causes) != 3 || causes[1] != "assertion" {
		t.Errorf("causes %v", causes)
	}
}
