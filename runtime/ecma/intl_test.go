package ecma

import (
	"encoding/json"
	"os"
	"testing"
)

// The table holds V8's own answers in zone UTC (RT4, RT7, GJ5): Intl, the locale methods, Date's texts and Date.parse.
func TestIntlAgainstV8(t *testing.T) {
	text, err := os.ReadFile("testdata/intl.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]string
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	e := newEngine(t)
	for _, row := range rows {
		v, err := e.eval(t, "intl.js", "(function(){ try { return String("+row[0]+") } catch (e) { return e.name + ': ' + e.message } })()", true)
		if err != nil {
			t.Errorf("%s: %v", row[0], err)
		} else if v.String() != row[1] {
			t.Errorf("%s\n got %s\nwant %s", row[0], v, row[1])
		}
	}
}
