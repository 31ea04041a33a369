package dialect

import (
	"context"
	_ "embed"
	"errors"
	"strings"
	"testing"
	"time"
)

//go:embed testdata/answers.txt
var answers string

var noon = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)

// readings are seven points, as the head of testdata/answers.txt says.
var readings = Data{
	Now:    noon.Add(time.Hour + 30*time.Second),
	Tables: func() ([]string, error) { return []string{"readings"}, nil },
	Points: func(dataset string, f func(Point) bool) error {
		for i := range 7 {
			p := Point{Dataset: dataset, Time: noon.Add(time.Duration(i) * 10 * time.Minute), SampleInterval: 1,
				Index: "i"}
			p.Blobs[0], p.Doubles[0], p.Doubles[1] = string("abc"[i%3]), float64(i+1), float64(10*(i+1))
			if i == 6 {
				p.SampleInterval = 4
			}
			if !f(p) {
				break
			}
		}
		return nil
	},
}

func ask(t *testing.T, text string) (string, error) {
	t.Helper()
	st, err := Parse(text)
	if err != nil {
		return "", err
	}
	a, err := st.Run(t.Context(), readings)
	if err != nil {
		return "", err
	}
	_, body, err := a.Write()
	return string(body), err
}

// What the SQL reference documents is answered as it says, with each of its functions and operators, and what it does
// not document is refused by name.
func TestAnswers(t *testing.T) {
	var statement, want string
	n := 0
	check := func() {
		if statement == "" {
			return
		}
		n++
		got, err := ask(t, strings.TrimSuffix(strings.Split(statement, " --")[0], ";")+" FORMAT TabSeparated")
		if err != nil {
			got = "! " + err.Error() + "\n"
		}
		if got != want {
			t.Errorf("%s\ngot:\n%swant:\n%s", statement, got, want)
		}
	}
	for line := range strings.Lines(answers) {
		word, _, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "#"):
		case word == "SELECT" || word == "SHOW" || word == "DELETE" || line == "SELECT\n":
			check()
			statement, want = strings.TrimSuffix(line, "\n"), ""
		default:
			want += line
		}
	}
	check()
	if n < 60 {
		t.Errorf("only %d statements", n)
	}
}

// JSON has the columns' types, integers of 64 bits as texts and null for what is no number; JSONEachRow has the rows.
func TestFormats(t *testing.T) {
	const query = "SELECT blob1, count() AS n, max(timestamp) AS t, avg(double1) / 0 AS x, topK(double1) AS k, " +
		"max(_sample_interval) AS s FROM readings WHERE blob1 = 'b' GROUP BY blob1"
	const row = `{"blob1":"b","n":"2","t":"2026-04-01 12:40:00","x":null,"k":[2,5],"s":1}`
	for format, want := range map[string]string{
		"": `{"meta":[{"name":"blob1","type":"String"},{"name":"n","type":"UInt64"},{"name":"t","type":"DateTime"},` +
			`{"name":"x","type":"Float64"},{"name":"k","type":"Array(Float64)"},{"name":"s","type":"UInt32"}],` +
			`"data":[` +
			row + `],"rows":1}`,
		" FORMAT JSONEachRow":     row + "\n",
		" format tabseparated ; ": "b\t2\t2026-04-01 12:40:00\tinf\t[2,5]\t1\n",
	} {
		if got, err := ask(t, query+format); err != nil || got != want {
			t.Errorf("%q:\n%s, %v\nwant:\n%s", format, got, err, want)
		}
	}
	if _, err := ask(t, "SELECT 1 FORMAT CSV"); err == nil || !strings.Contains(err.Error(), "TabSeparated") {
		t.Errorf("an unknown format: %v", err)
	}
}

// A statement that nests, repeats or grows through its aliases is refused before it takes time or memory; a run ends
// with its context.
func TestBounds(t *testing.T) {
	doubling := "SELECT 1 AS a0"
	for i := range 40 {
		n := string(rune('a'+i/10)) + string(rune('0'+i%10))
		m := string(rune('a'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		doubling += ", " + n + " + " + n + " AS " + m
	}
	for name, text := range map[string]string{
		"deep":     "SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000),
		"long":     "SELECT 1" + strings.Repeat("+1", 100_000),
		"signs":    "SELECT " + strings.Repeat("- ", 5000) + "x",
		"nots":     "SELECT " + strings.Repeat("NOT ", 5000) + "1",
		"between":  "SELECT 1" + strings.Repeat(" BETWEEN 0 AND 2", 4000),
		"large":    "SELECT '" + strings.Repeat("x", 2<<20) + "'",
		"doubling": doubling,
	} {
		var m *Mistake
		if _, err := ask(t, text); !errors.As(err, &m) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	endless := readings
	endless.Points = func(_ string, f func(Point) bool) error {
		for n := 0; f(Point{}); n++ {
			if n == 5000 {
				stop()
			}
		}
		return nil
	}
	st, err := Parse("SELECT count() FROM readings")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Run(ctx, endless); !errors.Is(err, context.Canceled) {
		t.Errorf("a run without an end: %v", err)
	}
}

// Whatever comes in is answered or refused.
func FuzzStatement(f *testing.F) {
	for line := range strings.Lines(answers) {
		if strings.HasPrefix(line, "S") {
			f.Add(strings.TrimSpace(line))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		st, err := Parse(text)
		if err == nil {
			var a *Answer
			if a, err = st.Run(t.Context(), readings); err == nil {
				if _, _, err := a.Write(); err != nil {
					t.Fatal(err)
				}
				return
			}
		}
		var m *Mistake
		if !errors.As(err, &m) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
