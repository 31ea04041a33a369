package bundle

import (
	"errors"
	"strings"
	"testing"
)

// TestCheckPlace reports what the engine's parser refuses at the user's place.
func TestCheckPlace(t *testing.T) {
	tests := []struct {
		name, code   string
		text         string
		line, column int
	}{
		{"import defer", "export default 1;\nimport defer * as x from 'node:fs'; x.y;",
			"import defer is not supported; use import", 2, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := tryBuild(t, map[string]string{"index.js": test.code}, hostOptions)
			var failure *BuildError
			if !errors.As(err, &failure) {
				t.Fatalf("got %v", err)
			}
			m := failure.Messages[0]
			if !strings.Contains(m.Text, test.text) || m.Line != test.line || m.Column != test.column {
				t.Errorf("got %+v", m)
			}
		})
	}
}

// Every regular expression that no engine takes is reported, at the user's place.
func TestCheckRegExp(t *testing.T) {
	_, err := tryBuild(
		t, map[string]string{"index.js": "const a = () => /[b]/d;\nexport default [a,\n  () => /(?<n>/u, /(?<n>/ ];"},
		func(o *Options) {
			o.CheckRegExp = func(source, flags string) error {
				if source == "[b]" {
					return nil
				}
				return errors.New("no /" + source + "/" + flags)
			}
		})
	var failure *BuildError
	if !errors.As(err, &failure) || len(failure.Messages) != 2 {
		t.Fatalf("got %v", err)
	}
	if m := failure.Messages[0]; m.Text != "no /(?<n>/u" || m.Line != 3 || m.Column != 9 ||
		m.LineText != "  () => /(?<n>/u, /(?<n>/ ];" {
		t.Errorf("got %+v", m)
	}
}

func TestCheckRefusal(t *testing.T) {
	source := "(async function () {\nlet a = 1;\nlet = ;\n})"
	data := []byte(`{"version":3,"sources":["a.js"],"sourcesContent":["let a = 1;\nlet = ` +
		`;"],"names":[],"mappings":"AAAA;AACA,MAAM"}`)
	program, failures := check(source, &SourceMap{json: data, dir: "/dir", lines: 1})
	if program != nil || len(failures) != 1 {
		t.Fatalf("program %v, failures %+v", program != nil, failures)
	}
	m := failures[0]
	if m.File != "/dir/a.js" || m.Line != 2 || m.LineText != "let = ;" ||
		!strings.HasPrefix(m.Text, "The engine can't run this syntax: ") {
		t.Errorf("got %+v", m)
	}
	if _, failures = check("(", &SourceMap{json: []byte(`{"version":3}`)}); len(failures) != 1 ||
		!strings.Contains(failures[0].Text, "generated code") {
		t.Errorf("got %+v", failures)
	}
}
