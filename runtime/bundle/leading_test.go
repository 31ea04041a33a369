package bundle

import "testing"

// TestLeading: packages lead as far as nothing of the user's files runs before them.
func TestLeading(t *testing.T) {
	packages := map[string]string{
		"node_modules/p/index.js": `log("p"); export const p = () => 1`,
		"node_modules/q/index.js": `log("q"); export const q = () => 1`,
		"node_modules/c/index.js": `exports.c = 1; exports.up = () => { exports.c++ }`,
	}
	for _, c := range []struct {
		name, index, side string
		leading           int
	}{
		{"packages alone", `import { p } from "p"; import { q } from "q"; export default p() + q();`, ``, 2},
		{"a file between them", `import { p } from "p"; import "./side.js"; import { q } from "q"; ` +
			`export default p() + q();`, `globalThis.side = 1`, 1},
		{"a file before them", `import "./side.js"; import { p } from "p"; export default p();`,
			`globalThis.side = 1`, 0},
		{"a file that declares functions only", `import { side } from "./side.js"; import { p } from "p"; ` +
			`export default side() + p();`, `export function side() { return 1 } export const two = () => 2`, 1},
		{"a file with a class", `import { Side } from "./side.js"; import { p } from "p"; ` +
			`export default [new Side(), p()];`, `export class Side { static x = log("side") }`, 0},
		{"a pattern with a default", `import { x } from "./side.js"; import { p } from "p"; export default [x, p()];`,
			`export var { x = log("side") } = () => 1`, 0},
		{"modules of the host", `import { env } from "cloudflare:workers"; import { p } from "p"; ` +
			`export default [env, p()];`, ``, 1},
		{"CommonJS", `import { c, up } from "c"; import { p } from "p"; up(); export default c + p();`, ``, 2},
		{"no package", `export default 1;`, ``, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"index.js": c.index, "side.js": c.side}
			for name, text := range packages {
				files[name] = text
			}
			b := build(t, files, func(o *Options) {
				o.Apart, o.Virtual = true, []VirtualModule{{Name: "cloudflare:workers"}}
			})
			if b.Leading != c.leading {
				t.Errorf("%d lead, want %d:\n%s", b.Leading, c.leading, b.Source)
			}
		})
	}
}
