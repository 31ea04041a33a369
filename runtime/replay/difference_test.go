package replay

import (
	"fmt"
	"testing"
)

// What differs is named by its path; what is the same, or nothing on both sides, is not.
func TestValues(t *testing.T) {
	for _, c := range []struct{ want, got, text string }{
		{`{"a":1,"b":[1,2]}`, `{"b":[1,2],"a":1}`, `[]`},
		{`{"a":{"b c":[1,{"d":2}]}}`, `{"a":{"b c":[1,{"d":3}]}}`, `[{ x.a["b c"][1].d 2 3}]`},
		{`[1,2]`, `[1]`, `[{ x[1] 2 }]`},
		{`{"a":null}`, `{}`, `[]`},
		{`{"a":[1]}`, `{"a":{"0":1}}`, `[{ x.a [1] {"0":1}}]`},
		{`12345678901234567890`, `12345678901234567891`, `[{ x 12345678901234567890 12345678901234567891}]`},
	} {
		if got := fmt.Sprint(values("", "x", decode([]byte(c.want)), decode([]byte(c.got)))); got != c.text {
			t.Errorf("%s and %s: %s, want %s", c.want, c.got, got, c.text)
		}
	}
}
