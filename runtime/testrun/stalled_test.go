package testrun

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime/testrun/vitest"
)

// What a test or hook waits for when nothing is left is named by its own place, in whatever file that is, and each test
// has its own alone.
func TestStalledIsNamed(t *testing.T) {
	dir, err := filepath.Abs("testdata/stalled")
	if err != nil {
		t.Fatal(err)
	}
	result := runStalled(t, dir, "stalled.test.js")
	const (
		event = "It waits at never.js:2:3: " +
			"await new Promise((resolve) => target.addEventListener(\"open\", resolve));"
		handler = "It waits at worker.js:3:5: await new Promise(() => {});"
		all     = "It waits at stalled.test.js:27:3: await Promise.all([opened(new EventTarget()), worker.queue()]);"
	)
	want := map[string]string{
		"a promise that nobody resolves": "It waits at stalled.test.js:6:3: await new Promise(() => {});\n6",
		"a promise made elsewhere": "It waits at stalled.test.js:11:3, for the promise made at " +
			"stalled.test.js:10:9: await done;\n11",
		"an event, in another file": event + "\n2 15",
		"the Worker's own function": "It waits at worker.js:6:5, for the promise made at " +
			"stalled.test.js:19:16: await gate;\n6 19",
		"an assertion": "It waits at stalled.test.js:23:48: " +
			"await expect(new Promise(() => {})).resolves.toBe(1);\n23",
		"several":                   strings.Join([]string{event, handler, all, "2"}, "\n"),
		"a promise that it returns": "It waits for the promise that it returned.\n30",
		"is not reached":            event + "\n2 34",
		"one of two":                "It waits at stalled.test.js:40:3: await new Promise(() => {});\n40",
		"the other":                 event + "\n2 44",
	}
	expectStalled(t, result, want)
}

// What a handler, an object, a body or a context of waitUntil waits for in vain ends the test that waits for it, and is
// named too.
func TestStalledHandlerIsNamed(t *testing.T) {
	dir, err := filepath.Abs("testdata/stalled")
	if err != nil {
		t.Fatal(err)
	}
	const returned = "It waits for the promise that it returned."
	expectStalled(t, runStalled(t, dir, "handlers.test.js"), map[string]string{
		"a fetch handler": "It waits at handlers.test.js:6:3: await SELF.fetch(\"http://x/never\");\n" +
			"The fetch handler (GET /never) waits at worker.js:10:32: " +
			"if (pathname === \"/never\") await new Promise(() => {});\n6",
		"a body": "It waits at handlers.test.js:11:3: await answer.text();\n11",
		"a method of an object": returned +
			"\nThe Durable Object stalled-Node n waits at worker.js:26:5: await new Promise(() => {});\n14",
		"a service binding": returned +
			"\nThe method Methods.never waits at worker.js:20:5: await new Promise(() => {});\n18",
		"a promise of waitUntil": returned + "\n22",
	})
}

func runStalled(t *testing.T, dir, file string) *Result {
	t.Helper()
	result, err := Run(context.Background(), Options{
		Dir: dir, Files: []string{filepath.Join(dir, file)}, Seed: 7,
		Settings: vitest.Config{TestTimeout: 600_000, HookTimeout: 600_000, Update: "none"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// expectStalled compares the texts and lines of the tests that fail; the others pass.
func expectStalled(t *testing.T, result *Result, want map[string]string) {
	t.Helper()
	result.Files[0].Tests(func(_ []string, k *Task) {
		if _, fails := want[k.Name]; !fails && k.State == Passed {
			return
		}
		if len(k.Errors) != 1 {
			t.Errorf("%s: %s, %d errors", k.Name, k.State, len(k.Errors))
			return
		}
		e := k.Errors[0]
		var lines []string
		for _, f := range e.Frames {
			lines = append(lines, fmt.Sprint(f.Line))
		}
		got := e.Message + "\n" + strings.Join(lines, " ")
		if w := stalledText + "\n" + want[k.Name]; got != w {
			t.Errorf("%s:\n%s\nexpected\n%s", k.Name, got, w)
		}
		delete(want, k.Name)
	})
	if len(want) > 0 {
		t.Errorf("not run: %v", want)
	}
}
