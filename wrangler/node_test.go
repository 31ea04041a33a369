package wrangler

import (
	"math"
	"strings"
	"testing"
)

func decodeText(t *testing.T, format Language, text string) *node {
	t.Helper()
	var rep report
	src := newSource("f", text, format)
	decode := decodeJSONC
	if format == TOML {
		decode = decodeTOML
	}
	n := decode(src, &rep)
	if n == nil {
		t.Fatalf("decode %q: %v", text, rep.found)
	}
	return n
}

// TestNodeJSON: values come out as JSON.stringify writes them, whatever the format they were read from.
func TestNodeJSON(t *testing.T) {
	tests := []struct {
		format     Language
		text, want string
	}{
		{JSONC, `{ "b": [1, 2.50, -0, 1e3], /* c */ "a": { "x": null, "y": true, }, }`,
			`{"b":[1,2.5,0,1000],"a":{"x":null,"y":true}}`},
		{JSONC, `["\u00e9\n\"\\\u0001<>&", "\ud83d\ude00"]`, `["é\n\"\\\u0001<>&","😀"]`},
		{JSONC, `[1e21, 1e-7, 123456789012345680000, 0.000001]`, `[1e+21,1e-7,123456789012345680000,0.000001]`},
		{JSONC, `{ "a": 1, "a": 2 }`, `{"a":2}`},
		{TOML, "a = 0x1F\nb = 0b101\nc = 0o17\nd = 1_000\ne = +5\nf = -3.5e2\ng = inf\nh = nan\n",
			`{"a":31,"b":5,"c":15,"d":1000,"e":5,"f":-350,"g":null,"h":null}`},
		{TOML, "a = '''\nx\ny'''\nb = \"\\u00e9\\t\"\nc = 'C:\\x'\n", `{"a":"x\ny","b":"é\t","c":"C:\\x"}`},
		{TOML, "a.b.c = 1\na.b.d = 2\n[x]\ny.z = [1, [2, 3], { k = 'v', n.m = [{}] }]\n",
			`{"a":{"b":{"c":1,"d":2}},"x":{"y":{"z":[1,[2,3],{"k":"v","n":{"m":[{}]}}]}}}`},
		{TOML, "[[q.c]]\na = 1\n[q.c.sub]\nb = 2\n[[q.c]]\na = 3\n[[q.c.list]]\nd = 4\n[r]\n",
			`{"q":{"c":[{"a":1,"sub":{"b":2}},{"a":3,"list":[{"d":4}]}]},"r":{}}`},
		{TOML, "a = 2024-01-01\nb = 07:32:00\nc = 2024-01-01T00:00:00Z\n",
			`{"a":"2024-01-01","b":"07:32:00","c":"2024-01-01T00:00:00Z"}`},
		{TOML, "\"a b\".'c.d' = true\n", `{"a b":{"c.d":true}}`},
	}
	for _, test := range tests {
		if got := decodeText(t, test.format, test.text).json(); got != test.want {
			t.Errorf("%s %q\n got %s\nwant %s", test.format, test.text, got, test.want)
		}
	}
}

func TestNodePositions(t *testing.T) {
	tests := []struct {
		format       Language
		text, key    string
		line, column int
		width        int
	}{
		{JSONC, "{\n  // é\n  \"é\": 1, \"k\": \"value\"\n}", "k", 3, 16, 7},
		{TOML, "\"é\" = 1\nk = [\n  1,\n]\n", "k", 2, 5, 1},
		{TOML, "a = 1\r\nk = 'v'\r\n", "k", 2, 5, 3},
		{TOML, "[k]\nx = 1\n", "k", 1, 2, 1},
		{TOML, "k.x = 1\n", "k", 1, 1, 1},
	}
	for _, test := range tests {
		n := decodeText(t, test.format, test.text).get(test.key)
		d := at(newSource("f", test.text, test.format), n.span, Error, "", "")
		if d.Line != test.line || d.Column != test.column || d.Width != test.width {
			t.Errorf("%q: %d:%d width %d, want %d:%d width %d", test.text, d.Line, d.Column, d.Width, test.line,
				test.column, test.width)
		}
	}
}

func TestSourceOffsets(t *testing.T) {
	src := newSource("f", "aé\r\n😀b\n\nlast", JSONC)
	for offset := range len(src.text) + 1 {
		pos := src.pos(offset)
		back := src.offsetOf(pos)
		// Inside of a character the position is that of the next one.
		if back < offset || back-offset > 3 {
			t.Errorf("offset %d is %s, and that is offset %d", offset, pos, back)
		}
	}
	long := newSource("f", strings.Repeat("é", 1000)+"x", JSONC)
	if pos := long.pos(2000); pos.Column != 1001 || long.offsetOf(pos) != 2000 {
		t.Errorf("the end of a long line is %s", pos)
	}
	for _, offset := range []int{-5, 1 << 20} {
		if pos := src.pos(offset); !pos.IsValid() {
			t.Errorf("offset %d has no position", offset)
		}
	}
	if got := (Pos{}).String() + " " + (Pos{File: "f", Line: 2, Column: 3}).String(); got != "- f:2:3" {
		t.Errorf("positions print as %q", got)
	}
}

func TestFormatNumber(t *testing.T) {
	tests := []struct {
		in   float64
		want string
	}{{0, "0"}, {math.Copysign(0, -1), "0"}, {1.5, "1.5"}, {1e20, "100000000000000000000"}, {1e21, "1e+21"},
		{1.5e-9, "1.5e-9"}, {1e100, "1e+100"}, {math.Inf(1), "null"}}
	for _, test := range tests {
		if got := formatNumber(test.in); got != test.want {
			t.Errorf("%g: %s, want %s", test.in, got, test.want)
		}
	}
}
