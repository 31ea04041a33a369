//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var watchProject = map[string]string{
	"wrangler.jsonc": `{ "name": "app", "main": "index.js", "compatibility_date": "2026-08-04" }`,
	"index.js":       `export default { fetch: () => new Response("hi") };`,
	"value.js":       `export const value = 1;`,
	"one.test.js": `import { expect, it } from "vitest"; import { value } from "./value";
it("is one", () => { expect(value).toBe(1); });
it("is small", () => { expect(value).toMatchInlineSnapshot("1"); });`,
	"two.test.js": `import { expect, it } from "vitest"; it("adds", () => { expect(1 + 1).toBe(2); });`,
}

// TestWatch is eddy test on a terminal: files run again when what they import changes, keys do what vitest's do
// (TEST-136), and only what changed is built.
func TestWatch(t *testing.T) {
	x := onTerminal(t, []string{"CI="}, watchProject, "test")
	put := func(name, text string) {
		t.Helper()
		if err := save(t.TempDir(), filepath.Join(x.cmd.Dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	x.wait(" DEV ")
	x.wait("Tests  3 passed (3)")
	x.wait("PASS  Waiting for file changes...")
	x.wait("press h to show help, press q to quit")

	// A module runs the files that import it, on an empty screen, and its failure is told.
	put("value.js", `export const value = 2;`)
	x.wait("\x1b[2J")
	x.wait("RERUN  value.js x1")
	if before := x.wait("FAIL  Tests failed. Watching for file changes..."); strings.Contains(before, "two.test.js") {
		t.Errorf("two.test.js ran: %s", before)
	}
	x.wait("press u to update snapshot")

	// Keys: only what failed; all with what failed before; snapshots are updated.
	x.press("f")
	x.wait("RERUN  rerun failed x2")
	x.wait("Tests  2 failed (2)")
	x.wait("press h")
	x.press("u")
	x.wait("RERUN  update snapshot x3")
	x.wait("Snapshots  1 updated")
	x.wait("Tests  1 failed | 1 passed (2)")
	x.wait("press h")
	// The update has changed the test file itself.
	x.wait("RERUN  one.test.js x4")
	x.wait("press h")
	text, err := os.ReadFile(filepath.Join(x.cmd.Dir, "one.test.js"))
	if err != nil || !strings.Contains(string(text), "toMatchInlineSnapshot(`2`)") {
		t.Errorf("the snapshot was not written: %s %v", text, err)
	}

	// A pattern for names of tests, one for names of files, and back.
	x.press("t")
	x.wait("? Input test name pattern (RegExp) › ")
	x.press("sma")
	x.wait("Pattern matches 1 result")
	x.press("\r")
	x.wait("RERUN  change pattern x5")
	x.wait("Test name pattern: sma")
	x.wait("Tests  1 passed | 1 skipped (2)")
	x.wait("press h")
	x.press("p")
	x.wait("? Input filename pattern › ")
	x.press("two\x7f\x7f\x7fone\r")
	x.wait("Filename pattern: one")
	x.wait("Test name pattern: sma")
	x.wait("press h")
	x.press("\r")
	x.wait("RERUN  rerun all tests")
	if text := x.wait("Tests  1 failed | 2 passed (3)"); strings.Contains(text, "pattern:") {
		t.Errorf("patterns stayed: %s", text)
	}
	x.wait("press h")

	// A file of the other: what failed stays in view.
	put("two.test.js", watchProject["two.test.js"]+"\n")
	x.wait("RERUN  two.test.js x2")
	x.wait("one.test.js (2 tests | 1 failed)")
	x.wait("Test Files  1 failed | 1 passed (2)")
	x.wait("press h")

	// A new file, one that cannot be built, and its end.
	put("three.test.js", `import { it } from "vitest"; import "./missing"; it("x", () => {});`)
	x.wait("RERUN  three.test.js x1")
	x.wait("Could not resolve")
	x.wait("press h")
	put("missing.js", ``)
	x.wait("RERUN  missing.js")
	x.wait("Tests  1 failed | 2 passed (3)")
	x.wait("press h")
	if err := os.Remove(filepath.Join(x.cmd.Dir, "three.test.js")); err != nil {
		t.Fatal(err)
	}
	x.wait("Test removed... [ three.test.js ]")

	// The configuration is read again.
	put("value.js", `export const value = 1;`)
	x.wait("press h")
	put("wrangler.jsonc", `{ "name": "app", "main": "index.js", "compatibility_date": "2026-08-04", }`)
	x.wait("Restarting due to config changes...")
	x.wait(" DEV ")
	x.wait("press h")
	x.press("h")
	x.wait("press f to rerun only failed tests")
	x.press("q")
	if err := x.cmd.Wait(); err == nil {
		t.Error("a watch in which a test has failed ends with 0")
	}
	if !x.lineEditing() {
		t.Error("the terminal was not given back")
	}
}

// TestWatchNot: eddy test runs once when it is told so, and where CI is set.
func TestWatchNot(t *testing.T) {
	for _, x := range []*terminal{
		onTerminal(t, []string{"CI="}, watchProject, "test", "--run"),
		onTerminal(t, []string{"CI=1"}, watchProject, "test"),
		onTerminal(t, []string{"CI="}, watchProject, "test", "--watch=false"),
	} {
		x.wait(" RUN ")
		x.wait("Tests  3 passed (3)")
		if err := x.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}
