package bundle

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var hostModules = []VirtualModule{
	{Name: "cloudflare:workers", Exports: []string{"DurableObject", "env"}},
	{Name: "node:fs"},
	{Name: "node:path"},
	{Name: "@cloudflare-boilerplate/do-queue"},
}

func hostOptions(o *Options) {
	o.Virtual = hostModules
	o.NodeCompat = true
}

func fillHost(h *host) {
	h.modules["cloudflare:workers"] = map[string]any{"DurableObject": "DO", "env": "ENV"}
	h.modules["node:fs"] = map[string]any{"default": map[string]any{"readFileSync": "read"}, "readFileSync": "read"}
	h.modules["node:path"] = map[string]any{"default": map[string]any{"sep": "/"}, "sep": "/"}
	h.modules["@cloudflare-boilerplate/do-queue"] = map[string]any{"Queue": "Q", "a b": "odd"}
}

func TestVirtualImports(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"named", `import { DurableObject, env as e } from "cloudflare:workers"; export default DurableObject + e`,
			"DOENV"},
		{"namespace", `import * as w from "cloudflare:workers"; export default w.DurableObject + w.nothing`,
			"DOundefined"},
		{"default", `import fs, { readFileSync } from "node:fs"; export default fs.readFileSync + readFileSync`,
			"readread"},
		{"default and namespace",
			`import fs, * as all from "node:fs"; export default fs.readFileSync + all.readFileSync`, "readread"},
		{"side effect", `import "node:fs"; export default 1`, "1"},
		{"bare builtin", `import { sep } from "path"; import p from "node:path"; export default sep + p.sep`, "//"},
		{"not in node_modules",
			`import { Queue, "a b" as odd } from "@cloudflare-boilerplate/do-queue"; export default Queue + odd`,
			"Qodd"},
		{"require", `const fs = require("fs"), w = require("cloudflare:workers"); ` +
			`module.exports = fs.readFileSync + w.env`, "readENV"},
		{"require in a package", `import cjs from "cjs"; import { sep } from "cjs"; export default cjs.read + sep`,
			"read/"},
		{"dynamic", `export default import("node:fs").then((m) => m.readFileSync)`, "read"},
		{"dynamic computed",
			`const name = ["node", "fs"].join(":"); export default import(name).then((m) => m.readFileSync)`, "read"},
		{"dynamic unknown", `export default import("node:nope").catch((e) => "caught " + String(e).includes("nope"))`,
			"caught true"},
		{"same name in two files",
			`import { env } from "cloudflare:workers"; import { x } from "./dep"; export default env + x`, "ENVENV"},
		{"required but not reached", `import maybe from "maybe"; export default maybe()`, "no optional"},
		{"dynamic of a bundled file", `export default import("./dep").then((m) => m.x)`, "ENV"},
		{"alias to a virtual module", `import { sep } from "paths"; export default sep`, "/"},
		{"builtin name with slash is a package", `import p from "path/"; export default p`, "package"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := build(t, map[string]string{
				"index.js": test.code,
				"dep.js":   `import { env } from "cloudflare:workers"; export const x = env;`,
				"node_modules/cjs/index.js": `exports.read = require("fs").readFileSync; exports.sep = ` +
					`require("node:path").sep;`,
				"node_modules/maybe/index.js": `module.exports = () => { ` +
					`try { return require("node:nope") } catch { return "no optional" } }`,
				"node_modules/path/index.js":     `module.exports = "package"`,
				"node_modules/path/package.json": `{"main":"index.js"}`,
			}, hostOptions, func(o *Options) { o.Alias = map[string]string{"paths": "node:path"} })
			h, err := start(t, b, fillHost)
			if err != nil {
				t.Fatalf("%v\n%s", err, b.Source)
			}
			if got := settle(h.get(t, "default")); got != test.want {
				t.Errorf("got %q, want %q\n%s", got, test.want, b.Source)
			}
		})
	}
}

func TestVirtualReexports(t *testing.T) {
	b := build(t, map[string]string{
		"index.js": `export { DurableObject as Base, env } from "cloudflare:workers"; export * as fs from "node:fs"; ` +
			`export * from "./dep"; export * from "node:path"; export default 1`,
		"dep.js": `export const own = 2;`,
	}, hostOptions)
	h, err := start(t, b, fillHost)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Source)
	}
	if diff := cmp.Diff([]string{"Base", "default", "env", "fs", "own"}, b.Exports); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"node:path"}, b.Stars); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"cloudflare:workers", "node:fs", "node:path"}, b.Imports); diff != "" {
		t.Error(diff)
	}
	if got := h.get(t, "Base").String() + h.get(t, "env").String() + h.get(t, "own").String(); got != "DOENV2" {
		t.Errorf("got %q", got)
	}
	if got := h.stars[0].Get("sep").String(); got != "/" {
		t.Errorf("star export: %q", got)
	}
}

// TestVirtualMissing covers imports that can't be satisfied: reported at build time, at the user's place (RT8).
func TestVirtualMissing(t *testing.T) {
	tests := []struct {
		name, code       string
		options          func(*Options)
		text, suggestion string
		line             int
	}{
		{"node without the flag",
			"\nimport { AsyncLocalStorage } from 'node:async_hooks';\nexport default AsyncLocalStorage", nil,
			`No such module "node:async_hooks".`, `add "nodejs_compat" to compatibility_flags`, 2},
		{"unknown scheme module", `import x from "cloudflare:nope"; export default x`, hostOptions,
			`No such module "cloudflare:nope".`, "there are cloudflare:workers", 1},
		{"missing name", "import { env,\n Nope } from 'cloudflare:workers'; export default Nope", hostOptions,
			"The requested module 'cloudflare:workers' does not provide an export named 'Nope'",
			"it exports DurableObject, env", 1},
		{"missing default", `import w from "cloudflare:workers"; export default w`, hostOptions,
			"The requested module 'cloudflare:workers' does not provide an export named 'default'",
			`use import * as name from "cloudflare:workers"`, 1},
		{"bare builtin without the flag", `import fs from "fs"; export default fs`, nil, `Could not resolve "fs"`,
			`add "nodejs_compat" to compatibility_flags`, 1},
		{"service worker", `import "node:fs"; addEventListener("fetch", () => {})`, hostOptions,
			`Unexpected import of "node:fs" in service-worker format`, "", 1},
		{"package", `import x from "left-pad"; export default x`, hostOptions, `Could not resolve "left-pad"`, "", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var options []func(*Options)
			if test.options != nil {
				options = append(options, test.options)
			}
			_, err := tryBuild(t, map[string]string{"index.js": test.code}, options...)
			var failure *BuildError
			if !errors.As(err, &failure) {
				t.Fatalf("got %v", err)
			}
			m := failure.Messages[0]
			if m.Text != test.text || !strings.HasPrefix(m.Suggestion, test.suggestion) || m.Line != test.line ||
				filepath.Base(m.File) != "index.js" {
				t.Errorf("got %+v", m)
			}
		})
	}
}

// TestVirtualMissingAtRunTime covers a host that doesn't tell its exports beforehand.
func TestVirtualMissingAtRunTime(t *testing.T) {
	b := build(t, map[string]string{"index.js": `import { nope } from "node:fs"; export default nope`}, hostOptions)
	_, err := start(t, b, fillHost)
	if want := "The requested module 'node:fs' does not provide an export named 'nope'"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
