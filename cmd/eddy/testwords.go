package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"eddy/runtime/testrun"
)

// words takes the first filter for a command of vitest's, if it is one (TEST-132), and gives the filters.
func (f *testFlags) words(ctx context.Context, filters []string, dir string) ([]string, error) {
	if len(filters) == 0 {
		return nil, f.listOnly()
	}
	if f.changed == uncommitted && isCommit(ctx, dir, filters[0]) {
		f.changed, filters = filters[0], filters[1:] // as vitest reads --changed COMMIT
		return f.words(ctx, filters, dir)
	}
	switch word, rest := filters[0], filters[1:]; word {
	case "run":
		f.once = true
		return rest, f.listOnly()
	case "watch", "dev":
		f.watchWord = true
		return rest, f.listOnly()
	case "list":
		f.list, f.once = true, true
		return rest, nil
	case "related":
		f.related, f.passWithNone = []string{}, true
		for _, file := range rest {
			if !filepath.IsAbs(file) {
				file = filepath.Join(dir, file)
			}
			f.related = append(f.related, file)
		}
		return nil, f.listOnly()
	}
	return filters, f.listOnly()
}

// listOnly refuses the flags of list elsewhere.
func (f *testFlags) listOnly() error {
	for _, flag := range []string{"json", "files-only"} {
		if f.given(flag) {
			return usage("--%s belongs to \"eddy test list\"; a run has --reporter=json", flag)
		}
	}
	return nil
}

// listed is a line of eddy test list, or an element of its JSON.
type listed struct {
	Name    string `json:"name,omitempty"`
	File    string `json:"file"`
	Project string `json:"projectName,omitempty"`
}

// listing shows what would run: the tests, or their files (TEST-132).
func (p *testPasses) listing(ctx context.Context, files []string) error {
	list := []listed{}
	if p.flags.filesOnly {
		for _, o := range p.projects {
			for _, file := range o.Files {
				list = append(list, listed{File: file, Project: o.Name})
			}
		}
	} else {
		result, err := p.suite.Run(ctx, testrun.Selection{Files: files, List: true})
		if err != nil {
			return asFailure(err)
		}
		failed := false
		for _, file := range result.Files {
			for _, e := range file.Errors {
				failed = true
				fmt.Fprintf(p.env.Stderr, "%s: %s: %s\n", file.Name, cmp.Or(e.Name, "Error"), e.Message)
			}
			file.Tests(func(path []string, t *testrun.Task) {
				if t.Mode == "run" {
					name := strings.Join(append(append([]string{}, path...), t.Name), " > ")
					list = append(list, listed{name, file.Path, file.Project})
				}
			})
		}
		if failed {
			return &exitError{code: exitFailure}
		}
	}
	if p.flags.given("json") {
		return p.listJSON(list)
	}
	for _, l := range list {
		name, err := filepath.Rel(p.root, l.File)
		if err != nil {
			name = l.File
		}
		if name = filepath.ToSlash(name); l.Project != "" {
			name = "[" + l.Project + "] " + name
		}
		if l.Name != "" {
			name += " > " + l.Name
		}
		fmt.Fprintln(p.env.Stdout, name)
	}
	return nil
}

// listJSON writes the list to stdout, or to the file that --json names.
func (p *testPasses) listJSON(list []listed) error {
	write := func(to io.Writer) error {
		e := json.NewEncoder(to)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(list)
	}
	path := p.flags.listTo
	if path == "true" {
		return write(p.env.Stdout)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.root, path)
	}
	file, err := createReport(path)
	if err != nil {
		return asFailure(err)
	}
	return errors.Join(write(file), file.Close())
}
