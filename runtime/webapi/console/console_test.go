package console

import (
	"strings"
	"testing"
	"time"

	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/webapitest"
)

func logs(t *testing.T, js string) []string {
	t.Helper()
	r := webapitest.New(t, Install)
	r.Eval(js)
	return r.Logs
}

// RT14; the formats are those of util.format.
func TestFormat(t *testing.T) {
	for _, c := range []struct{ js, want string }{
		{`"%s is %d%%", "x", 5.5`, "x is 5.5%"},
		{`"%i %f %d %d", 42.9, "1.5x", "abc", 10n`, "42 1.5 NaN 10n"},
		{`"%j %o %O", {a: [1]}, {a: {b: {c: {d: {}}}}}, {a: {b: {c: {}}}}`,
			"{\"a\":[1]} { a: { b: { c: { d: {} } } } } { a: { b: { c: {} } } }"},
		{`"%c%s", "color: red", "x"`, "x"},
		{`"100%", 1`, "100% 1"},
		{`"%s"`, "%s"},
		{`"%s %s", 1`, "1 %s"},
		{`"%x %s", 1`, "%x 1"},
		{`1, "a", {b: "c"}`, "1 a { b: 'c' }"},
		{`"%s %s %s", -0, Symbol("x"), {a: {}}`, "-0 Symbol(x) { a: {} }"},
		{`"%s", new (class A { toString() { return "mine" } })`, "mine"},
		{`"%j", (() => { const a = {}; a.a = a; return a })()`, "[Circular]"},
		{``, ""},
	} {
		got := logs(t, "console.log("+c.js+")")
		want := strings.ReplaceAll(c.want, "{ a: { b: { c: { d: {} } } } } {", "{\n  a: { b: { c: { d: {} } } }\n} {")
		if len(got) != 1 || got[0] != "log: "+want {
			t.Errorf("%s\n got %q\nwant %q", c.js, got, want)
		}
	}
}

func TestMethods(t *testing.T) {
	for _, c := range []struct{ js, want string }{
		{`console.debug(1); console.info(2); console.warn(3); console.error(4)`, "debug: 1|info: 2|warn: 3|error: 4"},
		{`console.group("g"); console.log("a\nb"); console.group(); console.log("c"); console.groupEnd(); ` +
			`console.groupEnd(); console.groupEnd(); console.log("d")`,
			"log: g|log:   a\n  b|log:     c|log: d"},
		{`console.count(); console.count("x"); console.count(); console.countReset(); console.count(); ` +
			`console.countReset("y")`,
			"log: default: 1|log: x: 1|log: default: 2|log: default: 1|warn: Count for 'y' does not exist"},
		{`console.assert(true, "x"); console.assert(false); console.assert(0, "no %s", "way"); console.assert(null, ` +
			`{a: 1})`,
			"error: Assertion failed|error: Assertion failed: no way|error: Assertion failed { a: 1 }"},
		{`console.dir({a: {b: {c: {}}}}, {depth: 0}); console.dir({[Symbol.for("nodejs.util.inspect.custom")]: 1})`,
			"log: { a: [Object] }|log: { Symbol(nodejs.util.inspect.custom): 1 }"},
		{`console.table([{a: 1, b: "x"}, {a: 2, c: true}])`,
			"log: ┌─────────┬───┬─────┬──────┐\n│ (index) " +
				"│ a │ b   │ c    │\n" +
				"├─────────┼───┼─────┼──────┤\n│ 0       " +
				"│ 1 │ 'x' │      │\n│ 1       │ 2 │     │ true │\n└─────────┴───┴─────┴──────┘"},
		{`console.table(new Map([["k", 1]]))`,
			"log: " +
				"┌───────────────────┬─────┬────────┐\n│ (iteration index) │ Key │ Values " +
				"│\n├───────────────────┼─────┼────────┤\n│ 0                 │ 'k' │ 1      " +
				"│\n└───────────────────┴─────┴────────┘"},
		{`console.table([[1, 2], 3], [0]); console.table(5)`,
			"log: ┌─────────┬───┬────────┐\n│ (index) │ 0 │ " +
				"Values │\n├─────────┼───┼────────┤\n│ 0       " +
				"│ 1 │        │\n│ 1       │   │ 3      │\n└─────────┴───┴────────┘|log: 5"},
		{`console.table([], {a: 1})`, "log: ┌─────────┐\n│ (index) │\n├─────────┤\n└─────────┘"},
		{`console.log({[Symbol.for("nodejs.util.inspect.custom")]() { throw "oops" }}); console.log("on")`,
			"log: <Formatting threw (oops)>|log: on"},
		{`const {log} = console; log("detached"); console.clear(); console.profile()`, "log: detached"},
	} {
		if got := strings.Join(logs(t, c.js), "|"); got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.js, got, c.want)
		}
	}
}

func TestTraceTellsWhere(t *testing.T) {
	got := logs(t, `function here() { console.trace("x %d", 1) } here()`)
	if len(got) != 1 || !strings.HasPrefix(got[0], "log: Trace: x 1\n    at here") ||
		strings.Contains(got[0], "native") {
		t.Errorf("got %q", got)
	}
}

// Timers read the loop's clock.
func TestTimers(t *testing.T) {
	r := webapitest.New(t, Install, func(h *host.Host) {
		_ = h.Runtime().Set("sleep", func(ms int) any {
			p, resolve, _ := h.Runtime().NewPromise()
			h.Scope().SetTimer(time.Duration(ms)*time.Millisecond, false, func() { _ = resolve(nil) })
			return p
		})
	})
	r.Eval(`console.time(); console.time(); await sleep(1500); console.timeLog("default", {a: 1}); ` +
		`await sleep(60000); console.timeEnd(); console.timeEnd()`)
	want := "warn: Timer 'default' already exists|log: default: 1.500s { a: 1 }|log: default: 1:01.500 " +
		"(m:ss.mmm)|warn: Timer 'default' does not exist"
	if got := strings.Join(r.Logs, "|"); got != want {
		t.Errorf("got %s", got)
	}
}

// An entry has its colours beside the plain text.
func TestEntry(t *testing.T) {
	var entries []host.ConsoleLine
	r := webapitest.New(t, Install, func(h *host.Host) {
		h.Log = func(e host.ConsoleLine) {
			entries = append(entries,
				e)
		}
	})
	r.Eval(`console.warn("n:", 1, null); console.log("plain")`)
	if len(entries) != 2 || entries[0].Text != "n: 1 null" ||
		entries[0].Coloured != "n: \x1b[33m1\x1b[39m \x1b[1mnull\x1b[22m" ||
		entries[0].Level != host.LevelWarn || entries[0].Scope != r.Scope || entries[1].Coloured != "" {
		t.Errorf("got %+v", entries)
	}
}
