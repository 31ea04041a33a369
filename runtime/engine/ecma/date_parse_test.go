package ecma

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Date.parse answers as V8 does, also to what is no date.
func TestDateParse(t *testing.T) {
	file, err := os.Open("testdata/dates.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if !strings.HasPrefix(line, `"`) {
			continue
		}
		n++
		at := strings.LastIndexByte(line, ' ')
		var text string
		if err := json.Unmarshal([]byte(line[:at]), &text); err != nil {
			t.Fatal(line, err)
		}
		got := "NaN"
		if f := parseDate(text); !math.IsNaN(f) {
			got = strconv.FormatFloat(f, 'f', -1, 64)
		}
		if want := line[at+1:]; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if n < 700 {
		t.Error(n, "dates")
	}
}
