package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestService(t *testing.T) {
	for _, dsn := range []string{"", filepath.Join(t.TempDir(), "jobs.db")} {
		var out bytes.Buffer
		if err := run(t.Context(), dsn, &out); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		slices.Sort(lines)
		if got, want := strings.Join(lines,
			"\n"), "dead: {\"id\":\"18\",\"items\":0}\nmail: order 17 is on its way"; got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", dsn, got, want)
		}
	}
}
