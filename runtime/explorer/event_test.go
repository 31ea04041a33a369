package explorer

import (
	"strings"
	"testing"
	"time"
)

// The filter bar selects what its words say, and says what it cannot read.
func TestQuery(t *testing.T) {
	rows := map[string]EventRow{
		"fast": {Title: "GET /", Worker: "w", Kind: "fetch", Took: time.Millisecond},
		"slow": {Title: "GET /slow", Worker: "w", Kind: "fetch", Took: 200 * time.Millisecond, Failed: true},
		"first": {Title: "QUEUE jobs", Worker: "w", Kind: "queue", Queue: "jobs", attempt: 1,
			Messages: []string{"ab12"}},
		"again": {Title: "QUEUE jobs", Worker: "w", Kind: "queue", Queue: "jobs", attempt: 2, Failed: true,
			Errors: []ErrorLine{{Name: "TypeError", Message: "No City"}}},
		"alarm": {Title: "ALARM", Worker: "v", Kind: "alarm", Object: "v-Cart ann", Logs: []LogLine{{"log", "Rang"}}},
	}
	for q, want := range map[string]string{
		"":                            "again alarm fast first slow",
		"error":                       "again slow",
		"ok":                          "alarm fast first",
		"queue:jobs":                  "again first",
		"queue:jobs error attempt:>1": "again",
		"attempt:1":                   "first", "attempt:<=2": "again first",
		"dur:>100": "slow", "dur:<100 kind:fetch": "fast", "dur:>=200": "slow", "dur:=1": "fast",
		"worker:v": "alarm", "object:ann": "alarm", "message:ab": "first", "kind:queue": "again first",
		"no city": "again", "typeerror: no": "again", "RANG": "alarm", "a:b": "",
	} {
		match, err := parseQuery(q)
		if err != nil {
			t.Errorf("%q: %v", q, err)
			continue
		}
		var got []string
		for _, name := range []string{"again", "alarm", "fast", "first", "slow"} {
			row := rows[name]
			if match(&row) {
				got = append(got, name)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q selects %q, want %q", q, s, want)
		}
	}
	for _, q := range []string{"dur:", "dur:x", "attempt:<>1", "dur:>1ms"} {
		if _, err := parseQuery(q); err == nil {
			t.Errorf("%q is read", q)
		}
	}
}

func FuzzQuery(f *testing.F) {
	f.Add("queue:jobs error attempt:>1 dur:>100")
	f.Fuzz(func(t *testing.T, q string) {
		if match, err := parseQuery(q); err == nil {
			match(&EventRow{Queue: "jobs", attempt: 2})
		}
	})
}
