package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"eddy/runtime/testrun/coverage"
)

// coverageFlags are those of coverage, named as vitest names them (TEST-133, TEST-137).
type coverageFlags struct {
	enabled                     bool
	provider, dir               string
	include, exclude, reporters []string
	thresholds                  coverage.Thresholds
}

func (f *coverageFlags) add(fl *pflag.FlagSet) {
	fl.BoolVar(&f.enabled, "coverage", false, "count which lines, statements, functions and branches run")
	fl.StringVar(&f.provider, "coverage.provider", "istanbul", "v8 or istanbul: eddy counts itself, as istanbul does")
	fl.StringArrayVar(&f.include, "coverage.include", nil, "count the files that match a `glob`, imported or not; "+
		"may be repeated")
	fl.StringArrayVar(&f.exclude, "coverage.exclude", nil, "leave out files that match a `glob`; may be repeated")
	fl.StringArrayVar(&f.reporters, "coverage.reporter", nil, "how to report coverage: "+
		strings.Join(coverage.Reporters(), ", ")+"; may be repeated")
	fl.StringVar(&f.dir, "coverage.reports-directory", "coverage", "`directory` of the reports")
	fl.Float64Var(&f.thresholds.Lines, "coverage.thresholds.lines", 0, "fail below so many `percent` of lines")
	fl.Float64Var(&f.thresholds.Statements, "coverage.thresholds.statements", 0, "fail below so many `percent` of "+
		"statements")
	fl.Float64Var(&f.thresholds.Functions, "coverage.thresholds.functions", 0, "fail below so many `percent` of "+
		"functions")
	fl.Float64Var(&f.thresholds.Branches, "coverage.thresholds.branches", 0, "fail below so many `percent` of branches")
}

// configure takes over what a configuration of tests says and the command line does not name.
func (f *coverageFlags) configure(text json.RawMessage, given func(flag string) bool) error {
	if len(text) == 0 {
		return nil
	}
	var c struct {
		Enabled    bool            `json:"enabled"`
		Include    json.RawMessage `json:"include"`
		Exclude    json.RawMessage `json:"exclude"`
		Reporter   json.RawMessage `json:"reporter"`
		Dir        string          `json:"reportsDirectory"`
		Thresholds struct {
			Lines      float64 `json:"lines"`
			Statements float64 `json:"statements"`
			Functions  float64 `json:"functions"`
			Branches   float64 `json:"branches"`
			All        bool    `json:"100"`
		} `json:"thresholds"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return fmt.Errorf("coverage in the configuration of tests: %w", err)
	}
	if !given("coverage") {
		f.enabled = c.Enabled
	}
	for _, x := range []struct {
		flag string
		to   *[]string
		text json.RawMessage
	}{{"coverage.include", &f.include, c.Include}, {"coverage.exclude", &f.exclude, c.Exclude},
		{"coverage.reporter", &f.reporters, c.Reporter}} {
		if !given(x.flag) {
			*x.to = names(x.text)
		}
	}
	if !given("coverage.reports-directory") && c.Dir != "" {
		f.dir = c.Dir
	}
	t := coverage.Thresholds{Lines: c.Thresholds.Lines, Statements: c.Thresholds.Statements,
		Functions: c.Thresholds.Functions, Branches: c.Thresholds.Branches}
	if c.Thresholds.All {
		t = coverage.Thresholds{Lines: 100, Statements: 100, Functions: 100, Branches: 100}
	}
	for _, x := range []struct {
		flag string
		to   *float64
		of   float64
	}{{"lines", &f.thresholds.Lines, t.Lines}, {"statements", &f.thresholds.Statements, t.Statements},
		{"functions", &f.thresholds.Functions, t.Functions}, {"branches", &f.thresholds.Branches, t.Branches}} {
		if !given("coverage.thresholds." + x.flag) {
			*x.to = x.of
		}
	}
	return nil
}

// names are those of a key that may be one name, a list of names, or a list of names with options.
func names(text json.RawMessage) (out []string) {
	var one string
	if json.Unmarshal(text, &one) == nil {
		return []string{one}
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	for _, x := range list {
		if found := names(x); len(found) > 0 && !slices.Contains(out, found[0]) {
			out = append(out, found[0])
		}
	}
	return out
}

// options are nil if nothing is counted.
func (f *coverageFlags) options(root string) (*coverage.Options, error) {
	if !f.enabled {
		return nil, nil
	}
	if f.provider != "v8" && f.provider != "istanbul" {
		return nil, usage("--coverage.provider %s: expected v8 or istanbul", f.provider)
	}
	o := &coverage.Options{Root: root, Dir: f.dir, Include: f.include, Exclude: f.exclude, Reporters: f.reporters,
		Thresholds: f.thresholds}
	if err := o.Check(); err != nil {
		return nil, usage("--coverage.reporter: %w", err)
	}
	return o, nil
}
