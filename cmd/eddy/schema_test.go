package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"eddy/runtime/journal"
)

// captureSchema is the schema of captures that the documentation shows.
type captureSchema struct{ schema *jsonschema.Schema }

func newCaptureSchema(t *testing.T) captureSchema {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "replay.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return captureSchema{schema}
}

// command wants each line of what a command has written to follow the schema of captures.
func (c captureSchema) command(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		text := ts.ReadFile(name)
		if text == "" {
			ts.Fatalf("%s has no lines", name)
		}
		for line := range strings.Lines(text) {
			ts.Check(c.follows([]byte(line)))
		}
	}
}

// left wants the lines of all captures that a script has left in dir to follow the schema, but those that
// nothing reads: they are cut or damaged on purpose.
func (c captureSchema) left(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".replay.jsonl") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(text) {
			if _, err := journal.ParseLine(line); err != nil {
				continue
			}
			if err := c.follows(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// follows is nil if a line is one that the schema describes.
func (c captureSchema) follows(line []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return err
	}
	return c.schema.Validate(v)
}
