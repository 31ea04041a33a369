package jsregexp

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// exec runs a pattern over text and renders the group bounds as the table has them.
func exec(pattern, flags, text []uint16) string {
	f, ok := ParseFlags(string(utf16.Decode(flags)))
	if !ok {
		return `"ERR flags"`
	}
	p, err := Compile(pattern, f)
	if err != nil {
		b, _ := json.Marshal("ERR " + err.Error())
		return string(b)
	}
	ascii := make([]byte, 0, len(text))
	for _, u := range text {
		if u < utf8.RuneSelf {
			ascii = append(ascii, byte(u))
		}
	}
	var caps []int32
	if len(ascii) == len(text) {
		caps, err = p.MatchASCII(ascii, 0, f.Sticky, nil)
		wide, _ := p.MatchUTF16(text, 0, f.Sticky, nil)
		if fmt.Sprint(wide) != fmt.Sprint(caps) {
			return "bytes and units differ"
		}
	} else {
		caps, err = p.MatchUTF16(text, 0, f.Sticky, nil)
	}
	if err != nil {
		return err.Error()
	}
	if caps == nil {
		return "null"
	}
	s := "["
	for i := 0; i < len(caps); i += 2 {
		if i > 0 {
			s += ","
		}
		if caps[i] < 0 {
			s += "null"
		} else {
			s += fmt.Sprintf("[%d,%d]", caps[i], caps[i+1])
		}
	}
	return s + "]"
}

// decode reads a JSON string with lone surrogates kept.
func decode(t testing.TB, raw json.RawMessage) []uint16 {
	t.Helper()
	var out []uint16
	for i := 1; i < len(raw)-1; {
		if raw[i] != '\\' {
			r, n := utf8.DecodeRune(raw[i:])
			out = utf16.AppendRune(out, r)
			i += n
			continue
		}
		if raw[i+1] == 'u' {
			var u uint16
			if _, err := fmt.Sscanf(string(raw[i+2:i+6]), "%x", &u); err != nil {
				t.Fatal(err)
			}
			out = append(out, u)
			i += 6
			continue
		}
		var s string
		if err := json.Unmarshal([]byte(`"`+string(raw[i:i+2])+`"`), &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, uint16(s[0]))
		i += 2
	}
	return out
}

// The tables hold V8's own answers: bounds of every group, or the reason of the SyntaxError (GJ3, RT4); and for
// properties the number of characters and a checksum over them. standard.json goes through the clauses of the standard;
// standard.mjs beside it says what each row is about.
func TestAgainstV8(t *testing.T) {
	for _, table := range []string{"v8.json", "standard.json"} {
		t.Run(table, func(t *testing.T) { checkTable(t, "testdata/"+table) })
	}
}

func checkTable(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][4]json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if string(row[0]) == `"PROP"` {
			checkProperty(t, string(utf16.Decode(decode(t, row[1]))), string(row[2]), string(row[3]))
			continue
		}
		if got := exec(decode(t, row[0]), decode(t, row[1]), decode(t, row[2])); got != string(row[3]) {
			t.Errorf("/%s/%s on %s\n got %s\nwant %s", row[0], row[1], row[2], got, row[3])
		}
	}
}

func checkProperty(t *testing.T, name, count, sum string) {
	p, err := Compile(utf16.Encode([]rune(`\p{`+name+`}`)), Flags{Unicode: true})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	n, h := 0, uint32(0)
	for r := rune(0); r <= maxRune; r++ {
		if p.first.takes(r) {
			n++
			h = h*31 + uint32(r)
		}
	}
	if fmt.Sprint(n) != count || fmt.Sprint(h) != sum {
		t.Errorf("%s: %d characters (sum %d), want %s (%s)", name, n, h, count, sum)
	}
}
