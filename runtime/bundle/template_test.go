package bundle

import "testing"

func TestTaggedTemplates(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"same object per place", "const tag = (s) => s; const f = () => tag`a${1}`, g = () => tag`a${1}`; export " +
			"default [f() === f(), f() === g(), Object.isFrozen(f()), Object.isFrozen(f().raw)].join()",
			"true,false,true,true"},
		{"values and this", "const o = { p: '!', tag(s, ...v) { return s.join('|') + v.join() + this.p } }; export " +
			"default o.tag`a${1}b${(2, 3)}c` + o['tag']`x${`n${4}`}`", "a|b|c1,3!x|n4!"},
		{"chained", "const tag = (s) => (u) => s[0] + u[0]; export default tag`a``b`", "ab"},
		{"nested", "const tag = (s, ...v) => s.join('-') + v.join(); export default tag`a${tag`b${1}c`}d`", "a-db-c1"},
		{"raw and cooked", "const tag = (s) => s[0] + s.raw[0]; export default tag`\\n\\u{41}\\x42\\\\`",
			"\nAB\\" + `\n\u{41}\x42\\`},
		{"malformed escapes",
			"const tag = (s) => String(s[0]) + s.raw[0] + String(s[1]); export default tag`\\u{}${1}\\xz`",
			`undefined\u{}undefined`},
		{"lines", "const tag = (s) => s[0].length + s[1].split('\\n').length + s.raw[1]; export default tag`a\n" +
			"${1}\\\nb\n`", "4\\\nb\n"},
		{"untagged stays", "const x = 1; export default (() => { return `a${x}` })() + typeof `b` + [`c`][0]",
			"a1stringc"},
		{"construct", "const tag = (s) => class { v = s[0] }; export default new tag`x`().v", "x"},
		{"String.raw", "export default String.raw`a\\n${1}`", `a\n1`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := run(t, map[string]string{"index.js": test.code}); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
