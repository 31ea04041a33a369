package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/ecma"
)

// suite is the copy of test262 that a process runs tests of.
type suite struct {
	options
	harness map[string]*goja.Program
}

func newSuite(o options) *suite { return &suite{options: o, harness: map[string]*goja.Program{}} }

// test runs a test, strict and sloppy unless its head says which.
func (s *suite) test(path string) []result {
	text, err := os.ReadFile(filepath.Join(s.suite, "test", filepath.FromSlash(path)))
	if err != nil {
		return []result{{Path: path, State: failed, Text: err.Error()}}
	}
	source := string(text)
	m := readMeta(source)
	if m.leave(source) {
		return []result{{Path: path, State: leftOut}}
	}
	var results []result
	if !m.has("onlyStrict") {
		results = append(results, s.once(path, "sloppy", source, &m))
	}
	if !m.has("noStrict") && !m.has("raw") {
		results = append(results, s.once(path, "strict", "'use strict';"+source, &m))
	}
	return results
}

func (s *suite) once(path, mode, source string, m *meta) result {
	r := result{Path: path, Mode: mode, State: passed}
	if err := s.try(path, source, m); err != nil {
		r.State, r.Text = failed, err.Error()
	}
	return r
}

func (s *suite) try(path, source string, m *meta) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	prg, err := s.compile(path, source)
	if err != nil {
		if m.negative.phase == "parse" && m.negative.kind == "SyntaxError" {
			return nil
		}
		return err
	}
	if m.negative.phase == "parse" {
		return errors.New("parsed, but should not")
	}
	h, err := newHost(s)
	if err != nil {
		return err
	}
	stop := time.AfterFunc(20*time.Second, func() { h.rt.Interrupt("out of time") })
	defer stop.Stop()
	if err := s.prepare(h, m); err != nil {
		return err
	}
	_, err = h.rt.RunProgram(prg)
	if m.negative.kind != "" {
		return wrongFailure(err, m.negative.kind)
	}
	if err == nil && m.has("async") {
		err = h.wait()
	}
	return err
}

// prepare runs the parts of the harness that a test asks for.
func (s *suite) prepare(h *host, m *meta) error {
	if m.has("raw") {
		return nil
	}
	includes := append([]string{"assert.js", "sta.js"}, m.includes...)
	if m.has("async") {
		includes = append(includes, "doneprintHandle.js")
	}
	for _, name := range includes {
		prg := s.harness[name]
		if prg == nil {
			text, err := os.ReadFile(filepath.Join(s.suite, "harness", name))
			if err != nil {
				return err
			}
			if prg, err = s.compile(name, string(text)); err != nil {
				return err
			}
			s.harness[name] = prg
		}
		if _, err := h.rt.RunProgram(prg); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// compile lowers and compiles a script.
func (s *suite) compile(name, source string) (*goja.Program, error) {
	out := api.Transform(source, api.TransformOptions{
		Loader: api.LoaderJS, Target: api.ESNext, Supported: bundle.Lowering(), LogLevel: api.LogLevelSilent,
	})
	if len(out.Errors) > 0 {
		return nil, errors.New("esbuild: " + out.Errors[0].Text)
	}
	if s.goja {
		return goja.Compile(name, string(out.Code), false)
	}
	return ecma.Compile(name, string(out.Code), false)
}

// wrongFailure is an error unless err is of the kind that a test asks for.
func wrongFailure(err error, kind string) error {
	if err == nil {
		return fmt.Errorf("no %s", kind)
	}
	if !strings.Contains(err.Error(), kind) {
		return fmt.Errorf("want %s: %w", kind, err)
	}
	return nil
}
