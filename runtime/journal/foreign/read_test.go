package foreign_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"eddy/runtime/journal"
	"eddy/runtime/journal/foreign"
)

var update = flag.Bool("foreign.update", false, "write what Read makes of testdata into it")

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// Each file of testdata has a text and what Read makes of it.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(text)
			o := foreign.Options{Queue: "jobs", BatchSize: 3, Now: now}
			var in, want string
			var kept []txtar.File
			for _, f := range a.Files {
				switch f.Name {
				case "queue":
					o.Queue = strings.TrimSpace(string(f.Data))
				case "in":
					in = string(f.Data)
				case "out":
					want = string(f.Data)
					continue
				}
				kept = append(kept, f)
			}
			got := shown(t, in, o)
			follow(t, got)
			if *update {
				a.Files = append(kept, txtar.File{Name: "out", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("made of it:\n%s\nexpected:\n%s", got, want)
			}
		})
	}
}

// schema is the one of captures that the documentation shows.
var schema = sync.OnceValue(func() *jsonschema.Schema {
	return jsonschema.NewCompiler().MustCompile("../../../docs/replay.schema.json")
})

// follow fails the test unless the lines of a text that are JSON follow the schema.
func follow(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
		} else if err := schema().Validate(v); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// shown is what Read makes of a text, as text. Every line is one that replay reads.
func shown(t *testing.T, in string, o foreign.Options) string {
	t.Helper()
	made, err := foreign.Read("in", strings.NewReader(in), o)
	if err != nil {
		return err.Error() + "\n"
	}
	var b bytes.Buffer
	for _, line := range made.Lines {
		text, err := line.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := journal.ParseLine(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		b.Write(text)
	}
	for _, left := range made.Left {
		fmt.Fprintln(&b, left)
	}
	fmt.Fprintf(&b, "%d others\n", made.Others)
	return b.String()
}

func TestReadRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"": "in is empty", " \n": "in is empty", "\xff\xfe[\x001\x00]\x00": "in is in UTF-16: write it again as UTF-8",
	} {
		if _, err := foreign.Read("in", strings.NewReader(in), foreign.Options{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, expected %s", in, err, want)
		}
	}
}

// Whatever a text holds, lines that come of it are lines of a capture, and a part that is left out has a reason.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			f.Add(string(file.Data))
		}
	}
	f.Fuzz(func(t *testing.T, in string) {
		o := foreign.Options{Queue: "jobs", Now: now}
		if first, again := shown(t, in, o), shown(t, in, o); first != again {
			t.Errorf("the same text makes other lines:\n%s\n%s", first, again)
		}
	})
}
