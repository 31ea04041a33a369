package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
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
		return c.file(text)
	})
}

// file wants the lines of a capture to follow the schema, but those that nothing reads.
func (c captureSchema) file(text []byte) error {
	for line := range bytes.Lines(text) {
		if _, err := journal.ParseLine(line); err != nil {
			continue
		}
		if err := c.follows(line); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	return nil
}

// Every capture in the repository follows the schema, those in the archives of tests as well.
func TestCapturesFollowTheSchema(t *testing.T) {
	c := newCaptureSchema(t)
	found := 0
	check := func(name string, text []byte) {
		if !strings.HasSuffix(name, ".replay.jsonl") {
			return
		}
		found++
		if err := c.file(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		archive := strings.HasSuffix(path, ".txtar")
		switch {
		case errors.Is(err, fs.ErrNotExist): // the test of another package has removed what it had made
			return nil
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !archive && !strings.HasSuffix(path, ".replay.jsonl"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		check(path, text)
		if archive {
			for _, f := range txtar.Parse(text).Files {
				check(path+" "+f.Name, f.Data)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 5 {
		t.Errorf("%d captures were found", found)
	}
}

// follows is nil if a line is one that the schema describes.
func (c captureSchema) follows(line []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return err
	}
	return c.schema.Validate(v)
}
